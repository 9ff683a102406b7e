// Points of a plane in nested squares: far ones are met together, by their centre.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "creg/core/context.h"

namespace creg::learn {

struct PlanePoint {
  double x = 0;
  double y = 0;
};

/// What pushes a point away: sums over all others of q and of q² (own - other), q = 1 / (1 + d²).
struct Repulsion {
  double sum = 0;
  double x = 0;
  double y = 0;
};

class QuadTree {
 public:
  /// There is at least one point, and all are finite.
  QuadTree(const Context& context, std::span<const PlanePoint> points);

  /// The points' numbers, neighbours of the plane near each other.
  std::span<const std::int32_t> order() const { return order_; }

  /// Upon the point at this place of the order. Squares narrower than theta times their distance
  /// count as one.
  Repulsion repulsion(std::int64_t place, double theta) const;

 private:
  struct Cell {
    double x = 0;  ///< the mean of its points
    double y = 0;
    double squared_width = 0;
    std::int32_t begin = 0;  ///< of its points in the order
    std::int32_t end = 0;
    std::int32_t next = 0;  ///< the first cell that is not inside
    bool leaf = false;
  };
  void add_cell(std::int32_t begin, std::int32_t end, int level, double width);

  std::vector<std::uint64_t> codes_;  ///< ascending
  std::vector<std::int32_t> order_;
  std::vector<PlanePoint> points_;  ///< in the order
  std::vector<Cell> cells_;         ///< a cell before those inside
};

}  // namespace creg::learn
