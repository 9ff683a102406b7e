#include "bench/select.h"

#include <torch/types.h>

#include "bench/plain/plain_similarity.h"
#include "ops/device.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "train/training_step.h"

namespace creg {
namespace {

at::Tensor fresh_embedding(const Context& context, const Graph& graph,
                           const EncoderOptions& options) {
  const at::NoGradGuard no_grad;
  const Graph prepared = with_prepared_features(context, graph, {});
  ParameterList parameters(context.seed(), device_of(context));
  const std::unique_ptr<Encoder> encoder =
      make_encoder(options, feature_cols(prepared.features), parameters, prepared.nodes());
  const GraphInputs inputs(context, prepared, options);
  EpochPass pass(context, inputs, *encoder, {.seed = context.seed(), .training = false});
  return pass.hidden();
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace

SelectBench bench_select(const Context& context, const Graph& graph, const EncoderOptions& encoder,
                         std::int64_t k, const MeasureOptions& options, bool compare_plain) {
  install_tensor_memory();
  prepare_torch(context);
  if (compare_plain) require_plain_similarity_memory(graph.nodes());
  const at::Tensor h = fresh_embedding(context, graph, encoder);
  const auto bytes = static_cast<std::int64_t>(h.nbytes());
  const SimilarityRequest request{.k = k, .entropies = true};

  SimilarityResult ours;
  SimilarityResult plain;
  std::vector<Contestant> contestants = {{[&](int /*round*/) {
                                            ours = {};
                                            ours = similarity_pass(context, h, request);
                                          },
                                          bytes}};
  if (compare_plain) {
    contestants.push_back({[&](int /*round*/) {
                             plain = {};
                             plain = plain_similarity(h, k, true);
                           },
                           bytes, options.plain_memory});
  }
  std::vector<Measurement> measured = measure(context, "similarities", options, contestants);
  SelectBench out;
  out.ours = std::move(measured[0]);
  if (compare_plain) {
    out.plain = std::move(measured[1]);
    out.entropy_difference = largest_difference(ours.entropies, plain.entropies);
    if (k > 0) out.value_difference = largest_difference(ours.values, plain.values);
  }
  // Blocks as large as an N x N matrix must not wait for a tensor that never comes.
  release_kept_tensor_memory();
  return out;
}

}  // namespace creg
