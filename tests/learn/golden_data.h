// The data of make_logistic_golden.py, made the same way here, and the results stored beside it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "learn/linear_model.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::test {

class CongruentialStream {
 public:
  explicit CongruentialStream(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 40) / 16777216.0;
  }

 private:
  std::uint64_t state_;
};

struct GoldenData {
  DenseMatrix values;
  std::vector<std::int32_t> labels;
  std::vector<std::int32_t> train;
  std::vector<std::int32_t> test;

  LabelledRows train_rows() const { return {.values = values, .rows = train, .labels = labels}; }
};

/// Rows around one random centre per class.
inline GoldenData golden_data(const nlohmann::json& spec) {
  CongruentialStream stream(spec["seed"].get<std::uint64_t>());
  const auto classes = spec["labels"].get<std::vector<std::int32_t>>();
  const auto d = spec["features"].get<std::int64_t>();
  const auto train = spec["train"].get<std::int32_t>();
  const auto rows = train + spec["test"].get<std::int32_t>();
  std::vector<double> centres;
  for (std::size_t i = 0; i < classes.size() * static_cast<std::size_t>(d); ++i) {
    centres.push_back(stream.uniform() - 0.5);
  }
  GoldenData data;
  std::vector<float> values;
  for (std::int32_t i = 0; i < rows; ++i) {
    const auto c = static_cast<std::size_t>(i) % classes.size();
    data.labels.push_back(classes[c]);
    (i < train ? data.train : data.test).push_back(i);
    for (std::int64_t k = 0; k < d; ++k) {
      const double centre = centres[c * static_cast<std::size_t>(d) + static_cast<std::size_t>(k)];
      double value = spec["separation"].get<double>() * centre +
                     spec["noise"].get<double>() * (stream.uniform() - 0.5);
      if (spec["uneven"].get<bool>()) value *= static_cast<double>(1 << (k % 8));
      if (spec["flat"].get<bool>() && k < 2) value = static_cast<double>(1 - k);
      values.push_back(static_cast<float>(value));
    }
  }
  data.values = {.rows = rows, .cols = d, .values = std::move(values)};
  return data;
}

inline nlohmann::json logistic_golden() {
  return nlohmann::json::parse(
      read_text(source_dir() / "tests" / "learn" / "logistic_golden.json"));
}

/// |a - b| / |b| in the Euclidean norm.
inline double relative_distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return 1e300;
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(difference / norm);
}

inline std::int64_t differences(const std::vector<std::int32_t>& a,
                                const std::vector<std::int32_t>& b) {
  std::int64_t count = static_cast<std::int64_t>(a.size() != b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

}  // namespace creg::test
