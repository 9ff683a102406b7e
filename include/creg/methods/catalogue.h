// The one explicit list of methods, in plain words and values.
#pragma once

#include <string>
#include <vector>

#include "creg/nn/encoder_options.h"

namespace creg {

/// What a step of training sees where it does not see everything.
enum class StepsBy {
  whole_graph,     ///< there is one step an epoch
  neighbourhoods,  ///< pairs can be made within a batch of nodes with sampled neighbourhoods
  start_nodes,     ///< the graph is whole, but the pairs start from a batch of nodes
};

struct MethodDescription {
  std::string name;
  std::string summary;
  bool curriculum = false;  ///< knows how to start with the clearest nodes
  bool positives = false;   ///< lets one choose where positives come from
  StepsBy steps = StepsBy::whole_graph;
  bool corrupts = false;  ///< it encodes shuffled features too, as Contrast-Reg does
  bool views = false;     ///< it contrasts two views of the whole graph
  /// The name of its pairs' PairSource (calibration/pair_sample.h); empty: no pairs of nodes.
  std::string own_pairs;
  bool labels = false;  ///< learns from the labels of the training nodes
  /// The encoders it can train; none: it trains nothing.
  std::vector<EncoderKind> encoders{EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin,
                                    EncoderKind::sage};
  bool regularised = true;  ///< Contrast-Reg can be added to its loss
};

const std::vector<MethodDescription>& method_catalogue();

/// An unknown name is an input error that lists the known ones.
const MethodDescription& describe_method(const std::string& name);

}  // namespace creg
