#include "creg/run/run.h"

#include <cctype>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/epoch_batches.h"
#include "graph/transforms.h"
#include "io/catalogue.h"
#include "io/file.h"
#include "run/given_graph.h"
#include "run/open_data.h"
#include "run/parts.h"
#include "run/ranks.h"
#include "run/run_folder.h"
#include "run/scheduler.h"
#include "train/made_features.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"
#include "train/recipes.h"

namespace creg {
namespace {

/// Sets a parameter and remembers who did.
void settle(RunPlan& plan, const Parameter& parameter, const std::string& value, Origin origin) {
  parameter.set(plan.config, value);
  plan.origins[parameter.key] = origin;
}

void take_recipe(RunPlan& plan, const std::string& text, const std::string& file) {
  const TrainConfig before = plan.config;
  apply_recipe(plan.config, text, file);
  for (const Parameter& parameter : parameters_of(plan.config)) {
    if (parameter.get(plan.config) != parameter.get(before)) {
      plan.origins[parameter.key] = Origin::recipe;
    }
  }
}

/// The method comes first: its recipe is then looked for, and its own parameters are known.
void settle_method(RunPlan& plan, const RunSpec& spec) {
  plan.config.added = spec.added;
  const auto named = spec.settings.find("method");
  if (named == spec.settings.end()) return;
  if (spec.added && spec.added->name == named->second) {
    plan.config.method = named->second;
    plan.origins["method"] = Origin::asked;
  } else {
    settle(plan, find_parameter("method"), named->second, Origin::asked);
  }
}

void settle_settings(RunPlan& plan, const Settings& settings) {
  for (const auto& [key, value] : settings) find_parameter(key, plan.config);
  // In the order of the table: some look at what others have set.
  for (const Parameter& parameter : parameters_of(plan.config)) {
    const auto given = settings.find(parameter.key);
    if (given == settings.end() || parameter.key == "method") continue;
    try {
      settle(plan, parameter, given->second, Origin::asked);
    } catch (const Error& error) {
      ErrorDetail detail = error.detail();
      detail.file = parameter.flag();
      fail_input(std::move(detail));
    }
  }
}

/// An encoder of a program's own has its width and what it gathers by from the configuration, and
/// nothing else of it.
void settle_added_encoder(RunPlan& plan, const RunSpec& spec) {
  if (!spec.added_encoder) return;
  for (const char* const key :
       {"encoder", "hidden", "layers", "activation", "last_activation", "heads", "dropout",
        "attention_dropout", "gain", "channel_norm", "layer_norm"}) {
    plan.origins.erase(key);
    // A folder records every setting, asked for or not.
    if (plan.resume || !spec.settings.contains(key)) continue;
    fail_input({.what = "an encoder of one's own has this in itself",
                .file = find_parameter(key).flag(),
                .found = in_quotes(spec.settings.at(key)) + " with " + spec.added_encoder->name});
  }
  const EncoderOptions& of_ours = plan.config.encoder;
  plan.config.encoder = {.added = spec.added_encoder,
                         .feature_scale = of_ours.feature_scale,
                         .dim = of_ours.dim,
                         .propagation = of_ours.propagation,
                         .teleport = of_ours.teleport,
                         .sparse_diffusion = of_ours.sparse_diffusion};
  plan.origins["encoder"] = Origin::asked;
}

/// Who asks for something of batches wants batches.
void check_batch_settings(const TrainConfig& config, const Settings& asked) {
  if (config.batch.size > 0) return;
  for (const char* const key :
       {"fanouts", "batches", "replace", "batch_neighbours", "batches_per_update"}) {
    if (!asked.contains(key)) continue;
    fail_input({.what = "without a batch size the whole graph is one step, and nothing is sampled",
                .file = find_parameter(key).flag(),
                .found = asked.at(key),
                .expected = "--batch-size B beside it, or none of both"});
  }
}

/// Told before a folder is cleared for the run.
void check_batch_size(const RunPlan& plan) {
  const std::int64_t size = plan.config.batch.size;
  if (size == 0 || method_of(plan.config).steps != StepsBy::neighbourhoods) return;
  batches_per_epoch(plan.nodes, size);
}

/// What batches cannot do and nobody asks for gives way, and the log says so.
void settle_batches(const Context& context, RunPlan& plan, const Settings& asked) {
  TrainConfig& config = plan.config;
  const MethodEntry& method = method_of(config);
  if (config.batch.size == 0 || method.steps != StepsBy::neighbourhoods) return;
  if (!config.encoder.added && !runs_in_batches(config.encoder.kind) &&
      !asked.contains("encoder")) {
    settle(plan, find_parameter("encoder"), name_of(EncoderKind::sage), Origin::batches);
    if (!asked.contains("layers")) {
      settle(plan, find_parameter("layers"), std::to_string(config.batch.fanouts.size()),
             Origin::batches);
    }
    context.log().write(LogLevel::info, "in batches: encoder sage, layers " +
                                            std::to_string(config.encoder.layers));
  }
  for (const auto& [key, value] : method.in_batches) {
    const Parameter& parameter = find_parameter(key, config);
    if (asked.contains(key) || parameter.get(config) == value) continue;
    settle(plan, parameter, value, Origin::batches);
    context.log().write(LogLevel::info, "in batches: " + key + " " + value);
  }
}

/// The recipe that belongs to the method and dataset, if any. One that scales features to where
/// training starts is for graphs that have some: those made of the structure have their size.
const Recipe* shipped_recipe(const RunPlan& plan, const RunSpec& spec, bool own_features) {
  if (spec.recipe == "none") return nullptr;
  const bool own = plan.dataset.entry != nullptr && spec.recipe != "auto";
  const Recipe* const recipe =
      find_recipe(plan.config.method, own ? std::string(plan.dataset.entry->name) : "");
  if (recipe == nullptr || own_features) return recipe;
  TrainConfig config;
  apply_recipe(config, recipe->text, recipe->path);
  return config.auto_feature_scale ? nullptr : recipe;
}

void settle_configuration(const Context& context, RunPlan& plan, const RunSpec& spec,
                          bool own_features) {
  settle_method(plan, spec);
  if (!is_recipe_file(spec.recipe)) {
    const Recipe* const shipped = shipped_recipe(plan, spec, own_features);
    if (shipped != nullptr) {
      take_recipe(plan, shipped->text, shipped->path);
      plan.recipe = "recipes/" + shipped->path;
    } else {
      plan.recipe = "none";
    }
  }
  settle_settings(plan, spec.settings);
  settle_added_encoder(plan, spec);
  // A folder records every setting, asked for or not.
  if (!plan.resume) check_batch_settings(plan.config, spec.settings);
  settle_batches(context, plan, spec.settings);
  check_config(plan.config);
  take_ranks(plan, spec);
  context.log().write(LogLevel::info, plan.recipe == "none"
                                          ? "no recipe: the defaults and the flags"
                                          : "recipe: " + plan.recipe);
}

/// The parts kept in the folder of a run or, where it was stopped before they were kept, the same
/// chosen again.
PretrainParts parts_again(const Context& context, RunPlan& plan, const RunRecord& record) {
  plan.parts_from = {.parts = record.parts, .share = record.pretrain_share};
  if (record.parts.empty() || is_there(parts_path(plan.directory))) {
    return kept_parts(context, plan.directory, plan.graph);
  }
  return choose_parts(context, plan.graph, plan.parts_from);
}

/// Leaves the plan the part of its graph that is for pretraining.
void take_part(const Context& context, RunPlan& plan, PretrainParts parts) {
  refuse_made_features(feature_cols(plan.graph.features), plan.config, plan.graph.name,
                       std::string(not_for_finetuning));
  Graph part = induced_subgraph(context, plan.graph, parts.pretrain.span());
  plan.whole = std::make_shared<const Graph>(std::move(plan.graph));
  plan.graph = std::move(part);
  plan.parts = std::make_shared<const PretrainParts>(std::move(parts));
  plan.evaluate = false;
}

std::vector<std::uint64_t> seed_list(int seeds, std::uint64_t single) {
  if (seeds == 0) return {single};
  std::vector<std::uint64_t> list;
  for (int s = 0; s < seeds; ++s) list.push_back(static_cast<std::uint64_t>(s));
  return list;
}

/// The plan with its configuration; `plan.dataset` is open.
void settle_graph(const Context& context, RunPlan& plan) {
  plan.graph = prepare_graph(context, plan.dataset, plan.data.transforms);
  if (plan.config.link_counts) {
    plan.graph.adjacency = sum_directions(context, plan.dataset.raw).adjacency;
  }
  tell_made_features(context, size_of(plan.graph), plan.config);
}

void settle_runs(const Context& context, RunPlan& plan, const RunSpec& spec) {
  plan.directory = spec.out;
  plan.overwrite = spec.overwrite;
  plan.several = spec.seeds > 0;
  plan.seeds = seed_list(spec.seeds, context.seed());
  plan.eval_splits = spec.eval_splits;
  plan.calibrate = spec.calibrate;
  plan.tensorboard = spec.tensorboard;
  plan.device = context.device();
  plan.precision = context.precision();
  plan.all_threads = context.threads();
}

void settle_rest(const Context& context, RunPlan& plan, const RunSpec& spec) {
  settle_graph(context, plan);
  if (spec.edge_split) hold_out_edges(context, plan, *spec.edge_split);
  plan.evaluate = spec.evaluate;
  if (spec.pretrain) {
    plan.parts_from = settle_parts(plan.graph.name, !plan.graph.splits.empty(), *spec.pretrain);
    take_part(context, plan, choose_parts(context, plan.graph, plan.parts_from));
  }
  settle_runs(context, plan, spec);
  schedule_runs(plan);
}

void schedule_by(RunPlan& plan, const GraphSize& graph) {
  const MemoryEstimate estimate = estimate_memory(graph, plan.config, plan.device);
  const bool trains = !method_of(plan.config).encoders.empty();
  plan.gradient_numbers = trains ? trained_numbers(graph, plan.config) : 0;
  plan.embedding_numbers = 0;
  if (trains) {
    const EncoderOptions& encoder = plan.config.encoder;
    if (graph.sparse_features) plan.embedding_numbers = encoder.width(0);
    for (int l = 0; l < encoder.layers; ++l) plan.embedding_numbers += encoder.width(l);
  }
  plan.memory = estimate.parts;
  plan.memory_bytes = estimate.total;
  const Context context({.device = plan.device, .threads = plan.all_threads});
  plan.threads =
      Scheduler(context, plan.ranks > 0 ? 1 : static_cast<std::int64_t>(plan.seeds.size()),
                estimate.total, on_gpu(plan.config))
          .threads_each();
}

void take_recipe_file(RunPlan& plan, const RunSpec& spec) {
  if (!is_recipe_file(spec.recipe)) return;
  take_recipe(plan, std::string(map_file(spec.recipe).text()), spec.recipe);
  plan.recipe = spec.recipe;
}

/// The spec with the dataset that its recipe names, where it names none itself.
RunSpec with_dataset(const Context& context, const RunSpec& spec) {
  RunSpec known = spec;
  if (is_recipe_file(spec.recipe) && spec.data.dataset.empty() && spec.data.edges.empty()) {
    TrainConfig ignored;
    known.data.dataset =
        apply_recipe(ignored, std::string(map_file(spec.recipe).text()), spec.recipe);
  }
  if (known.data.dataset.empty() && known.data.edges.empty()) {
    context.log().write(LogLevel::notice,
                        "no dataset was named: training on " + std::string(default_dataset) +
                            ", a made-up graph inside creg; for your own files: --edges edges.csv "
                            "--features features.npy, or --dataset NAME or FILE");
  }
  return known;
}

/// What the folder of a run says was asked for.
RunSpec spec_of(const RunRecord& record, const std::filesystem::path& directory,
                const std::filesystem::path& data_dir) {
  RunSpec spec;
  spec.data = {.dataset = record.dataset,
               .transforms = record.transforms,
               .data_dir = data_dir,
               .reading = record.reading};
  spec.recipe = "none";
  const TrainConfig config = config_of(record);
  spec.added = config.added;
  spec.added_encoder = config.encoder.added;
  for (const Parameter& parameter : parameters_of(config)) {
    if (parameter.key == "encoder" && spec.added_encoder) continue;
    spec.settings[parameter.key] = parameter.get(config);
  }
  spec.seeds = record.seeds;
  spec.out = directory;
  spec.edge_split = record.edge_split;
  if (record.pretrain) {
    spec.pretrain = PartsSpec{.parts = record.parts, .share = record.pretrain_share};
  }
  spec.calibrate = record.calibrate;
  spec.tensorboard = record.tensorboard;
  return spec;
}

/// What a resumed run takes from its folder and not from the Context.
void settle_record(const Context& context, RunPlan& plan, const RunRecord& record,
                   bool own_threads) {
  plan.recipe = record.recipe;
  plan.several = record.seeds > 0;
  plan.calibrate = record.calibrate;
  plan.tensorboard = record.tensorboard;
  plan.seeds = seed_list(record.seeds, record.seed);
  plan.all_threads = own_threads || record.threads == 0 ? context.threads() : record.threads;
  plan.device = context.device();
  plan.precision = record.precision;
  const bool on_cpu = plan.device.type == DeviceType::cpu;
  if (on_cpu && plan.precision != Precision::fp32) {
    fail_input({.what = "the run's products are of a precision that needs a GPU",
                .file = record.file,
                .found = "precision " + name_of(plan.precision) + " on the CPU",
                .expected = "--device cuda"});
  }
  if (on_cpu == record.on_gpu) {
    context.log().write(LogLevel::warning,
                        std::string("the run began on ") + (on_cpu ? "a GPU" : "the CPU") +
                            " and goes on on " + plan.device.name() +
                            ": the same draws, but rounded differently from there on");
  }
}

std::int64_t scaled(std::int64_t count, double share) {
  return static_cast<std::int64_t>(share * static_cast<double>(count));
}

/// With so many of its nodes, and so many of its entries, which have no weights.
GraphSize part_of(const GraphSize& whole, std::int64_t nodes, std::int64_t entries) {
  const double share = static_cast<double>(nodes) / static_cast<double>(whole.nodes);
  GraphSize part = whole;
  part.nodes = nodes;
  part.entries = entries;
  part.feature_entries = scaled(whole.feature_entries, share);
  part = with_bytes(part);
  part.feature_bytes = scaled(whole.feature_bytes, share);
  return part;
}

/// The whole plan without its graph; the sizes of that.
GraphSize settle_dry(const Context& context, RunPlan& plan, const RunSpec& spec) {
  DatasetSize size = measure_data(context, spec.data);
  plan.data = spec.data;
  plan.dataset = std::move(size.dataset);
  plan.graph.name = plan.dataset.raw.name;
  take_recipe_file(plan, spec);
  settle_configuration(context, plan, spec, size.graph.features > 0);
  plan.evaluate = spec.evaluate;
  settle_runs(context, plan, spec);
  plan.edges = size.edges;
  // Transforms of a user's own may leave out anything.
  plan.estimated = size.estimated || !spec.data.transforms.empty();
  GraphSize graph = size.graph;
  constexpr std::int64_t number = 4;
  if (plan.config.link_counts) graph.adjacency_bytes += number * graph.entries;
  if (spec.edge_split) {
    plan.edges = training_edges(plan.edges);
    graph = part_of(graph, graph.nodes, 2 * plan.edges);
    graph.directed = false;
  }
  tell_made_features(context, graph, plan.config);
  if (spec.pretrain) {
    refuse_made_features(graph.features, plan.config, plan.graph.name,
                         std::string(not_for_finetuning));
    plan.parts_from = settle_parts(plan.graph.name, !plan.dataset.protocol.empty(), *spec.pretrain);
    const std::int64_t nodes = count_pretrain(plan.parts_from, graph.nodes);
    // Of an edge both ends must be in the part.
    const double share = static_cast<double>(nodes) / static_cast<double>(graph.nodes);
    plan.edges = scaled(plan.edges, share * share);
    graph = part_of(graph, nodes, scaled(graph.entries, share * share));
    plan.estimated = true;
    plan.evaluate = false;
  }
  plan.nodes = graph.nodes;
  plan.features = with_made_features(graph, plan.config).features;
  if (!plan.estimated) check_batch_size(plan);
  schedule_by(plan, graph);
  return graph;
}

}  // namespace

void schedule_runs(RunPlan& plan) {
  plan.nodes = plan.graph.nodes();
  plan.edges = plan.graph.adjacency.nonzeros() / (plan.graph.directed ? 1 : 2);
  const GraphSize size = size_of(plan.graph);
  plan.features = with_made_features(size, plan.config).features;
  check_batch_size(plan);
  schedule_by(plan, size);
}

RunPlan plan_run(const Context& context, const Dataset& dataset, const RunSpec& spec) {
  RunPlan plan;
  plan.data = spec.data;
  plan.dataset = dataset;
  take_recipe_file(plan, spec);
  settle_configuration(context, plan, spec, has_features(dataset.raw.features));
  settle_rest(context, plan, spec);
  return plan;
}

RunPlan plan_on_graph(const Context& context, const Dataset& dataset, const Graph& graph,
                      const RunSpec& spec) {
  RunPlan plan;
  plan.data = spec.data;
  plan.dataset = dataset;
  take_recipe_file(plan, spec);
  settle_configuration(context, plan, spec, has_features(graph.features));
  plan.graph = graph;
  plan.evaluate = spec.evaluate;
  settle_runs(context, plan, spec);
  schedule_runs(plan);
  return plan;
}

RunPlan plan_resume_on_graph(const Context& context, const std::filesystem::path& directory,
                             const Dataset& dataset, const Graph& graph, bool own_threads) {
  const RunRecord record = read_record(directory);
  const RunSpec spec = spec_of(record, directory, {});
  RunPlan plan;
  plan.data = spec.data;
  plan.dataset = dataset;
  plan.resume = true;
  settle_configuration(context, plan, spec, has_features(graph.features));
  plan.graph = graph;
  settle_record(context, plan, record, own_threads);
  plan.directory = directory;
  schedule_runs(plan);
  return plan;
}

RunPlan plan_run(const Context& context, const RunSpec& spec) {
  const RunSpec known = with_dataset(context, spec);
  return plan_run(context, open_data(context, known.data), known);
}

RunPlan plan_dry_run(const Context& context, const RunSpec& spec) {
  RunPlan plan;
  settle_dry(context, plan, with_dataset(context, spec));
  return plan;
}

RunPlan plan_resume(const Context& context, const std::filesystem::path& directory,
                    const std::filesystem::path& data_dir, bool own_threads) {
  const RunRecord record = read_record(directory);
  const RunSpec spec = spec_of(record, directory, data_dir);
  RunPlan plan;
  plan.data = spec.data;
  plan.dataset = open_data(context, spec.data);
  plan.resume = true;
  settle_configuration(context, plan, spec, false);
  settle_graph(context, plan);
  settle_record(context, plan, record, own_threads);
  plan.directory = directory;
  if (record.edge_split) hold_out_kept_edges(context, plan, *record.edge_split, directory);
  if (record.pretrain) take_part(context, plan, parts_again(context, plan, record));
  schedule_runs(plan);
  return plan;
}

RunPlan plan_dry_resume(const Context& context, const std::filesystem::path& directory,
                        const std::filesystem::path& data_dir, bool own_threads) {
  const RunRecord record = read_record(directory);
  RunPlan plan;
  plan.resume = true;
  const GraphSize size = settle_dry(context, plan, spec_of(record, directory, data_dir));
  settle_record(context, plan, record, own_threads);
  schedule_by(plan, size);
  return plan;
}

std::filesystem::path default_run_folder(const RunPlan& plan) {
  const std::string dataset = plan.whole ? plan.whole->name : plan.graph.name;
  std::string name = dataset + "-" + plan.config.method;
  for (char& c : name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
    if (!plain) c = '-';
  }
  return std::filesystem::path("runs") /
         (name + (plan.parts_from.parts.empty() ? "" : "-pretrain"));
}

}  // namespace creg
