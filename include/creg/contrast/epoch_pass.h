// What one epoch computes of the encoder, each part once and only when somebody asks for it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/nn/encoder.h"

namespace creg {

/// A graph as the encoders and losses need it.
struct GraphInputs {
  GraphInputs(const Context& context, const Graph& graph, Aggregation aggregation);

  std::int64_t nodes = 0;
  CsrMatrix adjacency;
  FeatureMatrix features;
  Hops hops;
  SparseMatrix propagation;  ///< Â, whatever the encoder gathers by
};

class EpochPass {
 public:
  struct Settings {
    std::uint64_t seed = 0;
    std::uint32_t epoch = 0;
    bool unit_rows = false;  ///< the l2norm regulariser: embeddings have length 1
    bool training = true;
  };

  EpochPass(const Context& context, const GraphInputs& inputs, const Encoder& encoder,
            const Settings& settings)
      : context_(context), inputs_(inputs), encoder_(encoder), settings_(settings) {}

  const Context& context() const { return context_; }
  const GraphInputs& inputs() const { return inputs_; }
  const Settings& settings() const { return settings_; }

  /// The encoder's output before rows are brought to length 1.
  const at::Tensor& hidden();
  /// The embedding that losses see.
  const at::Tensor& embedding();
  /// The embedding of the graph with its features' rows shuffled among the nodes.
  at::Tensor corrupted();

  /// Rows brought to length 1 where the settings say so.
  at::Tensor finished(const at::Tensor& rows) const;

 private:
  const at::Tensor& projected();

  const Context& context_;
  const GraphInputs& inputs_;
  const Encoder& encoder_;
  Settings settings_;
  at::Tensor projected_;
  at::Tensor hidden_;
  at::Tensor embedding_;
};

}  // namespace creg
