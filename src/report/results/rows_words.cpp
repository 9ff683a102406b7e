#include "report/results/rows_words.h"

#include <fmt/format.h>

namespace creg {

std::string rows_words(std::string_view lead, int smooth, Normalize normalize) {
  std::string_view how;
  if (normalize == Normalize::l2) how = "of length 1";
  if (normalize == Normalize::spread) how = "spread by the directions they use";
  if (smooth == 0) return how.empty() ? "" : fmt::format("{}on rows {}", lead, how);
  return fmt::format("{}on smoothed rows, H + Â^{} H{}{}", lead, smooth, how.empty() ? "" : ", ",
                     how);
}

}  // namespace creg
