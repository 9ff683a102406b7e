#include <algorithm>

#include "creg/train/config.h"

namespace creg {

const MethodEntry& method_of(const TrainConfig& config) {
  if (config.added && config.added->name == config.method) return *config.added;
  return find_method(config.method);
}

MethodOptions method_options(const TrainConfig& config, const Graph* graph) {
  const MethodEntry& method = method_of(config);
  OwnSettings own(method.parameters);
  for (const OwnParameter& parameter : method.parameters) {
    const auto given = config.own.find(parameter.key);
    if (given != config.own.end()) own.set(parameter.key, given->second);
  }
  MethodOptions options{.contrast = config.contrast,
                        .views = config.views,
                        .clusters = config.clusters,
                        .encoder = config.encoder,
                        .own = std::move(own),
                        .contrast_reg = config.regulariser.contrast,
                        .dim = config.encoder.dim,
                        .epochs = config.epochs,
                        .batch_size = config.batch.size};
  if (graph == nullptr) return options;
  options.features = feature_cols(graph->features);
  options.nodes = graph->nodes();
  options.classes = graph->classes();
  return options;
}

}  // namespace creg
