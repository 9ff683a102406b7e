#include "train/loaded_encoder.h"

#include <torch/types.h>

#include <algorithm>

#include "core/text.h"
#include "creg/core/error.h"
#include "ops/device.h"
#include "train/parameters.h"
#include "train/settings/check_encoder.h"

namespace creg {
namespace {

/// "16 x 3 of Float".
std::string sizes_text(const at::Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.sizes()) {
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  }
  return (text.empty() ? "one value" : text) + " of " + c10::toString(tensor.scalar_type());
}

}  // namespace

std::vector<NamedTensor> copies(const std::vector<NamedTensor>& tensors) {
  std::vector<NamedTensor> out;
  for (const NamedTensor& tensor : tensors) {
    out.push_back({tensor.name, tensor.value.detach().clone()});
  }
  return out;
}

std::vector<NamedTensor> fitting(const std::vector<NamedTensor>& parameters,
                                 const std::vector<NamedTensor>& values, const Kept& kept) {
  const auto fail = [&](const std::string& name, const std::string& found,
                        const std::string& expected) {
    fail_input({.what = "the checkpoint does not fit the model",
                .file = kept.file,
                .place = kept.section + "." + in_quotes(name),
                .found = found,
                .expected = expected});
  };
  const auto find = [](const std::vector<NamedTensor>& among, const std::string& name) {
    return std::find_if(among.begin(), among.end(),
                        [&](const NamedTensor& one) { return one.name == name; });
  };
  std::vector<NamedTensor> out;
  for (const NamedTensor& parameter : parameters) {
    const auto found = find(values, parameter.name);
    const std::string wanted = "a tensor of " + sizes_text(parameter.value);
    if (found == values.end()) {
      fail(parameter.name, "nothing", wanted);
    } else if (found->value.sizes() != parameter.value.sizes() ||
               found->value.scalar_type() != parameter.value.scalar_type()) {
      fail(parameter.name, sizes_text(found->value), wanted);
    }
    out.push_back(*found);
  }
  if (!kept.all) return out;
  for (const NamedTensor& value : values) {
    if (find(parameters, value.name) == parameters.end()) {
      fail(value.name, "a tensor of this name", "none");
    }
  }
  return out;
}

void put_values(const std::vector<NamedTensor>& parameters,
                const std::vector<NamedTensor>& values) {
  const at::NoGradGuard no_grad;
  invariant(parameters.size() == values.size(), "a value for every parameter");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    invariant(parameters[i].name == values[i].name, "values in the order of the parameters");
    parameters[i].value.detach().copy_(values[i].value);
  }
}

TrainConfig config_of(const Checkpoint& kept) {
  TrainConfig config;
  for (const auto& [key, value] : kept.config) {
    if (key == "method") {
      set_kept_method(config, value);
    } else if (key == "encoder") {
      set_kept_encoder(config, value);
    } else if (key != "seed") {
      find_parameter(key).set(config, value);
    }
  }
  return config;
}

LoadedEncoder load_encoder(const Context& context, const Checkpoint& kept, const std::string& file,
                           const Graph& graph, const std::shared_ptr<const AddedEncoder>& added) {
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
  take_added(out.config, added);
  check_encoder(out.config.encoder);
  // Shapes first: a configuration of a million columns is refused before it takes memory.
  ParameterList shapes(0, c10::kMeta);
  make_encoder(out.config.encoder, width, shapes, graph.nodes());
  const std::vector<NamedTensor> values =
      fitting(shapes.all(), kept.best_model, {.file = file, .section = "best_model", .all = false});
  out.parameters = ParameterList(0, device_of(context));
  out.encoder = make_encoder(out.config.encoder, width, out.parameters, graph.nodes());
  put_values(out.parameters.all(), values);
  return out;
}

}  // namespace creg
