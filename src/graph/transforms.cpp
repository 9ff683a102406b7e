#include "graph/transforms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "graph/components.h"
#include "graph/rows/csr_rows.h"
#include "graph/rows/merge.h"

namespace creg {
namespace {

// Walks two ascending rows as one; both(column, entry of a or -1, entry of b or -1).
template <class Visit>
void walk_union(const CsrMatrix& a, const CsrMatrix& b, std::int64_t r, Visit visit) {
  std::int64_t i = a.offsets[r];
  std::int64_t j = b.offsets[r];
  const std::int64_t i_end = a.offsets[r + 1];
  const std::int64_t j_end = b.offsets[r + 1];
  while (i < i_end || j < j_end) {
    const bool from_a = i < i_end && (j >= j_end || a.columns[i] <= b.columns[j]);
    const bool from_b = j < j_end && (i >= i_end || b.columns[j] <= a.columns[i]);
    visit(from_a ? a.columns[i] : b.columns[j], from_a ? i : -1, from_b ? j : -1);
    i += from_a ? 1 : 0;
    j += from_b ? 1 : 0;
  }
}

CsrMatrix symmetrised(const Context& context, CsrMatrix input) {
  CsrMatrix a = detail::merge_repeats(context, input, detail::Repeats::count_once);
  input = {};
  const CsrMatrix b = transpose(context, a);
  Buffer<std::int64_t> offsets = detail::offsets_of(context, a.rows, [&](std::int64_t r) {
    std::int64_t count = 0;
    walk_union(a, b, r, [&](std::int32_t, std::int64_t, std::int64_t) { ++count; });
    return count;
  });
  const bool weighted = !a.values.empty();
  if (!weighted && offsets[a.rows] == a.nonzeros()) return a;
  return detail::fill_rows(
      context, a.cols, std::move(offsets), weighted, [&](std::int64_t r, auto put) {
        walk_union(a, b, r, [&](std::int32_t column, std::int64_t i, std::int64_t j) {
          float weight = 1;
          if (weighted && j < 0) weight = a.values[i];
          if (weighted && i < 0) weight = b.values[j];
          if (weighted && i >= 0 && j >= 0) weight = std::max(a.values[i], b.values[j]);
          put(column, weight);
        });
      });
}

CsrMatrix with_transpose(const Context& context, const CsrMatrix& input) {
  const CsrMatrix a = detail::merge_repeats(context, input, detail::Repeats::sum);
  const CsrMatrix b = transpose(context, a);
  Buffer<std::int64_t> offsets = detail::offsets_of(context, a.rows, [&](std::int64_t r) {
    std::int64_t count = 0;
    walk_union(a, b, r, [&](std::int32_t, std::int64_t, std::int64_t) { ++count; });
    return count;
  });
  return detail::fill_rows(
      context, a.cols, std::move(offsets), true, [&](std::int64_t r, auto put) {
        walk_union(a, b, r, [&](std::int32_t column, std::int64_t i, std::int64_t j) {
          put(column, (i < 0 ? 0 : a.value(i)) + (j < 0 ? 0 : b.value(j)));
        });
      });
}

bool is_identity(std::span<const std::int32_t> nodes, std::int64_t count) {
  if (static_cast<std::int64_t>(nodes.size()) != count) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    if (nodes[static_cast<std::size_t>(i)] != i) return false;
  }
  return true;
}

// The new number of every old node, -1 for those that go.
std::vector<std::int32_t> new_numbers(const Graph& graph, std::span<const std::int32_t> nodes) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(graph.nodes()), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t node = nodes[i];
    if (node < 0 || node >= graph.nodes()) {
      fail_input({.what = "node id out of range",
                  .file = graph.name,
                  .place = "subgraph node " + std::to_string(i),
                  .found = std::to_string(node),
                  .expected = "0 to " + std::to_string(graph.nodes() - 1)});
    }
    std::int32_t& number = numbers[static_cast<std::size_t>(node)];
    if (number >= 0) {
      fail_input({.what = "a node is listed twice",
                  .file = graph.name,
                  .place = "subgraph node " + std::to_string(i),
                  .found = "node " + std::to_string(node),
                  .expected = "each node once"});
    }
    number = static_cast<std::int32_t>(i);
  }
  return numbers;
}

