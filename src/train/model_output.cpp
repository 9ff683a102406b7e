#include "train/model_output.h"

#include <torch/types.h>

#include "ops/tensors.h"
#include "train/layerwise.h"
#include "train/memory_estimate.h"

namespace creg {

ModelOutput output_of(const Context& context, const Graph& graph, const GraphInputs* inputs,
                      const Encoder& encoder, Method* method, const TrainConfig& config,
                      const std::filesystem::path& scratch, Communicator* world) {
  if (inputs == nullptr) {
    return {.embedding = embed_layerwise(context, graph, encoder,
                                         {.encoder = config.encoder,
                                          .unit_rows = config.regulariser.l2norm,
                                          .memory = available_memory() / 4,
                                          .scratch = scratch,
                                          .world = world})};
  }
  const at::NoGradGuard no_grad;
  EpochPass pass(
      context, *inputs, encoder,
      {.seed = context.seed(), .unit_rows = config.regulariser.l2norm, .training = false});
  ModelOutput output{.embedding = as_dense(pass.nodes())};
  if (method == nullptr) return output;
  const at::Tensor scores = method->class_scores(pass);
  if (scores.defined()) output.class_scores = as_dense(scores);
  return output;
}

}  // namespace creg
