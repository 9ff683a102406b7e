#include "graph/random_walks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"

namespace creg {
namespace {

constexpr std::int64_t walks_per_piece = 64;
constexpr std::int64_t rows_per_piece = 1024;

void check_parameter(double value, const char* name) {
  if (std::isfinite(value) && value > 0 && std::isfinite(1 / value)) return;
  fail_input({.what = "a walk's return and in-out parameters are positive numbers",
              .file = name,
              .found = std::to_string(value),
              .expected = "above 0"});
}

void check_rows(const Context& context, const CsrMatrix& adjacency) {
  parallel_for(context, 0, adjacency.rows, rows_per_piece,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t r = first; r < last; ++r) {
                   invariant(std::ranges::is_sorted(adjacency.row(r)),
                             "neighbours ascend where they are looked up");
                 }
               });
}

std::vector<double> running_sums(const Context& context, const CsrMatrix& adjacency) {
  std::vector<double> sums(static_cast<std::size_t>(adjacency.nonzeros()));
  parallel_for(
      context, 0, adjacency.rows, rows_per_piece, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t r = first; r < last; ++r) {
          double sum = 0;
          for (std::int64_t e = adjacency.offsets[r]; e < adjacency.offsets[r + 1]; ++e) {
            const double weight = adjacency.values[e];
            if (!(weight >= 0) || !std::isfinite(weight)) {
              fail_input({.what = "random walks need weights of edges that are not negative",
                          .place = "the edge " + std::to_string(r) + " -> " +
                                   std::to_string(adjacency.columns[e]),
                          .found = std::to_string(weight)});
            }
            sum += weight;
            sums[static_cast<std::size_t>(e)] = sum;
          }
        }
      });
  return sums;
}

}  // namespace

RandomWalker::RandomWalker(const Context& context, CsrMatrix adjacency, double p, double q)
    : adjacency_(std::move(adjacency)), back_(1 / p), out_(1 / q) {
  invariant(adjacency_.rows == adjacency_.cols, "walks go through a square matrix");
  check_parameter(p, "p");
  check_parameter(q, "q");
  if (p != 1 || q != 1) check_rows(context, adjacency_);
  if (!adjacency_.values.empty()) sums_ = running_sums(context, adjacency_);
}

WalkSteps RandomWalker::steps() const {
  return {.offsets = adjacency_.offsets.data(),
          .columns = adjacency_.columns.data(),
          .values = adjacency_.values.empty() ? nullptr : adjacency_.values.data(),
          .sums = sums_.empty() ? nullptr : sums_.data(),
          .back = back_,
          .out = out_,
          .largest = std::max({back_, 1.0, out_})};
}

Walks RandomWalker::walk(const Context& context, std::span<const std::int32_t> starts,
                         int per_start, int length, std::uint64_t seed, std::uint32_t epoch) const {
  invariant(per_start >= 1 && length >= 1, "a walk has at least its start");
  const WalkSteps steps = this->steps();
  const auto count = static_cast<std::int64_t>(starts.size()) * per_start;
  Buffer<std::int32_t> nodes(count * length);
  parallel_for(context, 0, count, walks_per_piece, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int32_t start = starts[static_cast<std::size_t>(i / per_start)];
      invariant(start >= 0 && start < adjacency_.rows, "a walk starts at a node of the graph");
      RandomStream stream(seed, Purpose::walks, epoch, static_cast<std::uint64_t>(i));
      nodes[i * length] = start;
      steps.go(stream, nodes.data() + i * length, length);
    }
  });
  return {.count = count, .length = length, .nodes = std::move(nodes)};
}

}  // namespace creg
