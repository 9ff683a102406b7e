// DiGCL's Laplacians of a directed graph, for one teleport probability after the other.
#pragma once

#include <memory>

#include "creg/core/context.h"
#include "creg/ops/sparse_matrix.h"

namespace creg {

/// Made once, of the adjacency on the Context's device.
class LaplacianSource {
 public:
  LaplacianSource() = default;
  LaplacianSource(const LaplacianSource&) = delete;
  LaplacianSource& operator=(const LaplacianSource&) = delete;
  virtual ~LaplacianSource() = default;
  /// pagerank_laplacian (graph/normalise.h): symmetric, with an entry on its diagonal for every
  /// node. On a GPU an alpha of -1 or less is no error; in a recorded step it is StepNumbers::own
  /// of the step.
  virtual CsrTensors at(const Context& context, double alpha) const = 0;
};
std::unique_ptr<LaplacianSource> make_laplacian_source(const Context& context,
                                                       const CsrTensors& adjacency);

}  // namespace creg
