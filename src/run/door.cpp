#include <utility>

#include "calibration/embedding_calibration.h"
#include "creg/core/error.h"
#include "creg/creg.h"
#include "io/file.h"
#include "io/node_names_file.h"
#include "io/npy.h"
#include "ops/runtime.h"
#include "report/writers.h"
#include "run/claimed_folder.h"
#include "run/embeddings.h"
#include "run/execute.h"
#include "run/open_data.h"
#include "run/run_folder.h"
#include "run/run_report.h"

namespace creg {

Data load(const Context& context, const DataSpec& spec) {
  Data data{.spec = spec, .dataset = open_data(context, spec)};
  data.graph = prepare_graph(context, data.dataset, spec.transforms);
  return data;
}

Data load(const Context& context, const std::string& dataset) {
  return load(context, DataSpec{.dataset = dataset});
}

Data load(const Context& context, Graph graph) {
  validate(context, graph, graph.name);
  Data data;
  data.dataset = {.source = graph.name, .format = std::string(memory_format)};
  if (!graph.splits.empty()) data.dataset.protocol = "public";
  data.dataset.raw = std::move(graph);
  data.graph = prepare_graph(context, data.dataset);
  return data;
}

RunPlan plan(const Context& context, const Data& data, const Settings& settings) {
  return plan(context, data, RunSpec{.settings = settings});
}

RunResult train(const Context& context, const Data& data, const Settings& settings) {
  return execute(context, plan(context, data, settings));
}

ClassifyResult classify(const Context& context, const Data& data, const RunResult& run,
                        ClassifyOptions options) {
  if (options.protocol.empty() && !options.given) options.protocol = data.dataset.protocol;
  if (!options.normalize) options.normalize = classified_rows(run.plan.config);
  if (options.smooth == 0) options.smooth = run.plan.config.smooth;
  std::vector<ClassifyResult> results;
  for (const SeedResult& seed : run.seeds) {
    results.push_back(classify(context, data.graph, seed.training.embedding, options));
  }
  return pool_results(results);
}

std::vector<Baseline> classify_baselines(const Context& context, const Data& data,
                                         ClassifyOptions options) {
  if (options.protocol.empty() && !options.given) options.protocol = data.dataset.protocol;
  return classify_baselines(context, data.graph, options);
}

ClusterResult cluster(const Context& context, const Data& data, const RunResult& run,
                      ClusterOptions options) {
  prepare_torch(context);
  if (options.normalize == Normalize::none) options.normalize = plain_rows(run.plan.config);
  if (options.smooth == 0) options.smooth = run.plan.config.smooth;
  std::vector<ClusterResult> results;
  for (const SeedResult& seed : run.seeds) {
    results.push_back(cluster(context, data.graph, seed.training.embedding, options));
  }
  return pool_results(results);
}

LinkResult predict_links(const Context& context, const RunResult& run, LinkOptions options) {
  if (!run.plan.held_out) {
    fail_input({.what = "this run was trained on all edges: the ones to predict were seen",
                .file = run.plan.graph.name,
                .expected = "a run with RunSpec::edge_split"});
  }
  if (options.normalize == Normalize::none) options.normalize = plain_rows(run.plan.config);
  if (options.smooth == 0) options.smooth = run.plan.config.smooth;
  const HeldOutEdges& edges = *run.plan.held_out;
  std::vector<LinkResult> results;
  for (const SeedResult& seed : run.seeds) {
    results.push_back(
        predict_links(context, edges.split, edges.seed, seed.training.embedding, options));
    results.back().encoder_checked = true;
  }
  return pool_links(results);
}

CalibrationFigures calibrate(const Context& context, const Data& data, const RunResult& run) {
  prepare_torch(context);
  return figures_of(embedding_calibration(context, data.graph, run.embedding(), {}));
}

NeighbourLists neighbours(const Context& context, const Data& data, const RunResult& run,
                          std::span<const std::int32_t> nodes, const NeighbourOptions& options) {
  prepare_torch(context);
  return neighbours(context, &data.graph, run.embedding(), nodes, options);
}

void save(const RunResult& run, const std::filesystem::path& directory) {
  RunResult kept = run;
  kept.plan.directory = directory;
  const Context context({.threads = run.plan.all_threads, .seed = run.plan.seeds.front()});
  const ClaimedFolder folder(context, directory,
                             run.plan.overwrite ? Claim::overwrite : Claim::fresh);
  write_records(context, kept.plan);
  for (const SeedResult& seed : kept.seeds) {
    const std::filesystem::path own = seed_folder(kept.plan, seed.seed);
    write_training(own, seed.training);
    write_npy(own / "embedding.npy", seed.training.embedding);
    write_node_names(own / "nodes.tsv", kept.plan.graph.names);
    write_file(own / "result.json", to_json_text(run_report({kept.plan, {seed}}).body));
  }
  if (kept.plan.several) {
    write_file(directory / "result.json", to_json_text(run_report(kept).body));
  }
}

}  // namespace creg
