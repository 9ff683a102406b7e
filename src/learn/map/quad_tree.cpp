#include "learn/map/quad_tree.h"

#include <algorithm>
#include <utility>

#include "core/parallel.h"

namespace creg::learn {
namespace {

/// Squares within squares; points that are nearer to each other than the last share it.
constexpr int levels = 20;
constexpr std::int32_t leaf_points = 4;

/// The low 20 bits, a zero between each two.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | (bits << 16U)) & 0x0000ffff0000ffffU;
  bits = (bits | (bits << 8U)) & 0x00ff00ff00ff00ffU;
  bits = (bits | (bits << 4U)) & 0x0f0f0f0f0f0f0f0fU;
  bits = (bits | (bits << 2U)) & 0x3333333333333333U;
  return (bits | (bits << 1U)) & 0x5555555555555555U;
}

/// Two bits for each level, the first level first.
std::uint64_t code_of(const PlanePoint& point, const PlanePoint& corner, double scale) {
  constexpr double most = (1U << levels) - 1;
  const auto bits = [&](double from_corner) {
    return static_cast<std::uint64_t>(std::clamp(from_corner * scale, 0.0, most));
  };
  return spread(bits(point.x - corner.x)) << 1U | spread(bits(point.y - corner.y));
}

}  // namespace

QuadTree::QuadTree(const Context& context, std::span<const PlanePoint> points) {
  PlanePoint low = points.front();
  PlanePoint high = low;
  for (const PlanePoint& point : points) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  const double width = std::max({high.x - low.x, high.y - low.y, 1e-300});
  const double scale = static_cast<double>(1U << levels) / width;
  const auto count = static_cast<std::int64_t>(points.size());
  std::vector<std::pair<std::uint64_t, std::int32_t>> sorted(points.size());
  // Runs sorted side by side, then merged in pairs: the same order however many threads there are.
  constexpr std::int64_t run = 16384;
  parallel_for(context, 0, count, run, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto place = static_cast<std::size_t>(i);
      sorted[place] = {code_of(points[place], low, scale), static_cast<std::int32_t>(i)};
    }
    std::sort(sorted.begin() + first, sorted.begin() + last);
  });
  for (std::int64_t length = run; length < count; length *= 2) {
    parallel_for(context, 0, count, 2 * length, [&](std::int64_t first, std::int64_t last) {
      if (first + length >= last) return;
      std::inplace_merge(sorted.begin() + first, sorted.begin() + first + length,
                         sorted.begin() + last);
    });
  }
  codes_.reserve(points.size());
  order_.reserve(points.size());
  points_.reserve(points.size());
  for (const auto& [code, number] : sorted) {
    codes_.push_back(code);
    order_.push_back(number);
    points_.push_back(points[static_cast<std::size_t>(number)]);
  }
  cells_.reserve(points.size());
  add_cell(0, static_cast<std::int32_t>(count), 0, width);
}

void QuadTree::add_cell(std::int32_t begin, std::int32_t end, int level, double width) {
  const std::size_t place = cells_.size();
  Cell cell{.squared_width = width * width, .begin = begin, .end = end};
  for (std::int32_t i = begin; i < end; ++i) {
    cell.x += points_[static_cast<std::size_t>(i)].x;
    cell.y += points_[static_cast<std::size_t>(i)].y;
  }
  cell.x /= end - begin;
  cell.y /= end - begin;
  cell.leaf = end - begin <= leaf_points || level == levels;
  cells_.push_back(cell);
  if (!cell.leaf) {
    const int shift = 2 * (levels - 1 - level);
    std::int32_t from = begin;
    while (from < end) {
      const std::uint64_t digit = codes_[static_cast<std::size_t>(from)] >> shift;
      const auto to = static_cast<std::int32_t>(
          std::partition_point(codes_.begin() + from, codes_.begin() + end,
                               [&](std::uint64_t code) { return code >> shift == digit; }) -
          codes_.begin());
      add_cell(from, to, level + 1, width / 2);
      from = to;
    }
  }
  cells_[place].next = static_cast<std::int32_t>(cells_.size());
}

Repulsion QuadTree::repulsion(std::int64_t place, double theta) const {
  const PlanePoint own = points_[static_cast<std::size_t>(place)];
  const double squared_theta = theta * theta;
  Repulsion out;
  const auto add = [&](const PlanePoint& other, double count) {
    const double x = own.x - other.x;
    const double y = own.y - other.y;
    const double q = 1 / (1 + x * x + y * y);
    out.sum += count * q;
    out.x += count * q * q * x;
    out.y += count * q * q * y;
  };
  const auto end = static_cast<std::int32_t>(cells_.size());
  for (std::int32_t c = 0; c < end;) {
    const Cell& cell = cells_[static_cast<std::size_t>(c)];
    const double x = own.x - cell.x;
    const double y = own.y - cell.y;
    const std::int32_t count = cell.end - cell.begin;
    if (cell.squared_width < squared_theta * (x * x + y * y) ||
        (cell.leaf && count > leaf_points)) {
      // Points that share the smallest square are one place.
      const bool inside = place >= cell.begin && place < cell.end;
      add({cell.x, cell.y}, inside ? count - 1 : count);
      c = cell.next;
    } else if (cell.leaf) {
      for (std::int32_t i = cell.begin; i < cell.end; ++i) {
        if (i != place) add(points_[static_cast<std::size_t>(i)], 1);
      }
      c = cell.next;
    } else {
      ++c;
    }
  }
  return out;
}

}  // namespace creg::learn
