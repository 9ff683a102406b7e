// The list: a method is added with one line in each of the two functions.
#include "methods/methods.h"

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/methods/catalogue.h"

namespace creg {

const std::vector<MethodDescription>& method_catalogue() {
  // Losses that look at nothing but embeddings go with all.
  static const std::vector<EncoderKind> all_of_graphs = {EncoderKind::gcn,  EncoderKind::gat,
                                                         EncoderKind::gin,  EncoderKind::sage,
                                                         EncoderKind::dual, EncoderKind::multiplex};
  static const std::vector<MethodDescription> methods = {
      {.name = "ml",
       .summary = "a node with its own representation one propagation deeper (multi-level)",
       .steps = StepsBy::neighbourhoods,
       .own_pairs = "propagation",
       .encoders = all_of_graphs},
      {.name = "lc",
       .summary = "a node with its most similar neighbours (local clustering)",
       .curriculum = true,
       .positives = true,
       .steps = StepsBy::neighbourhoods,
       .own_pairs = "neighbours",
       .encoders = all_of_graphs},
      {.name = "dgi",
       .summary = "a node with a summary of the graph, against shuffled features",
       .steps = StepsBy::neighbourhoods,
       .corrupts = true,
       .encoders = all_of_graphs},
      {.name = "gmi",
       .summary = "a node with its features, its neighbours' features and its edges"},
      {.name = "mvgrl",
       .summary = "a node with a summary of the graph's diffusion, and the other way round",
       .corrupts = true,
       .encoders = {EncoderKind::dual}},
      {.name = "gdcl",
       .summary = "a node with those of its cluster, after a start as mvgrl",
       .corrupts = true,
       .encoders = {EncoderKind::dual}},
      {.name = "bgrl",
       .summary = "a node in one view with a slow copy's node in the other",
       .views = true},
      {.name = "gcn-neg",
       .summary = "a node with all its neighbours, against random non-edges",
       .own_pairs = "edges",
       .encoders = all_of_graphs},
      {.name = "ml-gcn-standin",
       .summary = "as gcn-neg, on the graph and a graph of similar features together",
       .own_pairs = "edges",
       .encoders = {EncoderKind::multiplex}},
      {.name = "gcn-supervised",
       .summary = "the classes of the training nodes: the supervised baseline",
       .labels = true},
      {.name = "graphmae",
       .summary = "the features of masked nodes, from what is left (masked autoencoder)"},
      {.name = "grace",
       .summary = "a node in two views with edges and features dropped at random",
       .views = true},
      {.name = "gca",
       .summary = "the same, what matters little dropped more often (adaptive views)",
       .views = true},
      {.name = "digcl",
       .summary = "a node of a directed graph in views by two teleport probabilities",
       .views = true,
       .encoders = {EncoderKind::gcn}},
      {.name = "node2vec",
       .summary = "a node with those that follow it on random walks, against random nodes",
       .steps = StepsBy::start_nodes,
       .encoders = {EncoderKind::table},
       .regularised = false},
      {.name = "agc",
       .summary = "features smoothed until clusters grow no tighter; nothing is trained",
       .encoders = {},
       .regularised = false},
  };
  return methods;
}

const MethodDescription& describe_method(const std::string& name) {
  std::vector<std::string> names;
  for (const MethodDescription& method : method_catalogue()) {
    if (method.name == name) return method;
    names.push_back(method.name);
  }
  fail_input({.what = "unknown method",
              .file = "method",
              .found = in_quotes(name),
              .expected = join_words(names, " or ")});
}

std::unique_ptr<Method> make_method(const std::string& name, const MethodOptions& options,
                                    ParameterList& parameters) {
  if (name == "ml") return make_ml(options, parameters);
  if (name == "lc") return make_lc(options, parameters);
  if (name == "dgi") return make_dgi(options, parameters);
  if (name == "gmi") return make_gmi(options, parameters);
  if (name == "mvgrl") return make_mvgrl(options, parameters);
  if (name == "gdcl") return make_gdcl(options, parameters);
  if (name == "bgrl") return make_bgrl(options, parameters);
  if (name == "gcn-neg" || name == "ml-gcn-standin") return make_gcn_neg(options, parameters);
  if (name == "gcn-supervised") return make_gcn_supervised(options, parameters);
  if (name == "graphmae") return make_graphmae(options, parameters);
  if (name == "grace") return make_grace(options, parameters);
  if (name == "gca") return make_gca(options, parameters);
  if (name == "digcl") return make_digcl(options, parameters);
  if (name == "node2vec") return make_node2vec(options, parameters);
  describe_method(name);
  throw Bug("a method of the catalogue without a factory: " + name);
}

}  // namespace creg
