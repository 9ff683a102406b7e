// What every task asks of an embedding, and of a split, before the embedding is judged.
#pragma once

#include <string>
#include <string_view>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/tasks/classify.h"

namespace creg::tasks {

/// The graph as messages name it.
std::string subject(const Graph& graph);

/// Input errors for a graph without labels, which `task` needs, for an embedding that has not one
/// row per node, and for numbers that are not finite.
void check_embedding(const Graph& graph, const DenseMatrix& embedding, std::string_view task);

/// The same without a word about labels.
void check_rows(const Graph& graph, const DenseMatrix& embedding);

/// Input errors for a split that does not fit the graph, holds nodes without a label, or has no
/// train or no test nodes.
void check_split(const Graph& graph, const Split& split);

/// Rows of length 1; a row of zeros stays as it is.
DenseMatrix unit_rows(const Context& context, const DenseMatrix& matrix);

/// Normalize::spread. Rows that are all equal become zeros.
DenseMatrix spread_rows(const Context& context, const DenseMatrix& matrix);

/// What a task looks at: H + Â^n H for n = `smooth` > 0 with Â of the graph, then normalised. A
/// negative n is an input error.
DenseMatrix judged_rows(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                        int smooth, Normalize normalize);

}  // namespace creg::tasks
