#include "graph/part_non_edges.h"

#include <algorithm>
#include <utility>

#include "core/parallel.h"
#include "core/random_words.h"
#include "graph/non_edges.h"

namespace creg {
namespace {

std::int64_t blocks_of(const PartNonEdges::Draw& draw) {
  return (draw.count + NonEdgeSampler::block - 1) / NonEdgeSampler::block;
}

constexpr std::int64_t blocks_at_once = 16;

}  // namespace

PartNonEdges::PartNonEdges(std::int64_t nodes, Array<std::int32_t> own, CsrMatrix edges)
    : nodes_(nodes), own_(std::move(own)), edges_(std::move(edges)) {}

std::int64_t PartNonEdges::usual_attempts(std::int64_t nodes, std::int64_t entries) {
  const auto n = static_cast<double>(nodes);
  const double hit = std::min(0.9, (static_cast<double>(entries) + n) / (n * n));
  const double needed = static_cast<double>(NonEdgeSampler::block) / (1 - hit);
  constexpr std::int64_t spare = 64;
  return static_cast<std::int64_t>(needed * (1 + hit)) + spare;
}

std::int64_t PartNonEdges::row_of(std::int32_t node) const {
  const auto* const found = std::lower_bound(own_.begin(), own_.end(), node);
  return found != own_.end() && *found == node ? found - own_.begin() : -1;
}

template <class Body>
void PartNonEdges::for_attempts(const Draw& draw, std::int64_t block, const Body& body) const {
  RandomKey key = draw.key;
  key.item = static_cast<std::uint64_t>(block);
  RandomStream stream(key);
  const auto nodes = static_cast<std::uint64_t>(nodes_);
  for (std::int64_t a = 0; a < draw.attempts; ++a) {
    const auto from = static_cast<std::int32_t>(uniform_below(stream, nodes));
    const auto to = static_cast<std::int32_t>(uniform_below(stream, nodes));
    if (!body(a, from, to)) return;
  }
}

std::vector<std::int64_t> PartNonEdges::on_edges(const Context& context, const Draw& draw) const {
  const std::int64_t blocks = blocks_of(draw);
  const std::int64_t pieces = (blocks + blocks_at_once - 1) / blocks_at_once;
  std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>(pieces));
  parallel_for(context, 0, blocks, blocks_at_once, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t>& here = found[static_cast<std::size_t>(first / blocks_at_once)];
    for (std::int64_t b = first; b < last; ++b) {
      for_attempts(draw, b, [&](std::int64_t a, std::int32_t from, std::int32_t to) {
        const std::int64_t row = row_of(from);
        if (row < 0) return true;
        const auto neighbours = edges_.row(row);
        if (std::binary_search(neighbours.begin(), neighbours.end(), to)) {
          here.push_back(b * draw.attempts + a);
        }
        return true;
      });
    }
  });
  std::vector<std::int64_t> all;
  for (const std::vector<std::int64_t>& piece : found) {
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

std::optional<CsrMatrix> PartNonEdges::pairs(const Context& context, const Draw& draw,
                                             std::span<const std::int64_t> on_edges) const {
  const std::int64_t blocks = blocks_of(draw);
  struct Pair {
    std::int32_t row;
    std::int32_t to;
  };
  const std::int64_t pieces = (blocks + blocks_at_once - 1) / blocks_at_once;
  std::vector<std::vector<Pair>> drawn(static_cast<std::size_t>(pieces));
  std::vector<std::uint8_t> short_of(static_cast<std::size_t>(pieces), 0);
  parallel_for(context, 0, blocks, blocks_at_once, [&](std::int64_t first, std::int64_t last) {
    const auto piece = static_cast<std::size_t>(first / blocks_at_once);
    for (std::int64_t b = first; b < last; ++b) {
      std::int64_t wanted = std::min(NonEdgeSampler::block, draw.count - b * NonEdgeSampler::block);
      auto next = std::lower_bound(on_edges.begin(), on_edges.end(), b * draw.attempts);
      for_attempts(draw, b, [&](std::int64_t a, std::int32_t from, std::int32_t to) {
        if (next != on_edges.end() && *next == b * draw.attempts + a) {
          ++next;
          return true;
        }
        if (from == to) return true;
        const std::int64_t row = row_of(from);
        if (row >= 0) drawn[piece].push_back({static_cast<std::int32_t>(row), to});
        return --wanted > 0;
      });
      if (wanted > 0) short_of[piece] = 1;
    }
  });
  if (std::find(short_of.begin(), short_of.end(), 1) != short_of.end()) return std::nullopt;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(own_.size()) + 1, 0);
  for (const std::vector<Pair>& piece : drawn) {
    for (const Pair& pair : piece) ++offsets[static_cast<std::size_t>(pair.row) + 1];
  }
  for (std::size_t r = 1; r < offsets.size(); ++r) offsets[r] += offsets[r - 1];
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(offsets.back()));
  for (const std::vector<Pair>& piece : drawn) {
    for (const Pair& pair : piece) {
      columns[static_cast<std::size_t>(next[static_cast<std::size_t>(pair.row)]++)] = pair.to;
    }
  }
  CsrMatrix out;
  out.rows = own_.size();
  out.cols = nodes_;
  out.offsets = std::move(offsets);
  out.columns = std::move(columns);
  return out;
}

}  // namespace creg
