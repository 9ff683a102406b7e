#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/methods/catalogue.h"
#include "train/parameters.h"
#include "train/settings/check_encoder.h"
#include "train/settings/check_views.h"

namespace creg {
namespace {

void check_batches(const TrainConfig& config) {
  const MethodDescription& method = describe_method(config.method);
  if (method.steps == StepsBy::start_nodes) return;
  if (method.steps == StepsBy::whole_graph) {
    std::vector<std::string> able;
    for (const MethodDescription& other : method_catalogue()) {
      if (other.steps != StepsBy::whole_graph) able.push_back(other.name);
    }
    fail_input({.what = "this method needs the whole graph at once",
                .file = "batch_size",
                .found = config.method,
                .expected = "--method " + join_words(able, " or ") + ", or --batch-size 0"});
  }
  if (!runs_in_batches(config.encoder.kind)) {
    fail_input({.what = "this encoder needs the whole graph at once",
                .file = "batch_size",
                .found = name_of(config.encoder.kind),
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
  if (config.contrast.curriculum > 1) {
    fail_input({.what = "a curriculum ranks all nodes, which batches do not see together",
                .file = "curriculum",
                .found = std::to_string(config.contrast.curriculum),
                .expected = "--curriculum 0, or --batch-size 0"});
  }
}

/// What a method cannot be joined with, listing what it can.
void check_parts(const TrainConfig& config, const MethodDescription& method) {
  const std::vector<EncoderKind>& able = method.encoders;
  if (!able.empty() && std::find(able.begin(), able.end(), config.encoder.kind) == able.end()) {
    std::vector<std::string> names;
    for (const EncoderKind kind : able) names.push_back(name_of(kind));
    fail_input({.what = "this method does not train this encoder",
                .file = "encoder",
                .found = name_of(config.encoder.kind) + " with " + method.name,
                .expected = "--encoder " + join_words(names, " or ")});
  }
  if (config.link_counts && !able.empty()) {
    fail_input({.what = "this method takes every edge once",
                .file = "link_counts",
                .found = "true with " + method.name,
                .expected = "--no-link-counts, or --method agc"});
  }
  if (config.regulariser.contrast && !method.regularised) {
    fail_input({.what = "Contrast-Reg cannot be added to this method: it has no encoder that could "
                        "see shuffled features",
                .file = "reg",
                .found = find_parameter("reg").get(config) + " with " + method.name,
                .expected = "--reg none or weight-decay"});
  }
}

}  // namespace

void check_config(const TrainConfig& config) {
  const MethodDescription& method = describe_method(config.method);
  check_parts(config, method);
  if (config.contrast.curriculum > 0 && !method.curriculum) {
    std::vector<std::string> able;
    for (const MethodDescription& other : method_catalogue()) {
      if (other.curriculum) able.push_back(other.name);
    }
    fail_input({.what = "this method has no curriculum",
                .file = "curriculum",
                .found = config.method,
                .expected = "--method " + join_words(able, " or ")});
  }
  if (config.contrast.score == Score::bilinear && method.own_pairs.empty()) {
    fail_input({.what = "this method contrasts no pairs, so there is nothing to score",
                .file = "score",
                .found = "bilinear with " + config.method,
                .expected = "--score dot, or a method of pairs"});
  }
  if (config.contrast.curriculum > config.epochs) {
    fail_input({.what = "more rounds than epochs",
                .file = "curriculum",
                .found = std::to_string(config.contrast.curriculum),
                .expected = "at most " + std::to_string(config.epochs)});
  }
  check_encoder(config.encoder);
  check_views(config);
  if (config.batch.size > 0) check_batches(config);
}

}  // namespace creg
