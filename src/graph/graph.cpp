#include "creg/graph/graph.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "creg/core/error.h"
#include "creg/core/text.h"

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

namespace {

class Validator {
 public:
  Validator(const Graph& graph, const std::string& source) : graph_(graph), source_(source) {}

  void run() const {
    const std::int64_t n = graph_.nodes();
    if (n > max_nodes) fail("too many nodes", with_commas(n), "at most " + with_commas(max_nodes));
    if (graph_.adjacency.cols != n) {
      fail("the adjacency is not square", shape(n, graph_.adjacency.cols), shape(n, n));
    }
    check_csr(graph_.adjacency, "adjacency");
    check_features(n);
    check_labels(n);
    if (!graph_.names.empty() && graph_.names.size() != n) {
      fail("names do not match the nodes", with_commas(graph_.names.size()),
           with_commas(n) + " names");
    }
    for (const Split& split : graph_.splits) check_split(split, n);
  }

 private:
  [[noreturn]] void fail(std::string what, std::string found, std::string expected,
                         std::string place = {}) const {
    fail_input({.what = std::move(what),
                .file = source_,
                .place = std::move(place),
                .found = std::move(found),
                .expected = std::move(expected)});
  }

  static std::string shape(std::int64_t rows, std::int64_t cols) {
    return std::to_string(rows) + " x " + std::to_string(cols);
  }

  void check_csr(const CsrMatrix& m, const std::string& what) const {
    if (m.offsets.size() != m.rows + 1) {
      fail(what + " has the wrong number of row offsets", with_commas(m.offsets.size()),
           with_commas(m.rows + 1));
    }
    if (m.offsets[0] != 0 || m.offsets[m.rows] != m.nonzeros()) {
      fail(what + " row offsets do not span the entries",
           std::to_string(m.offsets[0]) + " to " + std::to_string(m.offsets[m.rows]),
           "0 to " + std::to_string(m.nonzeros()));
    }
    for (std::int64_t r = 0; r < m.rows; ++r) {
      if (m.offsets[r] > m.offsets[r + 1]) {
        fail(what + " row offsets decrease", std::to_string(m.offsets[r + 1]),
             "at least " + std::to_string(m.offsets[r]), "row " + std::to_string(r));
      }
    }
    for (std::int64_t e = 0; e < m.nonzeros(); ++e) {
      if (m.columns[e] < 0 || m.columns[e] >= m.cols) {
        fail(what + " column out of range", std::to_string(m.columns[e]),
             "0 to " + std::to_string(m.cols - 1), "entry " + std::to_string(e));
      }
    }
    if (!m.values.empty() && m.values.size() != m.nonzeros()) {
      fail(what + " has the wrong number of values", with_commas(m.values.size()),
           with_commas(m.nonzeros()));
    }
    check_finite(m.values, what);
  }

  void check_finite(const Array<float>& values, const std::string& what) const {
    const auto bad =
        std::find_if(values.begin(), values.end(), [](float x) { return !std::isfinite(x); });
    if (bad != values.end()) {
      fail(what + " holds a value that is not finite", std::to_string(*bad), "a finite number",
           "entry " + std::to_string(bad - values.begin()));
    }
  }

  void check_features(std::int64_t n) const {
    if (!has_features(graph_.features)) return;
    if (feature_rows(graph_.features) != n) {
      fail("features do not match the nodes",
           with_commas(feature_rows(graph_.features)) + " feature rows",
           with_commas(n) + ", one per node");
    }
    if (const auto* sparse = std::get_if<CsrMatrix>(&graph_.features)) {
      check_csr(*sparse, "features");
    } else {
      const auto& dense = std::get<DenseMatrix>(graph_.features);
      if (dense.values.size() != dense.rows * dense.cols) {
        fail("features have the wrong number of values", with_commas(dense.values.size()),
             with_commas(dense.rows * dense.cols));
      }
      check_finite(dense.values, "features");
    }
  }

  void check_labels(std::int64_t n) const {
    if (!graph_.has_labels()) return;
    if (graph_.labels.size() != n) {
      fail("labels do not match the nodes", with_commas(graph_.labels.size()) + " labels",
           with_commas(n) + ", one per node");
    }
    for (std::int64_t i = 0; i < n; ++i) {
      if (graph_.labels[i] < unlabelled || graph_.labels[i] >= max_nodes) {
        fail("label out of range", std::to_string(graph_.labels[i]), "0 or more, or -1 for none",
             "node " + graph_.node_name(i));
      }
    }
  }

  void check_split(const Split& split, std::int64_t n) const {
    std::vector<char> seen(static_cast<std::size_t>(n), 0);
    for (const Array<std::int32_t>* part : {&split.train, &split.val, &split.test}) {
      for (const std::int32_t node : *part) {
        const std::string place = "split " + in_quotes(split.name);
        if (node < 0 || node >= n) {
          fail("node id out of range", std::to_string(node), "0 to " + std::to_string(n - 1),
               place);
        }
        if (seen[static_cast<std::size_t>(node)]++ != 0) {
          fail("a node is listed twice", "node " + graph_.node_name(node),
               "each node once, in one part", place);
        }
      }
    }
  }

  const Graph& graph_;
  const std::string& source_;
};

}  // namespace

void validate(const Graph& graph, const std::string& source) {
  Validator(graph, source).run();
}

}  // namespace creg
