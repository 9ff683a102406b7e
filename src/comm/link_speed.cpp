#include "comm/link_speed.h"

#include <torch/types.h>

#include <chrono>
#include <cstdint>

namespace creg {
namespace {

constexpr int small_messages = 50;
constexpr std::int64_t large_message = std::int64_t{16} << 20;

/// Exchanges so many bytes with `peer`, and returns the seconds.
double exchange(Communicator& world, int peer, const at::Tensor& bytes) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(world.size()), 0);
  rows[peer] = bytes.numel();
  const auto start = std::chrono::steady_clock::now();
  world.all_to_all(bytes, rows, rows);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The calls of a rank that is none of the pair, so that all ranks count alike.
void stand_by(Communicator& world, int times) {
  const std::vector<std::int64_t> rows(static_cast<std::size_t>(world.size()), 0);
  for (int i = 0; i < times; ++i) world.all_to_all(at::empty({0}, at::kByte), rows, rows);
}

}  // namespace

std::vector<LinkSpeed> measure_links(Communicator& world) {
  std::vector<LinkSpeed> links;
  const at::Tensor small = at::zeros({8}, at::kByte);
  const at::Tensor large = at::zeros({large_message}, at::kByte);
  for (int first = 0; first < world.size(); ++first) {
    for (int second = first + 1; second < world.size(); ++second) {
      at::Tensor found = at::zeros({2}, at::kDouble);
      world.barrier();
      if (world.rank() != first && world.rank() != second) {
        stand_by(world, small_messages + 3);
      } else {
        const int peer = world.rank() == first ? second : first;
        // The first of each kind is for buffers to be made.
        exchange(world, peer, small);
        double seconds = 0;
        for (int i = 1; i < small_messages; ++i) seconds += exchange(world, peer, small);
        found[0] = seconds / (small_messages - 1);
        exchange(world, peer, large);
        seconds = exchange(world, peer, large) + exchange(world, peer, large);
        found[1] = 2.0 * static_cast<double>(large_message) / seconds;
      }
      world.broadcast(found, first);
      links.push_back({.first = first,
                       .second = second,
                       .seconds = found[0].item<double>(),
                       .bytes_per_second = found[1].item<double>()});
    }
  }
  return links;
}

}  // namespace creg
