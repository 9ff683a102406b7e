// The one form every dataset takes: an attributed graph as plain, immutable, shareable arrays.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "creg/core/array.h"
#include "creg/core/context.h"

namespace creg {

inline constexpr std::int64_t max_nodes = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int32_t unlabelled = -1;

/// Compressed sparse rows. Row r holds columns[offsets[r] .. offsets[r+1]). Empty `values` mean
/// that every stored entry is 1, which halves a binary matrix.
struct CsrMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<std::int64_t> offsets;  ///< rows + 1 of them
  Array<std::int32_t> columns;
  Array<float> values;

  std::int64_t nonzeros() const { return columns.size(); }
  std::span<const std::int32_t> row(std::int64_t r) const {
    return columns.span().subspan(static_cast<std::size_t>(offsets[r]),
                                  static_cast<std::size_t>(offsets[r + 1] - offsets[r]));
  }
  float value(std::int64_t entry) const { return values.empty() ? 1.0F : values[entry]; }
  std::int64_t bytes() const { return offsets.bytes() + columns.bytes() + values.bytes(); }
};

/// Row-major.
struct DenseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<float> values;

  std::span<const float> row(std::int64_t r) const {
    return values.span().subspan(static_cast<std::size_t>(r * cols),
                                 static_cast<std::size_t>(cols));
  }
};

using Features = std::variant<std::monostate, DenseMatrix, CsrMatrix>;

std::int64_t feature_rows(const Features& features);
std::int64_t feature_cols(const Features& features);
/// Entries that are not zero, whatever the storage.
std::int64_t feature_nonzeros(const Features& features);
bool has_features(const Features& features);
/// Memory of the arrays.
std::int64_t feature_bytes(const Features& features);
/// The cheaper storage of the same matrix. Explicit zeros are dropped when it becomes sparse.
Features compact(Features features);
DenseMatrix to_dense(const Features& features);
CsrMatrix to_sparse(const DenseMatrix& matrix);

/// The nodes' names in the input. Empty when the names are 0..N-1.
class NodeNames {
 public:
  NodeNames() = default;
  explicit NodeNames(std::span<const std::string> names);
  NodeNames(Array<std::int64_t> offsets, Array<char> characters);

  bool empty() const { return offsets_.size() <= 1; }
  std::int64_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  std::string_view operator[](std::int64_t i) const {
    return {characters_.data() + offsets_[i],
            static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }
  const Array<std::int64_t>& offsets() const { return offsets_; }
  const Array<char>& characters() const { return characters_; }

 private:
  Array<std::int64_t> offsets_;
  Array<char> characters_;
};

/// Node ids of each part, ascending, disjoint.
struct Split {
  std::string name;
  Array<std::int32_t> train;
  Array<std::int32_t> val;
  Array<std::int32_t> test;
};

struct Graph {
  std::string name;
  CsrMatrix adjacency;  ///< row u lists every v with u -> v; as stored, repeats and loops included
  bool directed = false;  ///< false: u -> v also means v -> u, whether or not it is stored
  Features features;
  Array<std::int32_t> labels;  ///< empty, or one per node; `unlabelled` where there is none
  std::vector<std::string> class_names;
  NodeNames names;
  std::vector<Split> splits;

  std::int64_t nodes() const { return adjacency.rows; }
  bool has_labels() const { return !labels.empty(); }
  /// The name of node i in the input, or its number.
  std::string node_name(std::int64_t i) const;
  /// Number of classes: the largest label + 1, or the class names' count where that is larger.
  std::int32_t classes() const;
};

/// Throws an input error naming `source` unless every array fits the others: offsets ascend,
/// columns are in range, features are finite and have N rows, labels are in range, names lie
/// inside their characters, splits are disjoint and in range. Of several faults in an array the
/// first is named, whatever the number of threads.
void validate(const Context& context, const Graph& graph, const std::string& source);
/// The same on one thread.
void validate(const Graph& graph, const std::string& source);

}  // namespace creg
