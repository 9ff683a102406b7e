// The data of make_cluster_golden.py, made the same way here, and the results stored beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/golden_data.h"

namespace creg::test {

inline nlohmann::json cluster_golden() {
  return nlohmann::json::parse(read_text(source_dir() / "tests" / "learn" / "cluster_golden.json"));
}

/// Rows around one random centre per group, all of them `copies` times.
inline DenseMatrix golden_points(const nlohmann::json& spec) {
  CongruentialStream stream(spec["seed"].get<std::uint64_t>());
  const auto rows = spec["rows"].get<std::size_t>();
  const auto cols = spec["features"].get<std::size_t>();
  const auto groups = spec["groups"].get<std::size_t>();
  std::vector<double> centres;
  for (std::size_t i = 0; i < groups * cols; ++i) centres.push_back(stream.uniform() - 0.5);
  std::vector<float> once;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < cols; ++k) {
      const double value = spec["separation"].get<double>() * centres[i % groups * cols + k] +
                           spec["noise"].get<double>() * (stream.uniform() - 0.5);
      once.push_back(static_cast<float>(value));
    }
  }
  std::vector<float> values;
  const auto copies = spec["copies"].get<std::int64_t>();
  for (std::int64_t c = 0; c < copies; ++c) values.insert(values.end(), once.begin(), once.end());
  return {.rows = static_cast<std::int64_t>(rows) * copies,
          .cols = static_cast<std::int64_t>(cols),
          .values = std::move(values)};
}

}  // namespace creg::test