CsrMatrix take_rows(const Context& context, const CsrMatrix& matrix,
                    std::span<const std::int32_t> nodes) {
  Buffer<std::int64_t> offsets =
      detail::offsets_of(context, static_cast<std::int64_t>(nodes.size()), [&](std::int64_t r) {
        return static_cast<std::int64_t>(matrix.row(nodes[static_cast<std::size_t>(r)]).size());
      });
  return detail::fill_rows(context, matrix.cols, std::move(offsets), !matrix.values.empty(),
                           [&](std::int64_t r, auto put) {
                             const std::int32_t node = nodes[static_cast<std::size_t>(r)];
                             for (std::int64_t e = matrix.offsets[node];
                                  e < matrix.offsets[node + 1]; ++e) {
                               put(matrix.columns[e], matrix.value(e));
                             }
                           });
}

DenseMatrix take_rows(const Context& context, const DenseMatrix& matrix,
                      std::span<const std::int32_t> nodes) {
  const auto rows = static_cast<std::int64_t>(nodes.size());
  Buffer<float> values(rows * matrix.cols);
  detail::for_rows(context, rows, [&](std::int64_t r) {
    const std::span<const float> row = matrix.row(nodes[static_cast<std::size_t>(r)]);
    std::copy(row.begin(), row.end(), values.data() + r * matrix.cols);
  });
  return {.rows = rows, .cols = matrix.cols, .values = std::move(values)};
}

CsrMatrix take_square(const Context& context, const CsrMatrix& matrix,
                      std::span<const std::int32_t> nodes,
                      const std::vector<std::int32_t>& numbers) {
  const auto number_of = [&](std::int64_t e) {
    return numbers[static_cast<std::size_t>(matrix.columns[e])];
  };
  const auto count = static_cast<std::int64_t>(nodes.size());
  Buffer<std::int64_t> offsets = detail::offsets_of(context, count, [&](std::int64_t r) {
    const std::int32_t node = nodes[static_cast<std::size_t>(r)];
    std::int64_t kept = 0;
    for (std::int64_t e = matrix.offsets[node]; e < matrix.offsets[node + 1]; ++e) {
      kept += number_of(e) >= 0 ? 1 : 0;
    }
    return kept;
  });
  return sort_rows(context,
                   detail::fill_rows(context, count, std::move(offsets), !matrix.values.empty(),
                                     [&](std::int64_t r, auto put) {
                                       const std::int32_t node = nodes[static_cast<std::size_t>(r)];
                                       for (std::int64_t e = matrix.offsets[node];
                                            e < matrix.offsets[node + 1]; ++e) {
                                         if (number_of(e) >= 0) put(number_of(e), matrix.value(e));
                                       }
                                     }));
}

Array<std::int32_t> renumbered(const Array<std::int32_t>& part,
                               const std::vector<std::int32_t>& numbers) {
  std::vector<std::int32_t> kept;
  for (const std::int32_t node : part) {
    const std::int32_t number = numbers[static_cast<std::size_t>(node)];
    if (number >= 0) kept.push_back(number);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

Graph symmetrise(const Context& context, Graph graph) {
  graph.adjacency = symmetrised(context, std::exchange(graph.adjacency, {}));
  graph.directed = false;
  return graph;
}

Graph sum_directions(const Context& context, Graph graph) {
  graph.adjacency = with_transpose(context, graph.adjacency);
  graph.directed = false;
  return graph;
}

Graph remove_duplicates(const Context& context, Graph graph) {
  graph.adjacency = detail::merge_repeats(context, graph.adjacency, detail::Repeats::count_once);
  return graph;
}

Graph remove_self_loops(const Context& context, Graph graph) {
  const CsrMatrix a = sort_rows(context, graph.adjacency);
  Buffer<std::int64_t> offsets = detail::offsets_of(context, a.rows, [&](std::int64_t r) {
    const std::span<const std::int32_t> row = a.row(r);
    return static_cast<std::int64_t>(row.size()) -
           std::count(row.begin(), row.end(), static_cast<std::int32_t>(r));
  });
  const bool none = offsets[a.rows] == a.nonzeros();
  graph.adjacency =
      none ? a
           : detail::fill_rows(context, a.cols, std::move(offsets), !a.values.empty(),
                               [&](std::int64_t r, auto put) {
                                 for (std::int64_t e = a.offsets[r]; e < a.offsets[r + 1]; ++e) {
                                   if (a.columns[e] != r) put(a.columns[e], a.value(e));
                                 }
                               });
  return graph;
}

Graph add_self_loops(const Context& context, Graph graph) {
  const CsrMatrix a = sort_rows(context, graph.adjacency);
  const auto has_loop = [&](std::int64_t r) {
    const std::span<const std::int32_t> row = a.row(r);
    return std::binary_search(row.begin(), row.end(), static_cast<std::int32_t>(r));
  };
  Buffer<std::int64_t> offsets = detail::offsets_of(context, a.rows, [&](std::int64_t r) {
    return static_cast<std::int64_t>(a.row(r).size()) + (has_loop(r) ? 0 : 1);
  });
  graph.adjacency = detail::fill_rows(
      context, a.cols, std::move(offsets), !a.values.empty(), [&](std::int64_t r, auto put) {
        bool missing = !has_loop(r);
        for (std::int64_t e = a.offsets[r]; e < a.offsets[r + 1]; ++e) {
          if (missing && a.columns[e] > r) {
            put(static_cast<std::int32_t>(r), 1);
            missing = false;
          }
          put(a.columns[e], a.value(e));
        }
        if (missing) put(static_cast<std::int32_t>(r), 1);
      });
  return graph;
}

Features feature_rows_of(const Context& context, const Features& features,
                         std::span<const std::int32_t> nodes) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&features)) {
    return take_rows(context, *sparse, nodes);
  }
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) {
    return take_rows(context, *dense, nodes);
  }
  return {};
}

