#include "train/loaded_encoder.h"

#include <torch/types.h>

#include "core/text.h"
#include "creg/core/error.h"
#include "ops/device.h"
#include "train/parameters.h"

namespace creg {

std::vector<NamedTensor> copies(const std::vector<NamedTensor>& tensors) {
  std::vector<NamedTensor> out;
  for (const NamedTensor& tensor : tensors) {
    out.push_back({tensor.name, tensor.value.detach().clone()});
  }
  return out;
}

void put_values(const std::vector<NamedTensor>& parameters, const std::vector<NamedTensor>& values,
                const std::string& file) {
  const at::NoGradGuard no_grad;
  for (const NamedTensor& parameter : parameters) {
    const NamedTensor* found = nullptr;
    for (const NamedTensor& value : values) {
      if (value.name == parameter.name) found = &value;
    }
    if (found == nullptr || found->value.sizes() != parameter.value.sizes()) {
      fail_input(
          {.what = "the checkpoint does not fit the model",
           .file = file,
           .place = parameter.name,
           .expected = "a tensor of " + std::to_string(parameter.value.numel()) + " values"});
    }
    parameter.value.detach().copy_(found->value);
  }
}

TrainConfig config_of(const Checkpoint& kept) {
  TrainConfig config;
  for (const auto& [key, value] : kept.config) {
    if (key != "seed") find_parameter(key).set(config, value);
  }
  return config;
}

LoadedEncoder load_encoder(const Context& context, const Checkpoint& kept, const std::string& file,
                           const Graph& graph) {
  const std::int64_t width = feature_cols(graph.features);
  for (const auto& [key, value] : kept.graph) {
    if (key == "feature_width" && value != std::to_string(width)) {
      fail_input({.what = "the graph's features do not fit the encoder",
                  .file = graph.name,
                  .found = with_commas(width) + " features",
                  .expected = value + ", as in " + file});
    }
  }
  LoadedEncoder out;
  out.config = config_of(kept);
  out.parameters = ParameterList(0, device_of(context));
  out.encoder = make_encoder(out.config.encoder, width, out.parameters, graph.nodes());
  put_values(out.parameters.all(), kept.best_model, file);
  return out;
}

}  // namespace creg
