#include "learn/assignment.h"

#include <cmath>
#include <limits>
#include <utility>

#include "creg/core/error.h"

namespace creg {
namespace {

// For n <= m, costs[i, j] at i * row_stride + j * col_stride; returns per column its row or -1.
// Rows enter one by one. Each looks for the cheapest path of swaps to a free column by Dijkstra's
// method, where prices on rows and columns keep the reduced costs from becoming negative.
std::vector<std::int64_t> match_columns(std::span<const double> costs, std::int64_t n,
                                        std::int64_t m, std::int64_t row_stride,
                                        std::int64_t col_stride) {
  const auto columns = static_cast<std::size_t>(m);
  std::vector<double> row_price(static_cast<std::size_t>(n));
  std::vector<double> col_price(columns);
  std::vector<std::int64_t> row_of(columns, -1);
  std::vector<double> distance(columns);
  std::vector<std::int64_t> previous(columns);  // the column before this one on the path
  std::vector<char> done(columns);
  for (std::int64_t entering = 0; entering < n; ++entering) {
    distance.assign(columns, std::numeric_limits<double>::infinity());
    previous.assign(columns, -1);
    done.assign(columns, 0);
    std::int64_t row = entering;
    std::int64_t from = -1;
    double walked = 0;
    while (true) {
      std::size_t next = columns;
      for (std::size_t j = 0; j < columns; ++j) {
        if (done[j] != 0) continue;
        const double cost = costs[static_cast<std::size_t>(
            row * row_stride + static_cast<std::int64_t>(j) * col_stride)];
        const double through =
            walked + cost - row_price[static_cast<std::size_t>(row)] - col_price[j];
        if (through < distance[j]) {
          distance[j] = through;
          previous[j] = from;
        }
        if (next == columns || distance[j] < distance[next]) next = j;
      }
      walked = distance[next];
      done[next] = 1;
      from = static_cast<std::int64_t>(next);
      if (row_of[next] < 0) break;
      row = row_of[next];
    }
    row_price[static_cast<std::size_t>(entering)] += walked;
    for (std::size_t j = 0; j < columns; ++j) {
      if (done[j] == 0 || row_of[j] < 0) continue;
      const double change = walked - distance[j];
      row_price[static_cast<std::size_t>(row_of[j])] += change;
      col_price[j] -= change;
    }
    while (from >= 0) {
      const std::int64_t before = previous[static_cast<std::size_t>(from)];
      row_of[static_cast<std::size_t>(from)] =
          before >= 0 ? row_of[static_cast<std::size_t>(before)] : entering;
      from = before;
    }
  }
  return row_of;
}

}  // namespace

std::vector<std::int32_t> least_cost_assignment(std::span<const double> costs, std::int64_t rows,
                                                std::int64_t cols) {
  invariant(rows >= 0 && cols >= 0 && static_cast<std::int64_t>(costs.size()) == rows * cols,
            "there is a cost for every row and column");
  for (const double cost : costs) invariant(std::isfinite(cost), "costs are finite");
  std::vector<std::int32_t> column_of(static_cast<std::size_t>(rows), -1);
  const bool wide = rows <= cols;
  const std::vector<std::int64_t> matched =
      wide ? match_columns(costs, rows, cols, cols, 1) : match_columns(costs, cols, rows, 1, cols);
  for (std::size_t j = 0; j < matched.size(); ++j) {
    if (matched[j] < 0) continue;
    if (wide) {
      column_of[static_cast<std::size_t>(matched[j])] = static_cast<std::int32_t>(j);
    } else {
      column_of[j] = static_cast<std::int32_t>(matched[j]);
    }
  }
  return column_of;
}

}  // namespace creg
