// The front door: load a dataset, plan, train, evaluate, calibrate, save.
//
//   const creg::Context context;                            // all cores, seed 0, silent
//   const creg::Data data = creg::load(context, "cora");
//   const creg::RunResult run = creg::train(context, data, {{"method", "lc"}});
//   creg::save(run, "run");                                 // the folder that creg train writes
#pragma once

#include <concepts>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "creg/calibration/figures.h"
#include "creg/core/context.h"
#include "creg/io/dataset.h"
#include "creg/learn/metrics.h"
#include "creg/run/run.h"
#include "creg/tasks/baselines.h"
#include "creg/tasks/classify.h"
#include "creg/tasks/cluster.h"
#include "creg/tasks/link.h"
#include "creg/tasks/neighbours.h"

namespace creg {

/// A dataset that is open, and its graph as training sees it.
struct Data {
  DataSpec spec;
  Dataset dataset;
  Graph graph;
};

/// By a name of the catalogue, synthetic:NAME[@scale], or a path; an empty name is the embedded
/// graph.
Data load(const Context& context, const std::string& dataset);
/// The same with transforms, another data folder, or a user's own files.
Data load(const Context& context, const DataSpec& spec);
/// A graph that the program has made itself.
Data load(const Context& context, Graph graph);

/// What a run with these settings will be: nothing is trained.
RunPlan plan(const Context& context, const Data& data, const Settings& settings = {});
/// The same with a recipe, seeds, a folder, held-out edges or a method of the program's own, as
/// RunSpec{…}; the dataset is `data`. A template, so that bare braces always mean settings.
template <std::same_as<RunSpec> Spec>
RunPlan plan(const Context& context, const Data& data, const Spec& spec) {
  RunSpec known = spec;
  known.data = data.spec;
  return plan_run(context, data.dataset, known);
}

/// plan and execute. The embedding has the bytes of `creg train` with the same settings, seed and
/// threads.
RunResult train(const Context& context, const Data& data, const Settings& settings = {});
template <std::same_as<RunSpec> Spec>
RunResult train(const Context& context, const Data& data, const Spec& spec) {
  return execute(context, plan(context, data, spec));
}

/// By the dataset's own protocol unless the options name one; all seeds pooled. Rows are normalised
/// as the run's final_norm or final_spread says.
ClassifyResult classify(const Context& context, const Data& data, const RunResult& run,
                        ClassifyOptions options = {});
/// What stands beside it: the features and the smoothed features by the same protocol and splits.
std::vector<Baseline> classify_baselines(const Context& context, const Data& data,
                                         ClassifyOptions options = {});
ClusterResult cluster(const Context& context, const Data& data, const RunResult& run,
                      ClusterOptions options = {});
/// Of a run that was planned with an edge split; any other has seen the edges: an input error.
LinkResult predict_links(const Context& context, const RunResult& run, LinkOptions options = {});

/// Of the first seed's embedding, which is taken as it is.
CalibrationFigures calibrate(const Context& context, const Data& data, const RunResult& run);

/// The most similar nodes of these nodes by the first seed's embedding, which is taken as it is.
NeighbourLists neighbours(const Context& context, const Data& data, const RunResult& run,
                          std::span<const std::int32_t> nodes,
                          const NeighbourOptions& options = {});

/// The folder that `creg train --out` writes: config.toml, embedding.npy, nodes.tsv, checkpoint.pt,
/// metrics.jsonl, result.json. A folder that holds a run is an input error unless
/// run.plan.overwrite. A run that has a folder already need not be saved.
void save(const RunResult& run, const std::filesystem::path& directory);

}  // namespace creg
