#include "train/update_traffic.h"

#include "train/loop/step_sums.h"

namespace creg {

std::int64_t bytes_of_update(std::int64_t numbers, std::int64_t batches, int ranks, int rank) {
  if (ranks < 2) return 0;
  const std::int64_t others = ranks - 1;
  const std::int64_t own = (batches + ranks - 1 - rank) / ranks;
  const std::int64_t share = numbers * (rank + 1) / ranks - numbers * rank / ranks;
  constexpr auto statistics = static_cast<std::int64_t>(StepSums::means.size()) + 1;
  return static_cast<std::int64_t>(sizeof(float)) * (own * (numbers - share) + others * share) +
         static_cast<std::int64_t>(sizeof(double)) * statistics * others * (own + 1);
}

}  // namespace creg
