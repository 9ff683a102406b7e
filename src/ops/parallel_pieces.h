// Pieces of unequal cost on libtorch's threads, handed out one by one. The BLAS runs on one thread
// inside a piece, so a product there does not depend on the number of threads.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace creg::detail {

/// Calls body(piece, worker) for every piece in 0..count-1. They start in this order, each as soon
/// as a thread is free; worker is below at::get_num_threads() and never in two calls at a time. The
/// first exception is rethrown.
template <class Body>
void for_pieces(std::int64_t count, const Body& body) {
  if (count <= 0) return;
  // A single piece gets an idle companion: a loop of one would run outside of any parallel region.
  const std::int64_t workers =
      std::min<std::int64_t>(at::get_num_threads(), std::max<std::int64_t>(count, 2));
  std::atomic<std::int64_t> next{0};
  at::parallel_for(0, workers, 1, [&](std::int64_t worker, std::int64_t /*end*/) {
    for (std::int64_t piece = next++; piece < count; piece = next++) body(piece, worker);
  });
}

}  // namespace creg::detail
