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
// After so many draws in vain the neighbours are looked at one by one, so that no p and q make a
// step endless. What was drawn in vain says nothing about the next draw: chances stay what they
// are.
constexpr int draws_in_vain = 64;

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

/// The first entry whose running sum exceeds `target`; never one of weight 0.
std::size_t entry_at(std::span<const double> sums, double target) {
  auto found = std::ranges::upper_bound(sums, target);
  // Rounding can bring the target up to the whole sum.
  if (found == sums.end()) found = std::ranges::lower_bound(sums, sums.back());
  return static_cast<std::size_t>(found - sums.begin());
}

}  // namespace

RandomWalker::RandomWalker(const Context& context, CsrMatrix adjacency, double p, double q)
    : adjacency_(std::move(adjacency)), back_(1 / p), out_(1 / q) {
  invariant(adjacency_.rows == adjacency_.cols, "walks go through a square matrix");
  check_parameter(p, "p");
  check_parameter(q, "q");
  largest_ = std::max({back_, 1.0, out_});
  if (p != 1 || q != 1) check_rows(context, adjacency_);
  if (!adjacency_.values.empty()) sums_ = running_sums(context, adjacency_);
}

bool RandomWalker::steps_from(std::int32_t node) const {
  const std::int64_t end = adjacency_.offsets[node + 1];
  if (adjacency_.offsets[node] == end) return false;
  return sums_.empty() || sums_[static_cast<std::size_t>(end) - 1] > 0;
}

std::int32_t RandomWalker::by_weight(std::int32_t node, RandomStream& stream) const {
  const auto row = adjacency_.row(node);
  if (sums_.empty()) return row[stream.below(row.size())];
  const auto sums =
      std::span(sums_).subspan(static_cast<std::size_t>(adjacency_.offsets[node]), row.size());
  return row[entry_at(sums, stream.uniform_double() * sums.back())];
}

double RandomWalker::preference(std::int32_t before, std::int32_t next) const {
  if (next == before) return back_;
  const auto row = adjacency_.row(before);
  return std::binary_search(row.begin(), row.end(), next) ? 1 : out_;
}

std::int32_t RandomWalker::by_both(std::int32_t before, std::int32_t node,
                                   RandomStream& stream) const {
  for (int i = 0; i < draws_in_vain; ++i) {
    const std::int32_t next = by_weight(node, stream);
    if (stream.uniform_double() * largest_ < preference(before, next)) return next;
  }
  return by_listing(before, node, stream);
}

std::int32_t RandomWalker::by_listing(std::int32_t before, std::int32_t node,
                                      RandomStream& stream) const {
  const auto row = adjacency_.row(node);
  const std::int64_t first = adjacency_.offsets[node];
  std::vector<double> sums(row.size());
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    sum += preference(before, row[i]) *
           static_cast<double>(adjacency_.value(first + static_cast<std::int64_t>(i)));
    sums[i] = sum;
  }
  return row[entry_at(sums, stream.uniform_double() * sum)];
}

void RandomWalker::go(std::span<std::int32_t> nodes, RandomStream& stream) const {
  const bool first_order = back_ == 1 && out_ == 1;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const std::int32_t node = nodes[i - 1];
    if (!steps_from(node)) {
      std::fill(nodes.begin() + static_cast<std::ptrdiff_t>(i), nodes.end(), node);
      return;
    }
    nodes[i] =
        first_order || i == 1 ? by_weight(node, stream) : by_both(nodes[i - 2], node, stream);
  }
}

Walks RandomWalker::walk(const Context& context, std::span<const std::int32_t> starts,
                         int per_start, int length, std::uint64_t seed, std::uint32_t epoch) const {
  invariant(per_start >= 1 && length >= 1, "a walk has at least its start");
  const auto count = static_cast<std::int64_t>(starts.size()) * per_start;
  Buffer<std::int32_t> nodes(count * length);
  parallel_for(context, 0, count, walks_per_piece, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int32_t start = starts[static_cast<std::size_t>(i / per_start)];
      invariant(start >= 0 && start < adjacency_.rows, "a walk starts at a node of the graph");
      RandomStream stream(seed, Purpose::walks, epoch, static_cast<std::uint64_t>(i));
      const auto walk = nodes.span().subspan(static_cast<std::size_t>(i * length),
                                             static_cast<std::size_t>(length));
      walk[0] = start;
      go(walk, stream);
    }
  });
  return {.count = count, .length = length, .nodes = std::move(nodes)};
}

}  // namespace creg
