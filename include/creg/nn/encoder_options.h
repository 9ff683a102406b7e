// What an encoder is made of, in plain values.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "creg/core/named_enum.h"

namespace creg {

enum class EncoderKind {
  gcn,
  gat,
  gin,
  sage,
  table,      ///< a free vector per node: neither features nor edges
  dual,       ///< two GCNs, one by the adjacency and one by its diffusion, added
  multiplex,  ///< GCN over two layers of nodes: joined by edges, and by similar features
};
template <>
struct EnumNames<EncoderKind> {
  static constexpr std::array<std::string_view, 7> names = {"gcn",   "gat",  "gin",      "sage",
                                                            "table", "dual", "multiplex"};
};

/// Whether an encoder of this kind can gather from sampled neighbours.
constexpr bool runs_in_batches(EncoderKind kind) {
  return kind == EncoderKind::sage;
}

enum class ActivationKind {
  prelu,         ///< one slope per channel
  prelu_shared,  ///< one slope
  relu,
  elu,
  rrelu,  ///< random slopes while training, their mean afterwards
  none,
};
template <>
struct EnumNames<ActivationKind> {
  static constexpr std::array<std::string_view, 6> names = {"prelu", "prelu-shared", "relu",
                                                            "elu",   "rrelu",        "none"};
};

/// By which matrix a GCN layer gathers.
enum class Propagation {
  adjacency,          ///< D^-1/2 (A+I) D^-1/2
  directed_pagerank,  ///< the PageRank Laplacian of a directed graph, normalised again (DiGCL)
  diffusion,          ///< personalised PageRank (MVGRL)
};
template <>
struct EnumNames<Propagation> {
  static constexpr std::array<std::string_view, 3> names = {"adjacency", "directed-pagerank",
                                                            "diffusion"};
};

class Encoder;
class ParameterList;
struct EncoderOptions;

/// An encoder that a program brings along. It works on the whole graph, and gathers by what a GCN
/// gathers by.
struct AddedEncoder {
  std::string name;
  /// For so many columns of features. Its tensors are added to the list under "encoder.". None: it
  /// is known by its name alone, from a file of a run, and cannot be used.
  std::function<std::unique_ptr<Encoder>(const EncoderOptions& options, std::int64_t features,
                                         ParameterList& parameters)>
      make;
};

struct EncoderOptions {
  EncoderKind kind = EncoderKind::gcn;
  /// A program's own, in place of one of that kind, which is then gcn: of what follows it has a
  /// width and a matrix to gather by.
  std::shared_ptr<const AddedEncoder> added;
  double feature_scale = 1;  ///< features are multiplied by it before anything sees them
  std::int64_t dim = 512;    ///< width of the embedding
  std::int64_t hidden = 0;   ///< width of all layers but the last; 0: dim
  int layers = 1;
  ActivationKind activation = ActivationKind::prelu;  ///< after every layer
  bool last_activation = true;                        ///< after the last one too
  int heads = 4;                                      ///< of GAT; they share a layer's width
  double dropout = 0;            ///< of every layer's input while training, features included
  double attention_dropout = 0;  ///< of GAT's weights after the softmax, while training
  double gain = 1;               ///< weights start this many times as large
  /// GCN, GAT, GIN and SAGE: every channel is brought to mean 0 and variance 1/dim over the nodes
  /// before the bias and the activation, so that no embedding starts long.
  bool channel_norm = false;
  /// GCN, SAGE and GAT: every row is brought to mean 0 and variance 1 after the bias, with a
  /// learned scale and shift per channel, before the activation.
  bool layer_norm = false;
  Propagation propagation = Propagation::adjacency;  ///< of GCN
  double teleport = 0.1;  ///< of directed_pagerank and diffusion, that of a dual encoder included
  /// The diffusion keeps about as many entries as the graph has edges, its columns scaled to 0..1.
  bool sparse_diffusion = false;

  std::int64_t width(int layer) const { return layer + 1 == layers || hidden == 0 ? dim : hidden; }
  /// How many columns a layer takes in; the first those of the features.
  std::int64_t inputs(int layer, std::int64_t features) const {
    return layer == 0 ? features : width(layer - 1);
  }
  ActivationKind activation_after(int layer) const {
    return layer + 1 == layers && !last_activation ? ActivationKind::none : activation;
  }
};

/// What configurations and messages call the encoder.
inline std::string encoder_name(const EncoderOptions& options) {
  return options.added ? options.added->name : name_of(options.kind);
}

/// Whether this encoder can: normalised channels are a matter of all nodes.
inline bool runs_in_batches(const EncoderOptions& options) {
  return runs_in_batches(options.kind) && !options.channel_norm;
}

}  // namespace creg
