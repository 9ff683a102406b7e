#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/options/embedding_options.h"
#include "cli/options/short_help.h"
#include "cli/options/train_options.h"
#include "core/build_info.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/edge_split_file.h"
#include "io/file.h"
#include "report/link_report.h"
#include "run/claimed_folder.h"
#include "run/embeddings.h"
#include "run/execute.h"
#include "run/link_runs.h"
#include "run/run_folder.h"
#include "run/run_report.h"
#include "run/scheduler.h"
#include "train/parameters.h"
#include "train/recipes.h"

namespace creg::cli {
namespace {

namespace fs = std::filesystem;

struct EvalLinkOptions {
  std::string source;  ///< empty: train all runs
  RunSpec train;
  std::string edge_split;
  int splits = 0;
  int seeds = 0;
  std::string out;
  bool overwrite = false;
  std::string predictor = "linear";
  double predictor_lr = PredictorOptions{}.learning_rate;
  int predictor_epochs = PredictorOptions{}.epochs;
  int predictor_patience = PredictorOptions{}.patience;
  std::string normalize;
};

LinkOptions link_options(const Context& context, const EvalLinkOptions& chosen, Normalize rows,
                         int smooth) {
  LinkOptions options;
  const auto kind = from_name<PredictorKind>(chosen.predictor);
  if (!kind) {
    fail_input({.what = "unknown predictor",
                .file = "--predictor",
                .found = in_quotes(chosen.predictor),
                .expected = join_words(names_of<PredictorKind>(), " or ")});
  }
  options.predictor.kind = *kind;
  options.predictor.learning_rate = chosen.predictor_lr;
  options.predictor.epochs = chosen.predictor_epochs;
  options.predictor.patience = chosen.predictor_patience;
  options.predictor.seed = context.seed();
  options.normalize = chosen.normalize.empty() ? rows : parse_normalize(chosen.normalize);
  options.smooth = smooth;
  return options;
}

/// The folders DIR/split-<k> that creg eval link --out wrote, by their numbers; else DIR itself.
std::vector<fs::path> split_folders(const fs::path& path) {
  std::vector<fs::path> folders;
  for (int k = 0; is_there(path / ("split-" + std::to_string(k))); ++k) {
    folders.push_back(path / ("split-" + std::to_string(k)));
  }
  if (folders.empty()) folders.push_back(path);
  return folders;
}

/// --smooth, the one parameter of training that an embedding that is there can have too.
std::optional<int> smooth_flag(const RunSpec& train) {
  const auto given = train.settings.find("smooth");
  if (given == train.settings.end()) return std::nullopt;
  TrainConfig read;
  find_parameter("smooth").set(read, given->second);
  return read.smooth;
}

/// An embedding with the split that its run was trained by.
struct LinkSource {
  fs::path embedding;
  fs::path split;
  fs::path checkpoint;     ///< empty: of a bare file
  std::string split_seed;  ///< as config.toml says; empty: of a bare file
};

struct LinkSources {
  std::vector<LinkSource> runs;
  EmbeddingSource settings;  ///< of the first folder
};

void refuse_all_edges(const fs::path& folder) {
  fail_input({.what = "this run was trained on all edges: the ones to predict were seen",
              .file = folder.string(),
              .expected = "a run of creg train --edge-split",
              .hint = "train it again with --edge-split 0, or let creg eval link --dataset X "
                      "--method M train all runs"});
}

LinkSources find_runs(const EvalLinkOptions& chosen) {
  LinkSources sources;
  if (!fs::is_directory(chosen.source)) {
    if (chosen.edge_split.empty()) {
      fail_input({.what = "a bare embedding does not say which edges it was made without",
                  .file = chosen.source,
                  .expected = "--edge-split FILE, the edge-split.json of its run"});
    }
    sources.settings = find_embeddings(chosen.source);
    sources.runs.push_back({chosen.source, chosen.edge_split, {}, {}});
    return sources;
  }
  if (!chosen.edge_split.empty()) {
    fail_input({.what = "the folder of a run has its own edge split",
                .file = "--edge-split",
                .found = in_quotes(chosen.edge_split),
                .expected = "--edge-split with an .npy file alone"});
  }
  for (const fs::path& folder : split_folders(chosen.source)) {
    const EmbeddingSource found = find_embeddings(folder);
    if (!found.edge_split) refuse_all_edges(folder);
    for (const fs::path& file : found.files) {
      const fs::path own = edge_split_path(file.parent_path());
      sources.runs.push_back({file, is_there(own) ? own : edge_split_path(folder),
                              file.parent_path() / "checkpoint.pt",
                              std::to_string(*found.edge_split)});
    }
    if (sources.settings.files.empty()) sources.settings = found;
    if (found.dataset != sources.settings.dataset ||
        found.transforms != sources.settings.transforms || found.rows != sources.settings.rows ||
        found.smooth != sources.settings.smooth) {
      fail_input({.what = "the splits' runs differ in their dataset or settings",
                  .file = folder.string(),
                  .expected = "splits of one configuration",
                  .hint = "evaluate the folders one by one"});
    }
  }
  return sources;
}

LinkResult evaluate_run(const Context& context, const Graph& graph, const LinkSource& source,
                        LinkOptions options) {
  const EdgeSplitFile file = read_edge_split_file(context, map_file(source.split), graph);
  options.source = source.split.string();
  bool checked = false;
  if (!source.checkpoint.empty()) {
    if (std::to_string(file.seed) != source.split_seed) {
      fail_input({.what = "the kept edge split is not that of the run",
                  .file = options.source,
                  .found = "seed " + std::to_string(file.seed),
                  .expected = "seed " + source.split_seed + ", as config.toml says"});
    }
    if (is_there(source.checkpoint)) {
      check_trained_on(context, file.split.train, source.checkpoint);
      checked = true;
    }
  }
  LinkResult result =
      predict_links(context, file.split, file.seed, read_embedding(source.embedding), options);
  result.encoder_checked = checked;
  return result;
}

void evaluate_sources(const Context& context, const EvalLinkOptions& chosen,
                      const GlobalOptions& globals) {
  const std::optional<int> smooth = smooth_flag(chosen.train);
  if (chosen.splits != 0 || chosen.seeds != 0 || !chosen.out.empty() || chosen.overwrite ||
      chosen.train.settings.size() > (smooth ? 1U : 0U) || !chosen.train.recipe.empty()) {
    fail_input(
        {.what = "an embedding that is there is not trained again",
         .file = chosen.source,
         .expected = "no --splits, --seeds, --out, --overwrite, --recipe or parameter of training",
         .hint = "drop the folder to train all runs"});
  }
  const LinkSources sources = find_runs(chosen);
  const DataSpec wanted = dataset_of(sources.settings, chosen.train.data);
  const Dataset dataset = open_chosen(context, wanted, globals);
  const Graph graph = prepare_graph(context, dataset, wanted.transforms);
  const LinkOptions options = link_options(context, chosen, plain_rows(sources.settings.rows),
                                           smooth_of(sources.settings, smooth));
  std::vector<LinkResult> results(sources.runs.size());
  if (results.size() == 1) {
    results.front() = evaluate_run(context, graph, sources.runs.front(), options);
  } else {
    ProgressTask progress(context, "link predictors", static_cast<std::int64_t>(results.size()));
    const Scheduler scheduler(context, static_cast<std::int64_t>(results.size()), 0);
    scheduler.run([&](std::int64_t i) {
      const auto index = static_cast<std::size_t>(i);
      results[index] =
          evaluate_run(scheduler.context_of(context.seed()), graph, sources.runs[index], options);
      progress.advance();
    });
    progress.finish();
  }
  print_report(link_report(pool_links(results), graph.name), globals);
}

/// Commands that judge take no graph unasked; a recipe in a file may name it.
void require_dataset_or_recipe(const RunSpec& spec) {
  if (is_recipe_file(spec.recipe)) {
    TrainConfig ignored;
    const std::string text(map_file(spec.recipe).text());
    if (!apply_recipe(ignored, text, spec.recipe).empty()) return;
  }
  require_dataset(spec.data);
}

void train_and_evaluate(const Context& context, const EvalLinkOptions& chosen,
                        const GlobalOptions& globals) {
  if (!chosen.edge_split.empty()) {
    fail_input({.what = "runs that are trained here make their own edge splits",
                .file = "--edge-split",
                .found = in_quotes(chosen.edge_split),
                .expected = "--splits N: those of seeds 0 … N-1"});
  }
  const Claim claim = chosen.overwrite ? Claim::overwrite : Claim::extend;
  if (!chosen.out.empty()) check_folder(context, chosen.out, claim);
  require_dataset_or_recipe(chosen.train);
  const RunPlan run = plan_chosen(context, chosen.train, globals);
  LinkPlan plan;
  if (chosen.splits > 0) plan.splits = chosen.splits;
  if (chosen.seeds > 0) plan.seeds = chosen.seeds;
  plan.directory = chosen.out;
  plan.link = link_options(context, chosen, plain_rows(run.config), run.config.smooth);
  std::optional<ClaimedFolder> claimed;
  if (!chosen.out.empty()) claimed.emplace(context, chosen.out, claim);
  LinkRuns runs;
  try {
    runs = run_links(context, run, plan);
  } catch (const Interrupted&) {
    if (!chosen.out.empty()) {
      context.log().write(LogLevel::notice,
                          "stopped; the same command goes on with what " + chosen.out + " lacks");
    }
    throw;
  } catch (const Error&) {
    if (claimed) claimed->forget_unbegun();
    throw;
  }
  Report report = link_report(runs.result, run.graph.name, run.config.method);
  append(report.body, {{"method", run.config.method},
                       {"seeds", plan.seeds},
                       {"config", config_record(run.config)},
                       {"recipe", run.recipe},
                       {"version", build_info().version},
                       {"seconds", runs.seconds}});
  if (!chosen.out.empty()) {
    write_file(fs::path(chosen.out) / "link.json", to_json_text(report.body));
  }
  print_report(report, globals);
}

}  // namespace

void add_eval_link(CLI::App& eval, GlobalOptions& options) {
  CLI::App* command =
      eval.add_subcommand("link", "AUC and average precision of held-out edges against non-edges");
  const auto chosen = std::make_shared<EvalLinkOptions>();
  command
      ->add_option("embedding", chosen->source,
                   "The folder of creg train --edge-split, also of several seeds, or an .npy file "
                   "with --edge-split FILE; without it all runs are trained")
      ->type_name("DIR|EMB.npy");
  add_dataset_options(*command, chosen->train.data, DatasetFlags::without_splits);
  command
      ->add_option("--edge-split", chosen->edge_split,
                   "The edge-split.json that the embedding of an .npy file was made without")
      ->type_name("FILE");
  command->add_option("--splits", chosen->splits, "Train on edge splits 0 … N-1 [5]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command->add_option("--seeds", chosen->seeds, "Train seeds 0 … N-1 on every split [5]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--out", chosen->out,
                   "Keep the runs here, as DIR/split-<k>/seed-<s>/, and go on from them")
      ->type_name("DIR");
  command->add_flag("--overwrite", chosen->overwrite,
                    "Where DIR holds runs, first remove what they wrote");
  command->add_option("--predictor", chosen->predictor, "What scores a pair [linear]")
      ->type_name("linear|mlp");
  command->add_option("--predictor-lr", chosen->predictor_lr, "Its learning rate [0.01]")
      ->check(CLI::Range(1e-8, 1e2));
  command->add_option("--predictor-epochs", chosen->predictor_epochs, "The most epochs of it [500]")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--predictor-patience", chosen->predictor_patience,
                   "Stop so many epochs after the best validation AUC [0: never]")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000));
  add_normalize_option(*command, chosen->normalize);
  add_train_options(*command, chosen->train);
  use_short_help(*command, chosen->train);
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      if (chosen->source.empty()) {
        train_and_evaluate(context, *chosen, options);
      } else {
        evaluate_sources(context, *chosen, options);
      }
    };
  });
}

}  // namespace creg::cli
