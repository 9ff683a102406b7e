// The list of methods, in the order of help texts. METHOD(x) is the function methods::x of x.cpp,
// which returns the method's entry; the build takes its sources from these lines.
#include <algorithm>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/methods/entry.h"

#define CREG_METHODS     \
  METHOD(ml)             \
  METHOD(lc)             \
  METHOD(dgi)            \
  METHOD(ggd)            \
  METHOD(gmi)            \
  METHOD(mvgrl)          \
  METHOD(gdcl)           \
  METHOD(bgrl)           \
  METHOD(cca_ssg)        \
  METHOD(gcn_neg)        \
  METHOD(ml_gcn_standin) \
  METHOD(gcn_supervised) \
  METHOD(graphmae)       \
  METHOD(grace)          \
  METHOD(gca)            \
  METHOD(digcl)          \
  METHOD(node2vec)       \
  METHOD(agc)

namespace creg {

#define METHOD(name) MethodEntry name();
namespace methods {
CREG_METHODS
}
#undef METHOD

std::vector<EncoderKind> graph_encoders() {
  return {EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin, EncoderKind::sage};
}

std::vector<EncoderKind> all_graph_encoders() {
  std::vector<EncoderKind> kinds = graph_encoders();
  kinds.insert(kinds.end(), {EncoderKind::dual, EncoderKind::multiplex});
  return kinds;
}

const std::vector<MethodEntry>& shipped_methods() {
#define METHOD(name) methods::name(),
  static const std::vector<MethodEntry> entries = {CREG_METHODS};
#undef METHOD
  return entries;
}

const MethodEntry& find_method(const std::string& name) {
  std::vector<std::string> names;
  for (const MethodEntry& method : shipped_methods()) {
    if (method.name == name) return method;
    names.push_back(method.name);
  }
  fail_input({.what = "unknown method",
              .file = "method",
              .found = in_quotes(name),
              .expected = join_words(names, " or "),
              .hint = nearest_names(name, names).empty() ? "" : suggestion(name, names)});
}

}  // namespace creg
