#include "train/settings/check_encoder.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "train/encoder_parameters.h"

namespace creg {
namespace {

/// What only some kinds of encoders have.
const std::map<std::string, std::vector<EncoderKind>, std::less<>>& kinds_with() {
  using enum EncoderKind;
  static const std::map<std::string, std::vector<EncoderKind>, std::less<>> kinds = {
      {"activation", {gcn, gat, gin, sage, dual, multiplex}},
      {"attention_dropout", {gat}},
      {"channel_norm", {gcn, gat, gin, sage}},
      {"dropout", {gcn, gat, gin, sage, dual, multiplex}},
      {"gain", {gcn, gat, sage, dual, multiplex}},
      {"heads", {gat}},
      {"hidden", {gcn, gat, gin, sage, multiplex}},
      {"last_activation", {gcn, gat, gin, sage, dual, multiplex}},
      {"layer_norm", {gcn, sage, gat}},
      {"layers", {gcn, gat, gin, sage, multiplex}},
      {"propagation", {gcn}}};
  return kinds;
}

/// Refuses what only some kinds of encoders have.
void only_of(const EncoderOptions& encoder, bool wanted, const std::string& key,
             const std::string& what) {
  const std::vector<EncoderKind>& kinds = kinds_with().at(key);
  if (!wanted || std::ranges::find(kinds, encoder.kind) != kinds.end()) return;
  std::vector<std::string> names;
  for (const EncoderKind kind : kinds) names.push_back(name_of(kind));
  fail_input({.what = "this encoder has no " + what,
              .file = key,
              .found = encoder_name(encoder),
              .expected = "--encoder " + join_words(names, " or ")});
}

}  // namespace

bool looks_at(const EncoderOptions& encoder, std::string_view key) {
  const bool diffusion =
      encoder.kind == EncoderKind::dual || encoder.propagation == Propagation::diffusion;
  if (key == "teleport") return diffusion || encoder.propagation != Propagation::adjacency;
  if (key == "sparse_diffusion") return diffusion;
  const auto found = kinds_with().find(key);
  if (found == kinds_with().end()) return true;
  if (encoder.added) return key == "propagation";
  return std::ranges::find(found->second, encoder.kind) != found->second.end();
}

void check_encoder(const EncoderOptions& encoder) {
  using enum EncoderKind;
  only_of(encoder, encoder.channel_norm, "channel_norm", "normalisation of channels");
  only_of(encoder, encoder.layer_norm, "layer_norm", "normalisation of rows");
  only_of(encoder, encoder.dropout > 0, "dropout", "inputs to drop");
  only_of(encoder, encoder.attention_dropout > 0, "attention_dropout", "attention");
  only_of(encoder, encoder.gain != 1, "gain", "gain");
  only_of(encoder, encoder.propagation != Propagation::adjacency, "propagation",
          "other matrix to gather by");
  only_of(encoder, encoder.layers > 1, "layers", "second layer");
  if (encoder.sparse_diffusion && encoder.kind != dual &&
      encoder.propagation != Propagation::diffusion) {
    fail_input({.what = "nothing here gathers by a diffusion",
                .file = "sparse_diffusion",
                .found = encoder_name(encoder),
                .expected = "--propagation diffusion, or --encoder dual"});
  }
  if (encoder.channel_norm && encoder.layer_norm) {
    fail_input({.what = "two normalisations of one sum",
                .file = "layer_norm",
                .found = "with channel_norm",
                .expected = "one of them"});
  }
  if (encoder.kind != gat) return;
  for (const int layer : {0, encoder.layers - 1}) {
    const bool last = layer == encoder.layers - 1;
    if (encoder.width(layer) % encoder.heads != 0) {
      fail_input({.what = "the heads do not divide the width",
                  .file = "heads",
                  .found = std::to_string(encoder.heads),
                  .expected = "a divisor of " + std::string(last ? "dim" : "hidden") +
                              ", which is " + std::to_string(encoder.width(layer))});
    }
  }
}

}  // namespace creg
