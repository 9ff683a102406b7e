#include "creg/graph/graph.h"

#include <algorithm>
#include <utility>

namespace creg {

std::int64_t feature_rows(const Features& features) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) return dense->rows;
  if (const auto* sparse = std::get_if<CsrMatrix>(&features)) return sparse->rows;
  return 0;
}

std::int64_t feature_cols(const Features& features) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) return dense->cols;
  if (const auto* sparse = std::get_if<CsrMatrix>(&features)) return sparse->cols;
  return 0;
}

std::int64_t feature_bytes(const Features& features) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&features)) return sparse->bytes();
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) return dense->values.bytes();
  return 0;
}

bool has_features(const Features& features) {
  return !std::holds_alternative<std::monostate>(features);
}

std::int64_t feature_nonzeros(const Features& features) {
  const auto count = [](std::span<const float> values) {
    return static_cast<std::int64_t>(
        std::count_if(values.begin(), values.end(), [](float x) { return x != 0; }));
  };
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) return count(dense->values);
  if (const auto* sparse = std::get_if<CsrMatrix>(&features)) {
    return sparse->values.empty() ? sparse->nonzeros() : count(sparse->values);
  }
  return 0;
}

CsrMatrix to_sparse(const DenseMatrix& matrix) {
  const std::int64_t nonzeros = feature_nonzeros(matrix);
  Buffer<std::int64_t> offsets(matrix.rows + 1);
  Buffer<std::int32_t> columns(nonzeros);
  Buffer<float> values(nonzeros);
  std::int64_t next = 0;
  bool all_ones = true;
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    offsets[r] = next;
    const std::span<const float> row = matrix.row(r);
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (row[c] == 0) continue;
      columns[next] = static_cast<std::int32_t>(c);
      values[next] = row[c];
      all_ones = all_ones && row[c] == 1;
      ++next;
    }
  }
  offsets[matrix.rows] = next;
  return {.rows = matrix.rows,
          .cols = matrix.cols,
          .offsets = std::move(offsets),
          .columns = std::move(columns),
          .values = all_ones ? Array<float>() : Array<float>(std::move(values))};
}

DenseMatrix to_dense(const Features& features) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) return *dense;
  const auto* sparse = std::get_if<CsrMatrix>(&features);
  if (sparse == nullptr) return {};
  std::vector<float> values(static_cast<std::size_t>(sparse->rows * sparse->cols));
  for (std::int64_t r = 0; r < sparse->rows; ++r) {
    for (std::int64_t e = sparse->offsets[r]; e < sparse->offsets[r + 1]; ++e) {
      values[static_cast<std::size_t>(r * sparse->cols + sparse->columns[e])] += sparse->value(e);
    }
  }
  return {.rows = sparse->rows, .cols = sparse->cols, .values = std::move(values)};
}

Features compact(Features features) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) {
    const auto nonzeros = feature_nonzeros(features);
    const bool all_ones = std::all_of(dense->values.begin(), dense->values.end(),
                                      [](float x) { return x == 0 || x == 1; });
    const std::int64_t sparse_bytes = nonzeros * (all_ones ? 4 : 8) + (dense->rows + 1) * 8;
    if (sparse_bytes < dense->values.bytes()) return to_sparse(*dense);
    return features;
  }
  if (auto* sparse = std::get_if<CsrMatrix>(&features)) {
    if (!sparse->values.empty() &&
        std::all_of(sparse->values.begin(), sparse->values.end(), [](float x) { return x == 1; })) {
      sparse->values = {};
    }
    // Divided, because four bytes for each of 2^31 x 2^31 cells would overflow.
    if (sparse->bytes() / 4 > sparse->rows * sparse->cols) return to_dense(features);
  }
  return features;
}

NodeNames::NodeNames(std::span<const std::string> names) {
  std::vector<std::int64_t> offsets = {0};
  offsets.reserve(names.size() + 1);
  std::vector<char> characters;
  for (const std::string& name : names) {
    characters.insert(characters.end(), name.begin(), name.end());
    offsets.push_back(static_cast<std::int64_t>(characters.size()));
  }
  offsets_ = std::move(offsets);
  characters_ = std::move(characters);
}

NodeNames::NodeNames(Array<std::int64_t> offsets, Array<char> characters)
    : offsets_(std::move(offsets)), characters_(std::move(characters)) {}

std::string Graph::node_name(std::int64_t i) const {
  return names.empty() ? std::to_string(i) : std::string(names[i]);
}

std::int32_t Graph::classes() const {
  const auto largest = std::max_element(labels.begin(), labels.end());
  const std::int32_t used = largest == labels.end() ? 0 : *largest + 1;
  return std::max(used, static_cast<std::int32_t>(class_names.size()));
}

}  // namespace creg
