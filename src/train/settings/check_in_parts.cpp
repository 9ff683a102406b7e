#include <string>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/methods/entry.h"
#include "train/parameters.h"
#include "train/part_traffic.h"

namespace creg {
namespace {

[[noreturn]] void refuse(const std::string& why, const std::string& key, const TrainConfig& config,
                         const std::string& expected) {
  fail_input({.what = why + ", which ranks with a part of the graph each cannot do",
              .file = find_parameter(key).flag(),
              .found = key == "method" ? config.method : find_parameter(key).get(config),
              .expected = expected});
}

void check_method_in_parts(const TrainConfig& config, bool directed) {
  const MethodEntry& method = method_of(config);
  const std::string why = method.not_in_parts
                              ? method.not_in_parts(method_options(config), directed)
                              : "looks at more of the graph than a node and its neighbours";
  if (why.empty()) return;
  std::vector<std::string> able;
  for (const MethodEntry& other : shipped_methods()) {
    if (other.not_in_parts) able.push_back(other.name);
  }
  refuse(config.method + " " + why, "method", config,
         "--method " + join_words(able, " or ") + ", or one process");
}

void check_encoder_in_parts(const TrainConfig& config) {
  const EncoderOptions& encoder = config.encoder;
  constexpr const char* graph_encoders = "--encoder gcn or gat or gin or sage";
  const bool known = encoder.kind == EncoderKind::gcn || encoder.kind == EncoderKind::gat ||
                     encoder.kind == EncoderKind::gin || encoder.kind == EncoderKind::sage;
  if (encoder.added || !known) {
    refuse("this encoder sees more than the edges of a node", "encoder", config, graph_encoders);
  }
  if (encoder.propagation != Propagation::adjacency) {
    refuse("the encoder gathers by a matrix of the whole graph", "propagation", config,
           "--propagation adjacency");
  }
  if (encoder.channel_norm) {
    refuse("channels are normalised over all nodes", "channel_norm", config, "--no-channel-norm");
  }
  if (encoder.attention_dropout > 0) {
    refuse("weights of attention are dropped by the numbers of all edges", "attention_dropout",
           config, "--attention-dropout 0");
  }
}

}  // namespace

void check_in_parts(const Device& device, const TrainConfig& config, bool directed) {
  check_method_in_parts(config, directed);
  check_encoder_in_parts(config);
  if (config.batch.size > 0) {
    fail_input({.what = "a graph in parts is trained on as a whole",
                .file = "--batch-size",
                .found = std::to_string(config.batch.size),
                .expected = "--batch-size 0, or the whole graph instead of its parts"});
  }
  if (config.smooth > 0) {
    refuse("embeddings are smoothed by all edges", "smooth", config, "--smooth 0");
  }
  if (device.type != DeviceType::cpu) {
    fail_input({.what = "a graph in parts is trained on by CPUs",
                .file = "--device",
                .found = device.name(),
                .expected = "--device cpu"});
  }
}

}  // namespace creg
