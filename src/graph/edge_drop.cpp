#include "graph/edge_drop.h"

#include <cstdint>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/core/random.h"

namespace creg {
namespace {

constexpr std::int64_t row_grain = 1 << 10;

/// `chance_of(entry)` for every stored entry.
template <class Chance>
CsrMatrix drop(const Context& context, const CsrMatrix& adjacency, const ViewDraw& draw,
               const Chance& chance_of) {
  Buffer<std::uint8_t> kept(adjacency.nonzeros());
  Buffer<std::int64_t> offsets(adjacency.rows + 1);
  offsets[0] = 0;
  parallel_for(context, 0, adjacency.rows, row_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      RandomStream stream(draw.seed, Purpose::edge_drop, draw.step, draw.item(r));
      std::int64_t count = 0;
      for (std::int64_t e = adjacency.offsets[r]; e < adjacency.offsets[r + 1]; ++e) {
        kept[e] = stream.uniform() < chance_of(e) ? 0 : 1;
        count += kept[e];
      }
      offsets[r + 1] = count;
    }
  });
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  const bool weighted = !adjacency.values.empty();
  Buffer<std::int32_t> columns(offsets[adjacency.rows]);
  Buffer<float> values(weighted ? offsets[adjacency.rows] : 0);
  parallel_for(context, 0, adjacency.rows, row_grain, [&](std::int64_t first, std::int64_t last) {
    std::int64_t next = offsets[first];
    for (std::int64_t e = adjacency.offsets[first]; e < adjacency.offsets[last]; ++e) {
      if (kept[e] == 0) continue;
      columns[next] = adjacency.columns[e];
      if (weighted) values[next] = adjacency.values[e];
      ++next;
    }
  });
  return {.rows = adjacency.rows,
          .cols = adjacency.cols,
          .offsets = std::move(offsets),
          .columns = std::move(columns),
          .values = weighted ? Array<float>(std::move(values)) : Array<float>()};
}

}  // namespace

CsrMatrix drop_edges(const Context& context, const CsrMatrix& adjacency, double chance,
                     const ViewDraw& draw) {
  if (chance <= 0) return adjacency;
  return drop(context, adjacency, draw, [=](std::int64_t /*entry*/) { return chance; });
}

CsrMatrix drop_edges(const Context& context, const CsrMatrix& adjacency,
                     std::span<const float> chances, const ViewDraw& draw) {
  invariant(static_cast<std::int64_t>(chances.size()) == adjacency.nonzeros(),
            "every entry has its chance");
  return drop(context, adjacency, draw,
              [=](std::int64_t e) { return chances[static_cast<std::size_t>(e)]; });
}

}  // namespace creg