Graph induced_subgraph(const Context& context, const Graph& graph,
                       std::span<const std::int32_t> nodes) {
  const std::vector<std::int32_t> numbers = new_numbers(graph, nodes);
  if (is_identity(nodes, graph.nodes())) return graph;
  Graph result;
  result.name = graph.name;
  result.directed = graph.directed;
  result.class_names = graph.class_names;
  result.adjacency = take_square(context, graph.adjacency, nodes, numbers);
  result.features = feature_rows_of(context, graph.features, nodes);
  std::vector<std::string> names;
  std::vector<std::int32_t> labels;
  for (const std::int32_t node : nodes) {
    names.push_back(graph.node_name(node));
    if (graph.has_labels()) labels.push_back(graph.labels[node]);
  }
  result.names = NodeNames(names);
  result.labels = std::move(labels);
  for (const Split& split : graph.splits) {
    result.splits.push_back({.name = split.name,
                             .train = renumbered(split.train, numbers),
                             .val = renumbered(split.val, numbers),
                             .test = renumbered(split.test, numbers)});
  }
  return result;
}

Graph largest_component(const Context& context, Graph graph) {
  const Components components = connected_components(context, graph.adjacency);
  const std::int32_t largest = components.largest();
  if (components.count() <= 1) return graph;
  std::vector<std::int32_t> nodes;
  nodes.reserve(static_cast<std::size_t>(components.sizes[static_cast<std::size_t>(largest)]));
  for (std::int32_t i = 0; i < graph.nodes(); ++i) {
    if (components.of_node[i] == largest) nodes.push_back(i);
  }
  return induced_subgraph(context, graph, nodes);
}

Graph simple_graph(const Context& context, Graph graph) {
  graph = remove_self_loops(context, remove_duplicates(context, std::move(graph)));
  return graph.directed ? graph : symmetrise(context, std::move(graph));
}

namespace {

using Transform = Graph (*)(const Context&, Graph);

struct NamedTransform {
  const char* name;
  Transform apply;
};

constexpr std::array transforms = {
    NamedTransform{"symmetrise", &symmetrise},
    NamedTransform{"remove-duplicates", &remove_duplicates},
    NamedTransform{"remove-self-loops", &remove_self_loops},
    NamedTransform{"add-self-loops", &add_self_loops},
    NamedTransform{"largest-component", &largest_component},
    NamedTransform{"row-normalise",
                   [](const Context& context, Graph graph) {
                     return row_normalise_features(context, std::move(graph));
                   }},
    NamedTransform{"row-normalise-plain",
                   [](const Context& context, Graph graph) {
                     return row_normalise_features(context, std::move(graph), RowSum::plain);
                   }},
    NamedTransform{"column-max", &column_max_scale},
    NamedTransform{"binarise", &binarise},
    NamedTransform{"standardise", &standardise},
};

}  // namespace

const std::vector<std::string>& transform_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const NamedTransform& transform : transforms) list.emplace_back(transform.name);
    return list;
  }();
  return names;
}

Graph apply_transforms(const Context& context, Graph graph, std::span<const std::string> names) {
  // All names are looked up first: a mistake costs no work.
  std::vector<Transform> chosen;
  for (const std::string& name : names) {
    const auto* found =
        std::find_if(transforms.begin(), transforms.end(),
                     [&](const NamedTransform& transform) { return name == transform.name; });
    if (found == transforms.end()) {
      fail_input({.what = "no such transform",
                  .found = in_quotes(name),
                  .hint = suggestion(name, transform_names())});
    }
    chosen.push_back(found->apply);
  }
  for (const Transform& transform : chosen) graph = transform(context, std::move(graph));
  return graph;
}

}  // namespace creg
