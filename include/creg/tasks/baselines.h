// What learns nothing, to stand beside an embedding: the same classifier on the features as they
// are, and on features smoothed along the edges.
#pragma once

#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/tasks/classify.h"

namespace creg {

struct Baseline {
  std::string rows;  ///< "X", "ÂX" or "Â²X"
  ClassifyResult result;
};

/// X, ÂX and Â²X with Â of the graph (gcn_normalised), by the protocol, the splits and the
/// classifier of `classify` with these options; `smooth` is for embeddings alone. Two dense
/// matrices of the features' size are in memory at a time: more than there is is an environment
/// error. A graph without features is an input error.
std::vector<Baseline> classify_baselines(const Context& context, const Graph& graph,
                                         const ClassifyOptions& options = {});

}  // namespace creg
