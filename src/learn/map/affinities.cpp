#include "learn/map/affinities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/parallel.h"

namespace creg::learn {
namespace {

constexpr std::int64_t affinity_grain = 512;

/// exp(-beta (d - least)) over their sum, with the beta that gives the entropy ln(perplexity).
void row_chances(std::span<const float> distances, double perplexity, std::span<float> chances) {
  const double least = distances.front();
  const double wanted = std::log(perplexity);
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  // Widths follow the scale of the distances: a factor on all rows changes nothing.
  double mean = 0;
  for (const float distance : distances) mean += static_cast<double>(distance) - least;
  mean /= static_cast<double>(distances.size());
  double beta = mean > 0 ? 1 / mean : 1;
  double sum = 0;
  constexpr int most_steps = 100;
  for (int step = 0; step < most_steps; ++step) {
    sum = 0;
    double weighted = 0;
    for (const float distance : distances) {
      const double far = static_cast<double>(distance) - least;
      const double chance = std::exp(-beta * far);
      sum += chance;
      weighted += chance * far;
    }
    const double entropy = std::log(sum) + beta * weighted / sum;
    if (std::abs(entropy - wanted) < 1e-5) break;
    if (entropy > wanted) {
      low = beta;
      beta = std::isinf(high) ? 2 * beta : (low + high) / 2;
    } else {
      high = beta;
      beta = (low + high) / 2;
    }
  }
  for (std::size_t j = 0; j < distances.size(); ++j) {
    const double far = static_cast<double>(distances[j]) - least;
    chances[j] = static_cast<float>(std::exp(-beta * far) / sum);
  }
}

struct Entry {
  std::int32_t column = 0;
  float value = 0;
};

}  // namespace

Affinities affinities(const Context& context, const NearestRows& near, double perplexity) {
  const auto k = static_cast<std::size_t>(near.k);
  const auto rows = static_cast<std::int64_t>(near.rows.size() / k);
  std::vector<float> chances(near.rows.size());
  parallel_for(context, 0, rows, affinity_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto place = static_cast<std::size_t>(i) * k;
      row_chances(std::span(near.squared_distances).subspan(place, k), perplexity,
                  std::span(chances).subspan(place, k));
    }
  });
  // Each chance stands in its own row and in that of the neighbour; where both have one they add.
  std::vector<std::int64_t> starts(static_cast<std::size_t>(rows + 1), 0);
  for (const std::int32_t row : near.rows) ++starts[static_cast<std::size_t>(row) + 1];
  for (std::int64_t i = 0; i < rows; ++i) {
    starts[static_cast<std::size_t>(i + 1)] += starts[static_cast<std::size_t>(i)] + near.k;
  }
  std::vector<Entry> entries(2 * near.rows.size());
  std::vector<std::int64_t> ends(starts.begin(), starts.end() - 1);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t place = static_cast<std::size_t>(i) * k + j;
      const std::int32_t other = near.rows[place];
      const float value = chances[place];
      const auto own_end = static_cast<std::size_t>(ends[static_cast<std::size_t>(i)]++);
      const auto other_end = static_cast<std::size_t>(ends[static_cast<std::size_t>(other)]++);
      entries[own_end] = {other, value};
      entries[other_end] = {static_cast<std::int32_t>(i), value};
    }
  }
  Affinities out;
  out.offsets.push_back(0);
  out.columns.reserve(entries.size());
  out.values.reserve(entries.size());
  const double scale = 1 / (2 * static_cast<double>(rows));
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = std::span(entries).subspan(
        static_cast<std::size_t>(starts[static_cast<std::size_t>(i)]),
        static_cast<std::size_t>(starts[static_cast<std::size_t>(i + 1)] -
                                 starts[static_cast<std::size_t>(i)]));
    std::sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) {
      return a.column != b.column ? a.column < b.column : a.value < b.value;
    });
    for (const Entry& entry : row) {
      const auto value = static_cast<float>(scale * static_cast<double>(entry.value));
      const bool again = static_cast<std::int64_t>(out.columns.size()) > out.offsets.back() &&
                         out.columns.back() == entry.column;
      if (again) {
        out.values.back() += value;
      } else {
        out.columns.push_back(entry.column);
        out.values.push_back(value);
      }
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.columns.size()));
  }
  return out;
}

}  // namespace creg::learn
