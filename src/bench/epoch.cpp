#include "bench/epoch.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <limits>

#include "bench/plain/plain_epoch.h"
#include "creg/core/error.h"
#include "ops/kept_best.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "train/epoch_steps.h"
#include "train/loaded_encoder.h"
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

/// Epochs of training, looked at as `train` looks at them.
class TrainedEpochs {
 public:
  TrainedEpochs(const Context& context, const Graph& prepared, const TrainConfig& config)
      : step_(context, prepared, config), inputs_(context, prepared, config.encoder) {
    const std::vector<NamedTensor>& all = step_.model().parameters.all();
    for (std::size_t list = 0; list < lists_.size(); ++list) {
      for (const NamedTensor& one : list == 0 ? all : copies(all)) {
        lists_[list].push_back(one.value.detach());
      }
    }
  }

  const TrainingStep& step() const { return step_; }
  std::int64_t resident_bytes(const EncoderOptions& encoder) const {
    return creg::resident_bytes(step_, inputs_, encoder);
  }

  /// The losses of epochs first, first + 1, …; with several the host sees them together.
  std::vector<double> run(int first, int epochs) {
    if (epochs == 1) {
      return {on_host(step_.run(inputs_, first, static_cast<std::uint32_t>(first))).loss};
    }
    if (!kept_) {
      kept_.emplace(
          lists_[0], lists_[1], lists_[2], step_.halt(),
          KeptBest::Options{.lowest = std::numeric_limits<double>::infinity(), .most = epochs});
    }
    for (int epoch = first; epoch < first + epochs; ++epoch) {
      kept_->judge(step_.run(inputs_, epoch, static_cast<std::uint32_t>(epoch)).values);
    }
    const at::Tensor seen = kept_->look();
    std::vector<double> losses;
    for (std::int64_t i = 0; i < seen.size(0); ++i) losses.push_back(seen[i][0].item<double>());
    return losses;
  }

 private:
  TrainingStep step_;
  GraphInputs inputs_;
  std::array<std::vector<at::Tensor>, 3> lists_;  // parameters, and two copies
  std::optional<KeptBest> kept_;
};

/// Steps of batches, each drawn while the one before is computed. What lies on a card before the
/// first counts as its memory; on the CPU only what steps make does.
EpochBench bench_batches(const Context& context, const Graph& graph, const TrainConfig& config,
                         const MeasureOptions& options) {
  TrainingStep step(context, graph, config);
  EpochSteps steps(context, graph, config, step.model());
  EpochBench out;
  const auto run = [&](int round) {
    const auto epoch = static_cast<int>(round / steps.per_epoch());
    const std::int64_t batch = round % steps.per_epoch();
    if (batch == 0) steps.start(epoch, 0);
    const double loss = on_host(step.run(steps.next(), epoch, steps.draw(epoch, batch))).loss;
    require_finite(loss, epoch);
    if (round == 0) out.first_loss = loss;
  };
  std::vector<Measurement> measured = measure(context, config.method + " batches", options,
                                              {{run, device_memory(context).live_bytes}});
  out.ours = std::move(measured[0]);
  return out;
}

}  // namespace

int epochs_per_round(const Device& device, int epochs, const MeasureOptions& options) {
  constexpr int most = 10;
  if (device.type == DeviceType::cpu) return 1;
  return std::clamp(epochs / (options.warm_up + options.repetitions), 1, most);
}

EpochBench bench_epoch(const Context& context, const Graph& graph, const TrainConfig& config,
                       const MeasureOptions& options, bool compare_plain) {
  check_config(config);
  if (config.batch.size > 0 && compare_plain) {
    fail_input({.what = "the plain formulation trains on the whole graph at once",
                .file = "batch_size",
                .found = std::to_string(config.batch.size),
                .expected = "--batch-size 0, or no --compare plain"});
  }
  if (compare_plain) check_plain_epoch(config);
  install_tensor_memory();
  prepare_torch(context);
  const Graph prepared = with_prepared_features(context, graph, config);
  if (config.batch.size > 0) return bench_batches(context, prepared, config, options);
  TrainedEpochs trained(context, prepared, config);
  const Model& model = trained.step().model();
  std::unique_ptr<PlainEpoch> plain;
  if (compare_plain) {
    plain = std::make_unique<PlainEpoch>(context, prepared, config, model.parameters.all());
  }

  EpochBench out;
  out.per_round = model.method->steps_change_state()
                      ? 1
                      : epochs_per_round(context.device(), config.epochs, options);
  std::vector<Contestant> contestants = {{[&](int round) {
                                            int epoch = round * out.per_round;
                                            for (const double loss :
                                                 trained.run(epoch, out.per_round)) {
                                              require_finite(loss, epoch);
                                              if (epoch++ == 0) out.first_loss = loss;
                                            }
                                          },
                                          trained.resident_bytes(config.encoder)}};
  if (compare_plain) {
    contestants.push_back({[&](int round) {
                             const int first = round * out.per_round;
                             for (int epoch = first; epoch < first + out.per_round; ++epoch) {
                               const double loss = plain->run(epoch);
                               require_finite(loss, epoch);
                               if (epoch == 0) out.plain_first_loss = loss;
                             }
                           },
                           plain->resident_bytes(), options.plain_memory});
  }
  std::vector<Measurement> measured =
      measure(context, config.method + " epochs", options, contestants);
  out.ours = per_piece(std::move(measured[0]), out.per_round);
  if (compare_plain) out.plain = per_piece(std::move(measured[1]), out.per_round);
  return out;
}

}  // namespace creg
