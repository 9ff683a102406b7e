#include "train/settings/check_encoder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {
namespace {

/// Refuses what only `kinds` of encoders have.
void only_of(const EncoderOptions& encoder, bool wanted, const std::string& key,
             const std::string& what, const std::vector<EncoderKind>& kinds) {
  if (!wanted || std::find(kinds.begin(), kinds.end(), encoder.kind) != kinds.end()) return;
  std::vector<std::string> names;
  for (const EncoderKind kind : kinds) names.push_back(name_of(kind));
  fail_input({.what = "this encoder has no " + what,
              .file = key,
              .found = name_of(encoder.kind),
              .expected = "--encoder " + join_words(names, " or ")});
}

}  // namespace

void check_encoder(const EncoderOptions& encoder) {
  using enum EncoderKind;
  only_of(encoder, encoder.channel_norm, "channel_norm", "normalisation of channels",
          {gcn, gat, gin, sage});
  only_of(encoder, encoder.layer_norm, "layer_norm", "normalisation of rows", {gcn, sage, gat});
  only_of(encoder, encoder.dropout > 0, "dropout", "inputs to drop",
          {gcn, gat, gin, sage, dual, multiplex});
  only_of(encoder, encoder.attention_dropout > 0, "attention_dropout", "attention", {gat});
  only_of(encoder, encoder.gain != 1, "gain", "gain", {gcn, gat, sage, dual, multiplex});
  only_of(encoder, encoder.propagation != Propagation::adjacency, "propagation",
          "other matrix to gather by", {gcn});
  only_of(encoder, encoder.layers > 1, "layers", "second layer", {gcn, gat, gin, sage, multiplex});
  if (encoder.sparse_diffusion && encoder.kind != dual &&
      encoder.propagation != Propagation::diffusion) {
    fail_input({.what = "nothing here gathers by a diffusion",
                .file = "sparse_diffusion",
                .found = name_of(encoder.kind),
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
