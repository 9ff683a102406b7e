#include "run/part_run.h"

#include <algorithm>
#include <utility>

#include "comm/communicator.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/graph/splits.h"
#include "io/file.h"
#include "io/node_names_file.h"
#include "io/npy.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"
#include "report/writers.h"
#include "run/claimed_folder.h"
#include "run/embeddings.h"
#include "run/given_graph.h"
#include "run/run_folder.h"
#include "run/run_report.h"
#include "run/selection.h"
#include "train/made_features.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"
#include "train/part_session.h"
#include "train/same_ranks.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

void refuse_in_parts(bool asked, const std::string& flag, const std::string& what,
                     const std::string& hint = {}) {
  if (!asked) return;
  fail_input({.what = "a graph in parts " + what, .file = flag, .hint = hint});
}

void check_spec(const RunSpec& spec) {
  refuse_in_parts(spec.seeds > 0, "--seeds", "is trained on with one seed at a time",
                  "start it once for each, with --seed S and a folder of its own");
  refuse_in_parts(spec.edge_split.has_value(), "--edge-split", "has no edges to hold out",
                  "make the partition of the training edges");
  refuse_in_parts(spec.pretrain.has_value(), "--pretrain", "has no part for pretraining");
  refuse_in_parts(spec.calibrate > 0, "--calibrate", "is not calibrated while it is trained on",
                  "creg calibrate judges the embedding");
  refuse_in_parts(!spec.data.transforms.empty(), "--transform", "is as it was divided",
                  "creg data partition takes transforms");
}

void check_features(const TrainConfig& config, const PartitionManifest& manifest) {
  refuse_made_features(std::max<std::int64_t>(0, manifest.features), config, manifest.dataset,
                       std::string(not_in_parts));
}

PartitionManifest manifest_of(const fs::path& folder) {
  return read_partition_manifest(map_file(manifest_path(folder)));
}

/// A part for every rank.
void check_ranks(const PartitionManifest& manifest, const fs::path& folder, int size) {
  const auto parts = static_cast<int>(manifest.parts.size());
  if (parts == size) return;
  fail_input({.what = "there is not a part of the graph for every rank",
              .file = folder.string(),
              .found = counted(parts, "part") + " for " + counted(size, "rank"),
              .hint = "start " + counted(parts, "rank") +
                      ", or divide the graph anew: creg data "
                      "partition GRAPH --parts " +
                      std::to_string(size) + " --out DIR"});
}

Dataset dataset_of(const PartitionManifest& manifest, const Graph& graph, const fs::path& folder) {
  Dataset dataset{.source = folder.string(), .format = "partition"};
  dataset.raw = graph;
  dataset.raw.name = manifest.dataset;
  if (!graph.splits.empty()) dataset.protocol = "public";
  return dataset;
}

/// What a rank keeps beside what one process would for its part: rows of others, permutations of
/// all nodes with the draws that they are made by, and the way back through its edges.
void add_exchange_memory(RunPlan& plan, const PartitionManifest& manifest, int rank) {
  const PartitionManifest::Part& part = manifest.parts[static_cast<std::size_t>(rank)];
  constexpr std::int64_t bytes_of_order = 24;
  const std::int64_t rows =
      2 * (part.nodes * plan.config.contrast.negatives + part.nodes + part.halo);
  // A part's matrix is not its own transpose, and its edges are listed once more by who gathers.
  constexpr std::int64_t bytes_of_entry = 16;
  const std::int64_t bytes = 4 * rows * plan.config.encoder.dim + bytes_of_order * manifest.nodes +
                             bytes_of_entry * part.entries;
  plan.memory.push_back({"what a part has beside a graph", bytes});
  plan.memory_bytes += bytes;
}

Graph part_graph(const StoredPart& stored) {
  Graph graph = stored.part.graph;
  graph.name = stored.manifest.dataset;
  return graph;
}

/// What must be the same on all ranks.
TextPairs things_in_common(const Context& context, const PartRunPlan& run) {
  TextPairs things = {{what_ranks_share, "the parts of a graph"},
                      {"the seed", std::to_string(context.seed())}};
  for (const auto& [key, value] : build_and_machine(context)) things.emplace_back(key, value);
  for (const auto& [key, value] : graph_identity(run.stored.manifest)) {
    things.emplace_back("the graph's " + key, value);
  }
  for (const PartitionManifest::Part& part : run.stored.manifest.parts) {
    things.emplace_back("the partition", std::to_string(part.file.checksum));
  }
  for (const Parameter& parameter : parameters_of(run.plan.config)) {
    things.emplace_back(parameter.flag(), parameter.get(run.plan.config));
  }
  things.emplace_back("--resume", run.plan.resume ? "given" : "not given");
  return things;
}

