// A stand-in for ML-GCN, whose code is not published: gcn-neg's loss on a multiplex of the graph
// and a graph of similar features.
#include "creg/methods/entry.h"

namespace creg::methods {

MethodEntry gcn_neg();

MethodEntry ml_gcn_standin() {
  MethodEntry entry = gcn_neg();
  entry.name = "ml-gcn-standin";
  entry.about = "as gcn-neg, on the graph and a graph of similar features together";
  entry.encoders = {EncoderKind::multiplex};
  entry.memory = {};
  entry.not_in_parts = {};
  return entry;
}

}  // namespace creg::methods
