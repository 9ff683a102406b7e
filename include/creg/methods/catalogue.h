// The one explicit list of methods, in plain words and values.
#pragma once

#include <string>
#include <vector>

namespace creg {

struct MethodDescription {
  std::string name;
  std::string summary;
  bool curriculum = false;  ///< knows how to start with the clearest nodes
  bool positives = false;   ///< lets one choose where positives come from
  bool batches = false;     ///< its pairs can be made within a batch of nodes
  bool corrupts = false;    ///< it encodes shuffled features too, as Contrast-Reg does
  /// The name of its pairs' PairSource (calibration/pair_sample.h); empty: no pairs of nodes.
  std::string own_pairs;
};

const std::vector<MethodDescription>& method_catalogue();

/// An unknown name is an input error that lists the known ones.
const MethodDescription& describe_method(const std::string& name);

}  // namespace creg
