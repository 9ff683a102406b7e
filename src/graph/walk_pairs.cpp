#include "graph/walk_pairs.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/core/random.h"

namespace creg {
namespace {

constexpr std::int64_t walks_per_piece = 64;

/// Where each centre's windows begin, in windows.
std::vector<std::int64_t> count_centres(const Walks& walks, std::int64_t windows,
                                        std::int64_t nodes) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(nodes) + 1, 0);
  for (std::int64_t i = 0; i < walks.count; ++i) {
    for (const std::int32_t centre : walks.walk(i).first(static_cast<std::size_t>(windows))) {
      ++offsets[static_cast<std::size_t>(centre) + 1];
    }
  }
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

/// For each window, in the order of the walks, its place among all of them by centre.
std::vector<std::int64_t> places_by_centre(const Walks& walks, std::int64_t windows,
                                           std::vector<std::int64_t> next) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(walks.count * windows));
  auto place = places.begin();
  for (std::int64_t i = 0; i < walks.count; ++i) {
    for (const std::int32_t centre : walks.walk(i).first(static_cast<std::size_t>(windows))) {
      *place++ = next[static_cast<std::size_t>(centre)]++;
    }
  }
  return places;
}

/// `pairs` of every window, by centre.
CsrMatrix rows_of(const std::vector<std::int64_t>& windows, std::int64_t pairs, std::int64_t nodes,
                  Buffer<std::int32_t>&& columns) {
  std::vector<std::int64_t> offsets = windows;
  for (std::int64_t& offset : offsets) offset *= pairs;
  return {.rows = nodes,
          .cols = nodes,
          .offsets = std::move(offsets),
          .columns = std::move(columns),
          .values = {}};
}

}  // namespace

void check_window(int window, int length) {
  if (window >= 2 && window <= length) return;
  fail_input({.what = "a window of a walk has a centre and others beside it",
              .file = "context",
              .found = std::to_string(window),
              .expected = length < 2 ? "walks of two nodes and more"
                                     : "2 to the walks' length, " + std::to_string(length)});
}

WalkPairs walk_pairs(const Context& context, const Walks& walks, int window, int negatives,
                     std::int64_t nodes, std::uint64_t seed, std::uint32_t epoch) {
  check_window(window, walks.length);
  invariant(negatives >= 1, "a positive has a negative beside it");
  const std::int64_t windows = walks.length - window + 1;
  const std::int64_t near = window - 1;
  const std::int64_t far = near * negatives;
  const std::vector<std::int64_t> offsets = count_centres(walks, windows, nodes);
  const std::vector<std::int64_t> places = places_by_centre(walks, windows, offsets);

  Buffer<std::int32_t> pulled(offsets.back() * near);
  Buffer<std::int32_t> pushed(offsets.back() * far);
  parallel_for(
      context, 0, walks.count, walks_per_piece, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          RandomStream stream(seed, Purpose::walk_negatives, epoch, static_cast<std::uint64_t>(i));
          const auto walk = walks.walk(i);
          for (std::int64_t w = 0; w < windows; ++w) {
            const std::int64_t place = places[static_cast<std::size_t>(i * windows + w)];
            std::copy_n(walk.begin() + w + 1, near, pulled.begin() + place * near);
            std::generate_n(pushed.begin() + place * far, far, [&] {
              return static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(nodes)));
            });
          }
        }
      });
  return {rows_of(offsets, near, nodes, std::move(pulled)),
          rows_of(offsets, far, nodes, std::move(pushed))};
}

}  // namespace creg
