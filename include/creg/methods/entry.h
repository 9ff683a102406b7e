// What is known of a method without running it: its name, what it goes with, its parameters, its
// checks, its memory, and how it is made. Each method writes its entry at the end of its own file;
// methods.cpp lists them. A program may write one too and put it into TrainConfig::added.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "creg/contrast/options.h"
#include "creg/core/context.h"
#include "creg/core/named_enum.h"
#include "creg/graph/graph.h"
#include "creg/graph/graph_size.h"
#include "creg/nn/encoder_options.h"

namespace creg {

// Parameters that one method alone has. They are written in the method's file, and appear as flags,
// as keys of recipes and in docs/parameters.md like all others.

struct OwnParameter {
  std::string key;      ///< in TOML; the flag is the same with '-' for '_'
  std::string initial;  ///< its default, as text
  std::string values;   ///< what may be written: "0..1", "degree|pagerank"
  std::string help;
  bool truth = false;  ///< true or false: a flag without a value
  bool whole = false;  ///< a whole number
  /// The text of a value in its shortest form; a wrong one is an input error that names the key,
  /// the value and the range.
  std::function<std::string(const std::string&)> read;
};

OwnParameter own_integer(const std::string& key, std::int64_t initial, std::int64_t low,
                         std::int64_t high, const std::string& help);
OwnParameter own_real(const std::string& key, double initial, double low, double high,
                      const std::string& help);
OwnParameter own_truth(const std::string& key, bool initial, const std::string& help);
OwnParameter own_choice(const std::string& key, const std::string& initial,
                        const std::vector<std::string>& names, const std::string& help);
/// One of the names of an enum (creg/core/named_enum.h).
template <class E>
OwnParameter own_choice(const std::string& key, E initial, const std::string& help) {
  return own_choice(key, name_of(initial), names_of<E>(), help);
}

/// The values of a method's own parameters, by key. A key that it does not have is a Bug.
class OwnSettings {
 public:
  OwnSettings() = default;
  /// Every parameter at its default.
  explicit OwnSettings(std::span<const OwnParameter> parameters);

  /// As OwnParameter::read returned it.
  void set(std::string_view key, std::string text);

  const std::string& text(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;
  bool truth(std::string_view key) const { return text(key) == "true"; }
  template <class E>
  E choice(std::string_view key) const {
    return from_name<E>(text(key)).value();
  }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

class Method;
class ParameterList;

/// What a step of training sees where it does not see everything.
enum class StepsBy {
  whole_graph,     ///< there is one step an epoch
  neighbourhoods,  ///< pairs can be made within a batch of nodes with sampled neighbourhoods
  start_nodes,     ///< the graph is whole, but the pairs start from a batch of nodes
};

/// What a method is made by. Sizes are 0 where no graph is known yet.
struct MethodOptions {
  ContrastOptions contrast;
  ViewOptions views;
  std::int64_t clusters = 0;  ///< 0: as many as there are classes
  EncoderOptions encoder;
  OwnSettings own;            ///< of its own parameters
  bool contrast_reg = false;  ///< Contrast-Reg is added to its loss
  std::int64_t dim = 0;
  int epochs = 0;                ///< the most there will be: rounds are shares of it
  std::int64_t batch_size = 0;   ///< 0: the whole graph at once
  std::int64_t first_width = 0;  ///< Encoder::first_width()
  std::int64_t features = 0;     ///< columns
  std::int64_t nodes = 0;
  std::int64_t classes = 0;  ///< 0 without labels
};

struct MemoryPart {
  std::string name;
  std::int64_t bytes = 0;
};

/// What a method keeps beside the encoder, whose clean pass is counted already, as is a corrupted
/// one of a method that `corrupts` or with Contrast-Reg.
struct MethodMemory {
  std::int64_t parameters = 0;   ///< trained numbers of its own
  int passes = 0;                ///< further passes through the encoder, kept for their way back
  int views = 0;                 ///< of them those with edges and features of their own
  double numbers_per_node = 0;   ///< alive while gradients are on their way
  std::vector<MemoryPart> more;  ///< whatever else
};

/// The pairs of nodes that a method's loss contrasts, for those who measure their calibration.
struct OwnPairs {
  std::string source;  ///< the name of a PairSource (calibration/pair_sample.h)
  std::int64_t k = 5;
};

/// Of a method that trains nothing.
struct ComputedEmbedding {
  DenseMatrix embedding;
  int rounds = 0;  ///< that were computed
  int chosen = 0;  ///< the one whose embedding it is, from 0
};

/// GCN, GAT, GIN and SAGE.
std::vector<EncoderKind> graph_encoders();
/// These, the dual one and the multiplex: for losses that look at nothing but embeddings.
std::vector<EncoderKind> all_graph_encoders();

struct MethodEntry {
  std::string name;
  std::string about;  ///< "a node with its most similar neighbours (local clustering)"
  /// The encoders it can train; none: it trains nothing.
  std::vector<EncoderKind> encoders = graph_encoders();
  bool regularised = true;  ///< Contrast-Reg can be added to its loss
  StepsBy steps = StepsBy::whole_graph;
  bool corrupts = false;                 ///< it encodes shuffled features too, as Contrast-Reg does
  bool labels = false;                   ///< learns from the labels of the training nodes
  std::vector<std::string> uses;         ///< keys of the shared parameters that it looks at
  std::vector<OwnParameter> parameters;  ///< those that it alone has
  /// What its own parameters are in batches, where nobody asks for something else.
  std::map<std::string, std::string> in_batches;
  /// An input error for options that make no sense together, listing what works.
  std::function<void(const MethodOptions&)> check;
  std::function<MethodMemory(const MethodOptions&)> memory;
  /// Nothing: it contrasts no pairs of nodes.
  std::function<OwnPairs(const MethodOptions&)> pairs;
  /// Its own trained tensors are added to the list.
  std::function<std::unique_ptr<Method>(const MethodOptions&, ParameterList&)> make;
  /// Instead of `make`, for one that trains nothing; `storage` is the memory it takes.
  std::function<ComputedEmbedding(const Context&, const Graph&, const MethodOptions&)> compute;
  std::function<std::vector<MemoryPart>(const GraphSize&)> storage;
  /// Why several processes that have a part of the graph each cannot compute its loss: what the
  /// method does, or nothing where they can. Without it they cannot.
  std::function<std::string(const MethodOptions&, bool directed)> not_in_parts;
};

/// MethodEntry::not_in_parts of a method whose loss needs nothing that a part lacks.
inline std::string in_parts(const MethodOptions& /*options*/, bool /*directed*/) {
  return {};
}

/// The methods of this library, in the order of help texts.
const std::vector<MethodEntry>& shipped_methods();

/// One of them by name; an unknown name is an input error that lists the known ones.
const MethodEntry& find_method(const std::string& name);

}  // namespace creg
