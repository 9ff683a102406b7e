// What one step of training computes of the encoder, each part once and only when somebody asks for
// it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/nn/encoder.h"

namespace creg {

class PartExchange;

/// A graph, a batch or a part of one, as the encoders and losses need it. The losses are means over
/// the first `nodes` of the `rows`; the others are neighbours of a batch's nodes, which the encoder
/// puts out too, or a part's halo, which comes from other ranks. A whole graph has none.
struct GraphInputs {
  /// Of a whole graph.
  GraphInputs(const Context& context, const Graph& graph, const EncoderOptions& encoder);
  /// Of parts made elsewhere (contrast/batch_inputs.h).
  explicit GraphInputs(FeatureMatrix made) : features(std::move(made)) {}

  bool batch = false;  ///< part of a graph
  std::int64_t nodes = 0;
  std::int64_t rows = 0;
  CsrTensors adjacency;      ///< [nodes, rows]: who is a neighbour of whom
  at::Tensor joined;         ///< int32, the nodes with a neighbour; undefined: every node has one
  FeatureMatrix features;    ///< of a graph without features [rows, 0]
  Hops hops;                 ///< to `rows` rows
  Hops node_hops;            ///< the same to the first `nodes` of them alone
  at::Tensor members;        ///< int32, of a batch: which nodes of the graph its `nodes` are
  at::Tensor seeds;          ///< int32, the nodes whose pairs this step takes; undefined: all
  at::Tensor labelled;       ///< int64, nodes whose labels a method may see; undefined: none
  at::Tensor labels;         ///< int64, theirs
  SparseMatrix propagation;  ///< [nodes, rows]: Â whatever the encoder gathers by; a batch's mean
  std::shared_ptr<PartExchange> part;  ///< of a part of a graph; else null
  at::Tensor numbers;  ///< int32, there: the number of each of the `rows` in the whole graph
};

/// Rows that pairs are made of, and where in them the negatives of each node are.
struct NegativeRows {
  at::Tensor rows;       ///< the embedding, with whatever comes from other ranks behind it
  at::Tensor negatives;  ///< int32 [nodes, count]
};

class EpochPass {
 public:
  struct Settings {
    std::uint64_t seed = 0;
    int epoch = 0;
    std::uint32_t step = 0;  ///< of the run, batches counted one by one: what random draws go by
    bool unit_rows = false;  ///< the l2norm regulariser: embeddings have length 1
    bool training = true;
  };

  EpochPass(const Context& context, const GraphInputs& inputs, const Encoder& encoder,
            const Settings& settings)
      : context_(context), inputs_(inputs), encoder_(encoder), settings_(settings) {}

  const Context& context() const { return context_; }
  const GraphInputs& inputs() const { return inputs_; }
  const Settings& settings() const { return settings_; }
  const Encoder& encoder() const { return encoder_; }

  /// What clean and corrupted passes start from.
  const Projected& projected();
  /// The features' rows in the order of the corrupted pass: int32.
  const at::Tensor& corruption();
  /// How pass number `pass` through the encoder differs from the plain one: 0 is the clean pass, 1
  /// the corrupted one, further ones are the method's. The order is left out.
  EncoderPass encoder_pass(std::uint64_t pass) const;

  /// The encoder's output before rows are brought to length 1: all `rows`.
  const at::Tensor& hidden();
  /// The embedding that losses see: all `rows`.
  const at::Tensor& embedding();
  /// The first `nodes` of them, over which losses are means.
  at::Tensor nodes();
  /// Their mean; of a part that of all nodes of the graph.
  at::Tensor mean_of_nodes();
  /// `count` random permutations of the nodes (draw_negatives), and the rows they lead to.
  NegativeRows negatives(int count);
  /// A mean over `count` items of these inputs (undefined or whatever where there are none) as it
  /// adds to the one of all: itself, but of a part its share of the mean over the items of all.
  at::Tensor share(const at::Tensor& mean, std::int64_t count) const;
  /// The embedding of those nodes when the features' rows are shuffled, once per step.
  const at::Tensor& corrupted();

  /// The embedding of another view of the same graph by the same encoder. `number` tells the passes
  /// of one step apart; those above are 0 and 1.
  at::Tensor encode(const FeatureMatrix& features, const Hops& hops, int number) const;

  /// Rows brought to length 1 where the settings say so.
  at::Tensor finished(const at::Tensor& rows) const;

 private:
  /// What the encoder puts out.
  const at::Tensor& own_hidden();

  const Context& context_;
  const GraphInputs& inputs_;
  const Encoder& encoder_;
  Settings settings_;
  Projected projected_;
  at::Tensor own_hidden_;  // of a part without its halo
  at::Tensor hidden_;
  at::Tensor embedding_;
  at::Tensor own_embedding_;  // of a part, where it was asked for before the halo's
  at::Tensor corruption_;
  at::Tensor corrupted_;
};

}  // namespace creg
