#include "graph/non_edges.h"

#include <fmt/format.h>

#include <numeric>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/non_edge_attempt.h"
#include "graph/transforms.h"

namespace creg {

NonEdgeSampler::NonEdgeSampler(const Context& context, const CsrMatrix& adjacency,
                               const std::string& source) {
  Graph bare;
  bare.adjacency = adjacency;
  bare.adjacency.values = {};
  edges_ = simple_graph(context, std::move(bare)).adjacency;
  const std::int64_t joined = edges_.nonzeros() / 2;
  const std::int64_t pairs = nodes() * (nodes() - 1) / 2;
  if (pairs == joined) {
    fail_input(
        {.what = "every node is joined to every other, so that there is no non-edge to draw",
         .file = source.empty() ? "the graph" : source,
         .found = fmt::format("{} nodes, {} edges", with_commas(nodes()), with_commas(joined))});
  }
  if (pairs - joined >= joined) return;
  for (std::int32_t u = 0; u < nodes(); ++u) {
    const auto row = edges_.row(u);
    auto next = row.begin();
    for (std::int32_t v = 0; v < nodes(); ++v) {
      if (next != row.end() && *next == v) {
        ++next;
      } else if (u != v) {
        listed_.emplace_back(u, v);
      }
    }
  }
}

std::pair<std::int32_t, std::int32_t> NonEdgeSampler::draw_pair(RandomStream& stream) const {
  if (!listed_.empty()) return listed_[stream.below(listed_.size())];
  std::int32_t u = 0;
  std::int32_t v = 0;
  while (!try_non_edge(stream, nodes(), edges_.offsets.data(), edges_.columns.data(), u, v)) {
  }
  return {u, v};
}

void NonEdgeSampler::draw(const Context& context, std::uint64_t seed, Purpose purpose,
                          std::uint32_t epoch, std::int64_t first, std::span<std::int32_t> from,
                          std::span<std::int32_t> to) const {
  invariant(first % block == 0 && from.size() == to.size(), "non-edges are drawn in whole blocks");
  const auto count = static_cast<std::int64_t>(from.size());
  // A stream per block: the same pairs for every number of threads.
  parallel_for(context, 0, count, block, [&](std::int64_t begin, std::int64_t end) {
    RandomStream stream(seed, purpose, epoch, static_cast<std::uint64_t>((first + begin) / block));
    for (std::int64_t i = begin; i < end; ++i) {
      const auto [u, v] = draw_pair(stream);
      from[static_cast<std::size_t>(i)] = u;
      to[static_cast<std::size_t>(i)] = v;
    }
  });
}

CsrMatrix NonEdgeSampler::draw_rows(const Context& context, std::uint64_t seed, Purpose purpose,
                                    std::uint32_t epoch, std::int64_t count) const {
  Buffer<std::int32_t> from(count);
  Buffer<std::int32_t> to(count);
  draw(context, seed, purpose, epoch, 0, from.span(), to.span());
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(nodes()) + 1, 0);
  for (const std::int32_t u : from) ++offsets[static_cast<std::size_t>(u) + 1];
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  Buffer<std::int32_t> columns(count);
  for (std::int64_t i = 0; i < count; ++i) {
    columns[next[static_cast<std::size_t>(from[i])]++] = to[i];
  }
  return {.rows = nodes(),
          .cols = nodes(),
          .offsets = std::move(offsets),
          .columns = std::move(columns),
          .values = {}};
}

}  // namespace creg
