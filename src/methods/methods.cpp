// The list: a method is added with one line in each of the two functions.
#include "methods/methods.h"

#include "creg/core/error.h"
#include "creg/core/text.h"
#include "creg/methods/catalogue.h"

namespace creg {

const std::vector<MethodDescription>& method_catalogue() {
  static const std::vector<MethodDescription> methods = {
      {.name = "ml",
       .summary = "a node with its own representation one propagation deeper (multi-level)",
       .steps = StepsBy::neighbourhoods,
       .own_pairs = "propagation"},
      {.name = "lc",
       .summary = "a node with its most similar neighbours (local clustering)",
       .curriculum = true,
       .positives = true,
       .steps = StepsBy::neighbourhoods,
       .own_pairs = "neighbours"},
      {.name = "dgi",
       .summary = "a node with a summary of the graph, against shuffled features",
       .steps = StepsBy::neighbourhoods,
       .corrupts = true},
      {.name = "gcn-neg",
       .summary = "a node with all its neighbours, against random non-edges",
       .own_pairs = "edges"},
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
  if (name == "gcn-neg") return make_gcn_neg(options, parameters);
  describe_method(name);
  throw Bug("a method of the catalogue without a factory: " + name);
}

}  // namespace creg