/// `nodes`: of the whole graph, with its splits.
ClassifyOptions options_of_run(const RunPlan& plan, const Graph& nodes, std::uint64_t seed) {
  ClassifyOptions options;
  options.protocol = plan.dataset.protocol;
  options.splits = plan.eval_splits;
  options.normalize = classified_rows(plan.config);
  if (method_of(plan.config).labels && !nodes.splits.empty()) {
    options.split = static_cast<int>(seed % nodes.splits.size());
  }
  return options;
}

/// The rows of this part whose labels a supervised method sees: of the split that one process
/// takes.
std::vector<std::int32_t> labelled_rows(const RunPlan& plan, const StoredPart& stored,
                                        std::uint64_t seed) {
  if (!method_of(plan.config).labels) return {};
  const std::vector<Split>& splits = stored.part.graph.splits;
  if (splits.empty()) {
    fail_input({.what = plan.config.method + " learns from the labels of a stored split",
                .file = plan.dataset.source,
                .expected = "a graph that was divided with its splits"});
  }
  const auto train = splits[seed % splits.size()].train.span();
  return {train.begin(), train.end()};
}

std::optional<ClassifyResult> judged(const Context& context, const RunPlan& plan,
                                     const TrainResult& training, const ClassifyOptions& options) {
  if (!plan.evaluate || !plan.graph.has_labels()) return std::nullopt;
  try {
    return judge_output(context, plan.graph, {training.embedding, training.class_scores}, options);
  } catch (const Error& error) {
    context.log().write(LogLevel::warning, std::string("not evaluated: ") + error.what());
    return std::nullopt;
  }
}

/// Where a run selects by what all embeddings are worth together: rank 0 looks, all hear of it.
class PartJudge final : public TrainObserver {
 public:
  PartJudge(const Context& context, PartSession& session, const Graph& nodes,
            const ClassifyOptions& options, fs::path folder)
      : session_(session), folder_(std::move(folder)) {
    if (session.rank() == 0) selection_.emplace(context, nodes, options);
  }

  std::optional<double> score(Select by, const ModelOutput& output) override {
    ModelOutput all{.embedding = session_.gathered(output.embedding, folder_), .class_scores = {}};
    if (output.class_scores.cols > 0) {
      all.class_scores = session_.gathered(output.class_scores, folder_);
    }
    std::optional<double> score;
    if (selection_) score = selection_->score(by, all);
    return session_.from_first(score);
  }

 private:
  PartSession& session_;
  fs::path folder_;
  std::optional<Selection> selection_;
};

/// What rank 0 does after training, while the others wait.
void keep_result(const Context& context, RunResult& result, const ClassifyOptions& options) {
  const RunPlan& plan = result.plan;
  SeedResult& seed = result.seeds.front();
  if (!plan.directory.empty()) {
    write_npy(plan.directory / "embedding.npy", seed.training.embedding);
    write_node_names(plan.directory / "nodes.tsv", plan.graph.names);
  }
  seed.classification = judged(context, plan, seed.training, options);
  if (!plan.directory.empty()) {
    write_file(plan.directory / "result.json", to_json_text(run_report(result).body));
  }
}

RunResult train_and_gather(const Context& context, const PartRunPlan& run, PartSession& session) {
  RunResult result{.plan = run.plan, .seeds = std::vector<SeedResult>(1)};
  SeedResult& seed = result.seeds.front();
  seed.seed = context.seed();
  RunFiles files;
  files.directory = run.plan.directory;
  // A run that was killed before it kept anything begins again.
  const bool kept =
      session.rank() == 0 && run.plan.resume && is_there(files.directory / "checkpoint.pt");
  files.resume = session.from_first(kept ? std::optional<double>(1) : std::nullopt).has_value();
  const Graph nodes = session.nodes_of_all();
  const ClassifyOptions options = options_of_run(run.plan, nodes, context.seed());
  PartJudge judge(context, session, nodes, options, files.directory);
  seed.training = session.train(context, run.plan.config, files, &judge,
                                labelled_rows(run.plan, run.stored, context.seed()));
  // Rank 0 has the embedding of all nodes in place of what training took.
  release_kept_tensor_memory();
  const DenseMatrix embedding = session.gathered(seed.training.embedding, files.directory);
  DenseMatrix scores;
  if (seed.training.class_scores.cols > 0) {
    scores = session.gathered(seed.training.class_scores, files.directory);
  }
  if (session.rank() == 0) {
    seed.training.embedding = embedding;
    seed.training.class_scores = scores;
    result.plan.graph = nodes;
    keep_result(context, result, options);
  }
  session.barrier();
  return result;
}

}  // namespace

