// What the checkpoint of a run is good for after it: embeddings of other graphs, its regulariser
// and its configuration.
#include <torch/types.h>

#include "core/text.h"
#include "creg/contrast/epoch_pass.h"
#include "creg/core/error.h"
#include "creg/train/trainer.h"
#include "ops/runtime.h"
#include "ops/tensors.h"
#include "train/checkpoint.h"
#include "train/loaded_encoder.h"
#include "train/loop/graph_identity.h"
#include "train/made_features.h"
#include "train/model_output.h"

namespace creg {

void check_trained_on(const Context& context, const Graph& graph,
                      const std::filesystem::path& checkpoint) {
  const std::string difference =
      differences(read_checkpoint(checkpoint).graph, edges_identity(context, graph));
  if (difference.empty()) return;
  fail_input({.what = "the encoder was trained on other edges than these",
              .file = checkpoint.string(),
              .found = difference,
              .expected = "the edges of " + in_quotes(graph.name) + " as they are given here"});
}

std::optional<KeptRegulariser> kept_regulariser(const std::filesystem::path& checkpoint) {
  const Checkpoint kept = read_checkpoint(checkpoint);
  for (const NamedTensor& parameter : kept.best_model) {
    if (parameter.name == "regulariser.weight") {
      const std::int64_t dim = config_of(kept).encoder.dim;
      if (parameter.value.sizes() != at::IntArrayRef({dim, dim})) {
        fail_input({.what = "the checkpoint does not fit its own configuration",
                    .file = checkpoint.string(),
                    .place = parameter.name,
                    .found = counted(parameter.value.numel(), "value"),
                    .expected = std::to_string(dim) + " x " + std::to_string(dim)});
      }
      return KeptRegulariser{as_dense(parameter.value.detach()), config_of(kept)};
    }
  }
  return std::nullopt;
}

TrainConfig checkpoint_config(const std::filesystem::path& checkpoint) {
  return config_of(read_checkpoint(checkpoint));
}

DenseMatrix embed(const Context& context, const Graph& graph,
                  const std::filesystem::path& checkpoint,
                  const std::shared_ptr<const AddedEncoder>& added) {
  return embed(context, graph, read_checkpoint(checkpoint), checkpoint.string(), added);
}

DenseMatrix embed(const Context& context, const Graph& graph, const Checkpoint& checkpoint,
                  const std::string& name, const std::shared_ptr<const AddedEncoder>& added) {
  prepare_torch(context);
  const Graph prepared = with_kept_features(context, graph, checkpoint, name);
  const LoadedEncoder loaded = load_encoder(context, checkpoint, name, prepared, added);
  const TrainConfig& config = loaded.config;
  const auto output = [&](const GraphInputs* inputs) {
    return output_of(context, prepared, inputs, *loaded.encoder, nullptr, config, {}).embedding;
  };
  if (config.batch.size > 0 && runs_in_batches(config.encoder)) return output(nullptr);
  const GraphInputs inputs(context, prepared, config.encoder);
  return output(&inputs);
}

}  // namespace creg
