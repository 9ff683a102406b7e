#include "bench/epoch.h"

#include <torch/types.h>

#include "bench/plain/plain_epoch.h"
#include "creg/core/error.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "train/training_step.h"

namespace creg {
namespace {

std::int64_t csr_bytes(const CsrTensors& matrix) {
  return 8 * (matrix.rows + 1) + (matrix.values.defined() ? 8 : 4) * matrix.nonzeros();
}

std::int64_t resident_bytes(const TrainingStep& step, const GraphInputs& inputs,
                            const EncoderOptions& encoder) {
  std::int64_t bytes =
      inputs.features.bytes() + inputs.propagation.bytes() + csr_bytes(inputs.adjacency);
  if (encoder.kind != EncoderKind::gcn) bytes += inputs.hops.of_layer(0).bytes();
  // Parameters and two moments.
  return bytes + 3 * 4 * step.model().parameters.count();
}

void require_finite(double loss, int epoch) {
  if (std::isfinite(loss)) return;
  fail_environment({.what = "the loss is not finite at epoch " + std::to_string(epoch),
                    .hint = "times of such epochs mean nothing: lower --lr"});
}

}  // namespace

EpochBench bench_epoch(const Context& context, const Graph& graph, const TrainConfig& config,
                       const MeasureOptions& options, bool compare_plain) {
  check_config(config);
  if (config.batch.size > 0) {
    fail_input({.what = "this benchmark's epochs train on the whole graph at once",
                .file = "batch_size",
                .found = std::to_string(config.batch.size),
                .expected = "--batch-size 0; creg bench sample times the drawing of batches"});
  }
  if (compare_plain) check_plain_epoch(config);
  install_tensor_memory();
  prepare_torch(context);
  const Graph prepared = with_prepared_features(context, graph, config);
  TrainingStep step(context, prepared, config);
  const GraphInputs inputs(context, prepared, config.encoder);
  std::unique_ptr<PlainEpoch> plain;
  if (compare_plain) {
    plain = std::make_unique<PlainEpoch>(context, prepared, config, step.model().parameters.all());
  }

  EpochBench out;
  std::vector<Contestant> contestants = {
      {[&](int epoch) {
         const double loss =
             on_host(step.run(inputs, epoch, static_cast<std::uint32_t>(epoch))).loss;
         require_finite(loss, epoch);
         if (epoch == 0) out.first_loss = loss;
       },
       resident_bytes(step, inputs, config.encoder)}};
  if (compare_plain) {
    contestants.push_back({[&](int epoch) {
                             const double loss = plain->run(epoch);
                             require_finite(loss, epoch);
                             if (epoch == 0) out.plain_first_loss = loss;
                           },
                           plain->resident_bytes(), options.plain_memory});
  }
  std::vector<Measurement> measured =
      measure(context, config.method + " epochs", options, contestants);
  out.ours = std::move(measured[0]);
  if (compare_plain) out.plain = std::move(measured[1]);
  return out;
}

}  // namespace creg
