// Edge lists: one edge per row, plain or gzip.
//
// Columns 1 and 2 are the ids, column 3 is the weight where the first row has a number there;
// further columns are passed over, but every row must have as many as the first.
//
// The separator is that of the first data row: a tab, else a comma, else a semicolon, else blanks.
//
// The first row is a header when the options say so, or, when they leave it open, when
//   * neither of its first two fields is a plain integer while both of the next row's are, or
//   * its first two fields are both, in any case, among: source, target, src, dst, dest, from, to,
//     u, v, i, j, head, tail, start, end, node1, node2, node_1, node_2, id1, id2, id_1, id_2,
//     source_id, target_id, src_id, dst_id, sourceid, targetid, from_id, to_id, fromnodeid,
//     tonodeid.
//
// Ids are integers when every id of the file is digits without a leading zero; else all are names,
// compared byte by byte. Unquoted, a negative number and nan, NaN or NAN are errors. So are an
// empty id, a weight that is negative or not finite, and a row with another number of columns.
#pragma once

#include <cstdint>

#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/io/dataset.h"
#include "io/file.h"
#include "io/text/node_index.h"
#include "io/text/text_fields.h"

namespace creg {

/// The rows in file order, repeats and loops included.
struct EdgeList {
  std::int64_t nodes = 0;
  Array<std::int32_t> sources;
  Array<std::int32_t> targets;
  Array<float> weights;  ///< empty when the file has none, or nothing but 1
  NodeNames names;       ///< empty when the ids are 0..nodes-1

  std::int64_t edges() const { return sources.size(); }
};

/// The nodes are the ids that occur: integers sorted by value, names in order of first appearance.
EdgeList read_edge_list(const Context& context, const Bytes& bytes,
                        const EdgeListOptions& options = {});

/// Ids are row numbers 0..nodes-1; any other is an error.
EdgeList read_numbered_edges(const Context& context, const Bytes& bytes,
                             const EdgeListOptions& options, std::int64_t nodes);

/// Ids are names of `index`, to which new ones are added. Node numbers are those of the index;
/// `names` stays empty.
EdgeList read_named_edges(const Context& context, const Bytes& bytes,
                          const EdgeListOptions& options, NodeIndex& index);

/// The same with an index of all nodes: other ids are an error that counts them and names the first
/// three, or their edges are left out.
EdgeList read_known_edges(const Context& context, const Bytes& bytes,
                          const EdgeListOptions& options, NodeIndex& index, UnknownIds unknown);

/// Node numbers become ranks[number].
EdgeList renumber(const Context& context, EdgeList list, std::span<const std::int32_t> ranks);

/// Row u lists every v with u -> v.
CsrMatrix edges_to_csr(const Context& context, const EdgeList& list);

}  // namespace creg
