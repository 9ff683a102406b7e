#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/methods/entry.h"
#include "train/parameters.h"
#include "train/settings/check_encoder.h"

namespace creg {
namespace {

void check_batches(const TrainConfig& config) {
  const MethodEntry& method = method_of(config);
  if (method.steps == StepsBy::start_nodes) return;
  if (method.steps == StepsBy::whole_graph) {
    std::vector<std::string> able;
    for (const MethodEntry& other : shipped_methods()) {
      if (other.steps != StepsBy::whole_graph) able.push_back(other.name);
    }
    fail_input({.what = "this method needs the whole graph at once",
                .file = "batch_size",
                .found = config.method,
                .expected = "--method " + join_words(able, " or ") + ", or --batch-size 0"});
  }
  if (config.encoder.added || !runs_in_batches(config.encoder.kind)) {
    fail_input({.what = "this encoder needs the whole graph at once",
                .file = "batch_size",
                .found = encoder_name(config.encoder),
                .expected = "--encoder sage, which takes the mean over sampled neighbours, or "
                            "--batch-size 0"});
  }
  if (static_cast<int>(config.batch.fanouts.size()) != config.encoder.layers) {
    fail_input({.what = "not one fanout per layer",
                .file = "fanouts",
                .found = find_parameter("fanouts").get(config),
                .expected = std::to_string(config.encoder.layers) +
                            (config.encoder.layers == 1 ? " number" : " numbers") +
                            " joined by commas, or another --layers"});
  }
  if (config.encoder.channel_norm) {
    fail_input({.what = "channels are normalised over all nodes, which batches do not see together",
                .file = "channel_norm",
                .found = "true",
                .expected = "--no-channel-norm, or --batch-size 0"});
  }
}

/// What a method cannot be joined with, listing what it can.
void check_parts(const TrainConfig& config, const MethodEntry& method) {
  const std::vector<EncoderKind>& able = method.encoders;
  if (!able.empty() && std::find(able.begin(), able.end(), config.encoder.kind) == able.end()) {
    std::vector<std::string> names;
    for (const EncoderKind kind : able) names.push_back(name_of(kind));
    fail_input({.what = "this method does not train this encoder",
                .file = "encoder",
                .found = encoder_name(config.encoder) + " with " + method.name,
                .expected = "--encoder " + join_words(names, " or ")});
  }
  if (able.empty() && config.encoder.added) {
    fail_input({.what = "this method trains no encoder",
                .file = "encoder",
                .found = encoder_name(config.encoder) + " with " + method.name});
  }
  if (config.link_counts && !able.empty()) {
    fail_input({.what = "this method takes every edge once",
                .file = "link_counts",
                .found = "true with " + method.name,
                .expected = "--no-link-counts, or --method " +
                            join_words(find_parameter("link_counts").methods, " or ")});
  }
  if (config.regulariser.contrast && !method.regularised) {
    fail_input({.what = "Contrast-Reg cannot be added to this method: it has no encoder that could "
                        "see shuffled features",
                .file = "reg",
                .found = find_parameter("reg").get(config) + " with " + method.name,
                .expected = "--reg none or weight-decay"});
  }
}

/// What is set of another method's own parameters has no effect: somebody meant that method.
void check_own(const TrainConfig& config, const MethodEntry& method) {
  for (const MethodEntry& other : shipped_methods()) {
    if (other.name == method.name) continue;
    for (const OwnParameter& parameter : other.parameters) {
      const auto given = config.own.find(parameter.key);
      if (given == config.own.end() || given->second == parameter.initial) continue;
      const std::vector<OwnParameter>& own = method.parameters;
      if (std::any_of(own.begin(), own.end(),
                      [&](const OwnParameter& mine) { return mine.key == parameter.key; })) {
        continue;
      }
      fail_input({.what = "this method has no such parameter",
                  .file = parameter.key,
                  .found = given->second + " with " + method.name,
                  .expected = "--method " + other.name + ", or no " + parameter.key});
    }
  }
}

}  // namespace

void check_config(const TrainConfig& config) {
  const MethodEntry& method = method_of(config);
  check_parts(config, method);
  check_own(config, method);
  if (config.contrast.score == Score::bilinear && !method.pairs) {
    fail_input({.what = "this method contrasts no pairs, so there is nothing to score",
                .file = "score",
                .found = "bilinear with " + config.method,
                .expected = "--score dot, or a method of pairs"});
  }
  check_encoder(config.encoder);
  if (method.check) method.check(method_options(config));
  if (config.batch.size > 0) check_batches(config);
}

}  // namespace creg
