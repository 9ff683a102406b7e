#include "kernels/launch.h"

#include <algorithm>
#include <atomic>

#include "core/parallel.h"

namespace creg {

void Workers::for_pieces(std::int64_t pieces,
                         const std::function<void(std::int64_t, std::int64_t)>& body) const {
  if (pieces <= 0) return;
  // A single piece gets an idle companion: a loop of one would run outside of any parallel region,
  // where the BLAS starts threads of its own.
  const std::int64_t workers = std::min<std::int64_t>(count(), std::max<std::int64_t>(pieces, 2));
  std::atomic<std::int64_t> next{0};
  for_ranges(workers, 1, [&](std::int64_t worker, std::int64_t /*last*/) {
    for (std::int64_t piece = next++; piece < pieces; piece = next++) body(piece, worker);
  });
}

void OneWorker::for_ranges(std::int64_t size, std::int64_t /*grain*/,
                           const std::function<void(std::int64_t, std::int64_t)>& body) const {
  if (size > 0) body(0, size);
}

void PoolWorkers::for_ranges(std::int64_t size, std::int64_t grain,
                             const std::function<void(std::int64_t, std::int64_t)>& body) const {
  parallel_for(context_, 0, size, std::max<std::int64_t>(grain, 1), body);
}

}  // namespace creg
