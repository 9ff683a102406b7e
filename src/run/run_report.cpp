#include "run/run_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/build_info.h"
#include "core/text.h"
#include "creg/tasks/classify.h"
#include "io/json_text.h"
#include "ops/runtime.h"
#include "report/classify_report.h"
#include "train/parameters.h"

namespace creg {
namespace {

/// A number or a truth where the text is one in JSON, else the text.
Value parameter_value(const std::string& text) {
  const nlohmann::json parsed = parse_json(text);
  if (parsed.is_boolean()) return parsed.get<bool>();
  if (parsed.is_number_unsigned()) return parsed.get<std::uint64_t>();
  if (parsed.is_number_integer()) return parsed.get<std::int64_t>();
  if (parsed.is_number_float()) return parsed.get<double>();
  return text;
}

Report judged_report(const RunResult& result) {
  const RunPlan& plan = result.plan;
  std::vector<ClassifyResult> classified;
  for (const SeedResult& seed : result.seeds) {
    if (seed.classification) classified.push_back(*seed.classification);
  }
  if (!classified.empty()) return classify_report(pool_results(classified), plan.graph.name);
  const std::string about =
      plan.parts                ? fmt::format("pretrained on {}; next: creg finetune {}",
                                              counted(plan.graph.nodes(), "node"), plan.directory.string())
      : plan.graph.has_labels() ? "no split of the labels, so nothing was evaluated"
                                : "no labels, so nothing was evaluated";
  return {.body = {words(plan.graph.name + ": " + about),
                   {"task", nullptr},
                   {"dataset", plan.graph.name},
                   {"metrics", nullptr}}};
}

/// One value for one seed, else a list of all.
Value one_or_all(List values) {
  return values.size() == 1 ? values.front() : Value(std::move(values));
}

}  // namespace

Record config_record(const TrainConfig& config) {
  Record out;
  for (const Parameter& parameter : parameters_of(config)) {
    out.push_back({parameter.key, parameter_value(parameter.get(config))});
  }
  return out;
}

Report run_report(const RunResult& result) {
  const RunPlan& plan = result.plan;
  Report report = judged_report(result);
  double seconds = 0;
  std::int64_t all_epochs = 0;
  List seeds;
  List epochs;
  List best;
  for (const SeedResult& seed : result.seeds) {
    seconds += seed.training.seconds;
    all_epochs += seed.training.epochs_run;
    seeds.emplace_back(seed.seed);
    epochs.emplace_back(seed.training.epochs_run);
    best.emplace_back(seed.training.best_epoch);
  }
  const DenseMatrix& embedding = result.seeds.front().training.embedding;
  const std::int64_t edges = plan.graph.adjacency.nonzeros() / 2;
  std::string held_out;
  Value edge_split;
  if (plan.held_out) {
    // The embedding has seen a part of the edges only.
    edge_split = Record{{"protocol", edge_split_protocol},
                        {"seed", plan.held_out->seed},
                        {"trained_on", "training edges only"},
                        {"training_edges", edges}};
    held_out = fmt::format("trained on the {} training edges of edge split {} alone",
                           with_commas(edges), plan.held_out->seed);
  }
  const bool one = result.seeds.size() == 1;
  append(report.body,
         {words(held_out),
          {"edge_split", std::move(edge_split)},
          {"config", config_record(plan.config)},
          {"recipe", plan.recipe},
          {"version", build_info().version},
          {"build", build_name()},
          {"threads", plan.threads},
          {"device", plan.device.name()},
          {"precision", name_of(plan.precision)},
          {"seconds", seconds},
          {one ? "seed" : "seeds", one_or_all(std::move(seeds))},
          {"epochs_run", one_or_all(std::move(epochs))},
          {"best_epoch", one_or_all(std::move(best))},
          words(fmt::format(
              "{} epochs in {} of training, {} an epoch\n{}/embedding.npy: {} x {} floats",
              with_commas(all_epochs), human_seconds(seconds),
              human_seconds(seconds / static_cast<double>(std::max<std::int64_t>(1, all_epochs))),
              (plan.several ? plan.directory / "seed-*" : plan.directory).string(),
              with_commas(embedding.rows), with_commas(embedding.cols)))});
  return report;
}

}  // namespace creg
