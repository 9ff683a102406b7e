// All pairs of blocks of a symmetric N x N computation, each met once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/launch.h"

namespace creg::detail {

/// Where each block of n rows starts, and n at the end: an odd number of blocks, the last of which
/// may be empty. `block_rows` 0: chosen so that a block of products stays in the second-level
/// cache.
inline std::vector<std::int64_t> block_starts(std::int64_t n, std::int64_t block_rows) {
  std::vector<std::int64_t> starts;
  if (block_rows > 0) {
    for (std::int64_t start = 0; start < n; start += block_rows) starts.push_back(start);
    if (starts.size() % 2 == 0) starts.push_back(n);
    starts.push_back(n);
    return starts;
  }
  constexpr std::int64_t largest_block = 512;
  // 16 m - 1 blocks make every round 8 m tiles of about one size: an even load for 2, 4 or 8
  // threads. Fewer where that would make them small.
  std::int64_t blocks = n <= 128 ? 1 : n <= 512 ? 3 : 7;
  while (n > blocks * largest_block) blocks += blocks < 15 ? 8 : 16;
  constexpr std::int64_t vector_rows = 16;
  for (std::int64_t b = 0; b < blocks; ++b) {
    starts.push_back(n * b / blocks / vector_rows * vector_rows);
  }
  starts.push_back(n);
  return starts;
}

/// How many pairs i <= j of `blocks` blocks (an odd number) there are.
inline std::int64_t block_pairs(std::int64_t blocks) {
  return blocks * ((blocks + 1) / 2);
}

/// Calls body(i, j, worker) for every pair i <= j of blocks.
///
/// The pairs meet in rounds: round r holds those with i + j = r modulo their number. Every block is
/// in one pair of each round, and takes its rounds in order: so no two threads touch a block at
/// once, and what a block sums up does not depend on the number of threads.
template <class Body>
void for_block_pairs(const Workers& workers, std::int64_t blocks, const Body& body) {
  const std::int64_t pairs_per_round = (blocks + 1) / 2;
  std::vector<std::atomic<std::int64_t>> rounds_done(static_cast<std::size_t>(blocks));
  std::atomic<bool> failed{false};
  workers.for_pieces(block_pairs(blocks), [&](std::int64_t piece, std::int64_t worker) {
    const std::int64_t round = piece / pairs_per_round;
    const std::int64_t place = piece % pairs_per_round;
    // In order of the first block: those with i + j = round, then those with i + j = round +
    // blocks.
    const std::int64_t without_wrap = round / 2 + 1;
    const std::int64_t i = place < without_wrap ? place : round + 1 + place - without_wrap;
    const std::int64_t j = place < without_wrap ? round - place : round + blocks - i;
    auto& first = rounds_done[static_cast<std::size_t>(i)];
    auto& second = rounds_done[static_cast<std::size_t>(j)];
    // Pairs start in order, so the ones waited for are at work or done.
    while (first != round || second != round) {
      if (failed) return;
      std::this_thread::yield();
    }
    try {
      body(std::min(i, j), std::max(i, j), worker);
    } catch (...) {
      failed = true;
      throw;
    }
    first = round + 1;
    second = round + 1;
  });
}

}  // namespace creg::detail
