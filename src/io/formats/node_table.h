// Features and labels of nodes: rows keyed by id (CSV, TSV or blanks, plain or gzip), or arrays.
//
// A feature row is an id and its numbers; a label row is an id and a label. Separators, comments
// and quotes are those of edge lists. The first row is a header when the options say so, or, when
// they leave it open, when
//   * features: its first field is empty or, in any case, among id, node, node_id, nodeid, name,
//     index, key, or none of its other fields is a number, or these are 0, 1, 2, … while its first
//     field is no integer and the next row's is;
//   * labels: its first field is one of those names, or its second is, in any case, among label,
//     labels, class, category, group, target, y, or its first field is no number while the next
//     row's is an integer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "io/file.h"
#include "io/text/node_index.h"
#include "io/text/table_text.h"

namespace creg {

/// Adds the ids of all rows to `index` in file order and returns their numbers, a row per id. An id
/// that the index already has is listed twice: an error.
DenseMatrix read_keyed_features(const Context& context, const Bytes& bytes,
                                const TableOptions& options, NodeIndex& index);

/// A matrix (.npy), the only matrix of an .npz or the one named `features`, or a SciPy sparse
/// matrix (.npz): row i is node i.
Features read_array_features(const Context& context, const Bytes& bytes);

/// True for bytes that read_array_features or read_array_labels takes, by their first bytes.
bool is_array_file(const Bytes& bytes);

struct NodeLabels {
  Array<std::int32_t> labels;            ///< one per node; `unlabelled` where there is none
  std::vector<std::string> class_names;  ///< empty when they are "0", "1", …
};

/// Labels of the nodes of `index`, in its order: other ids are added to it or, with `known_only`,
/// are errors or dropped, as the options say. Nodes without a row, and rows with an empty label,
/// are unlabelled. Classes are numbered in sorted order of the labels: by value when all are
/// numbers.
NodeLabels read_keyed_labels(const Context& context, const Bytes& bytes,
                             const TableOptions& options, NodeIndex& index, bool known_only);

/// The same where ids are row numbers 0..nodes-1.
NodeLabels read_numbered_labels(const Context& context, const Bytes& bytes,
                                const TableOptions& options, std::int64_t nodes);

/// An .npy vector of class ids (-1: unlabelled), of names, or a one-hot matrix; the entry `labels`
/// or the only one of an .npz.
NodeLabels read_array_labels(const Bytes& bytes);

}  // namespace creg
