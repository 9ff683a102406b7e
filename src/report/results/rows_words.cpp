#include "report/results/rows_words.h"

#include <fmt/format.h>

namespace creg {

std::string rows_words(std::string_view lead, int smooth, Normalize normalize) {
  const bool unit = normalize == Normalize::l2;
  if (smooth == 0) return unit ? fmt::format("{}on rows of length 1", lead) : "";
  return fmt::format("{}on smoothed rows, H + Â^{} H{}", lead, smooth, unit ? ", of length 1" : "");
}

}  // namespace creg