bool is_in_parts(const std::string& dataset) {
  return !dataset.empty() && is_there(manifest_path(dataset));
}

PartRunPlan plan_part_run(const Context& context, const RunSpec& spec, int rank, int size) {
  check_spec(spec);
  const fs::path folder = spec.data.dataset;
  check_ranks(manifest_of(folder), folder, size);
  PartRunPlan run;
  run.stored = read_part(context, folder, rank);
  const Graph graph = part_graph(run.stored);
  run.plan = plan_on_graph(context, dataset_of(run.stored.manifest, graph, folder), graph, spec);
  check_in_parts(context.device(), run.plan.config, graph.directed);
  check_features(run.plan.config, run.stored.manifest);
  add_exchange_memory(run.plan, run.stored.manifest, rank);
  return run;
}

PartRunPlan plan_part_resume(const Context& context, const fs::path& directory,
                             const std::string& parts, int rank, int size, bool own_threads) {
  const fs::path folder = parts.empty() ? read_record(directory).dataset : parts;
  check_ranks(manifest_of(folder), folder, size);
  PartRunPlan run;
  run.stored = read_part(context, folder, rank);
  const Graph graph = part_graph(run.stored);
  run.plan = plan_resume_on_graph(
      context, directory, dataset_of(run.stored.manifest, graph, folder), graph, own_threads);
  check_in_parts(context.device(), run.plan.config, graph.directed);
  check_features(run.plan.config, run.stored.manifest);
  add_exchange_memory(run.plan, run.stored.manifest, rank);
  return run;
}

PartRunForecast forecast_part_run(const Context& context, const RunSpec& spec) {
  check_spec(spec);
  const fs::path folder = spec.data.dataset;
  const PartitionManifest manifest = manifest_of(folder);
  PartRunForecast forecast;
  forecast.nodes = manifest.nodes;
  forecast.entries = manifest.entries;
  Graph none;
  none.name = manifest.dataset;
  none.adjacency.offsets = std::vector<std::int64_t>{0};
  forecast.plan = plan_on_graph(context, dataset_of(manifest, none, folder), none, spec);
  check_in_parts(context.device(), forecast.plan.config, manifest.directed);
  check_features(forecast.plan.config, manifest);
  std::int64_t all_rows = manifest.nodes;
  for (const PartitionManifest::Part& part : manifest.parts) all_rows += part.halo;
  for (std::size_t r = 0; r < manifest.parts.size(); ++r) {
    const PartitionManifest::Part& part = manifest.parts[r];
    GraphSize size =
        read_creg_size(context, map_file(part_path(folder, static_cast<int>(r)))).graph;
    size.classes = manifest.classes;
    const MemoryEstimate estimate =
        estimate_memory(size, forecast.plan.config, forecast.plan.device);
    RunPlan plan = forecast.plan;
    plan.memory_bytes = estimate.total;
    add_exchange_memory(plan, manifest, static_cast<int>(r));
    std::int64_t sent = 0;
    for (const PartitionManifest::Part& other : manifest.parts) sent += other.halo_from[r];
    forecast.ranks.push_back(
        {.own = part.nodes,
         .halo = part.halo,
         .memory_bytes = plan.memory_bytes,
         .traffic = part_traffic(forecast.plan.config,
                                 {.ranks = static_cast<int>(manifest.parts.size()),
                                  .nodes = manifest.nodes,
                                  .entries = manifest.entries,
                                  .own = part.nodes,
                                  .halo = part.halo,
                                  .sent = sent,
                                  .all_rows = all_rows,
                                  .classes = manifest.classes,
                                  .parameters = trained_numbers(size, forecast.plan.config)})});
  }
  return forecast;
}

RunResult execute_part(const Context& context, const PartRunPlan& run, Communicator& communicator) {
  install_tensor_memory();
  PartSession session(communicator, run.stored);
  const Context seeded = context.with_seed(run.plan.seeds.front());
  session.check_same(things_in_common(seeded, run));
  require_memory({run.plan.memory, run.plan.memory_bytes}, session.ranks_here(),
                 tensor_memory_left(context), "rank");
  if (session.rank() != 0 || run.plan.directory.empty()) {
    return train_and_gather(seeded, run, session);
  }
  const ClaimedFolder folder(context, run.plan.directory, claim_of(run.plan));
  if (run.plan.resume) {
    write_missing_records(seeded, run.plan);
    return train_and_gather(seeded, run, session);
  }
  try {
    write_records(seeded, run.plan);
    return train_and_gather(seeded, run, session);
  } catch (const Error&) {
    // Where a rank was lost all are told to resume, which begins such a run again.
    if (!communicator.lost_one()) folder.forget_unbegun();
    throw;
  }
}

}  // namespace creg
