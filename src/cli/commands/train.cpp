#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "cli/commands/train_command.h"
#include "cli/options/train_options.h"
#include "cli/reports/classify_report.h"
#include "cli/reports/summary_report.h"
#include "cli/run_folder.h"
#include "cli/training_run.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/transforms.h"
#include "io/file.h"
#include "ops/tensor_memory.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

nlohmann::ordered_json memory_json(const ChosenRun& run) {
  const MemoryEstimate estimate = estimate_memory(run.graph, run.config);
  nlohmann::ordered_json parts;
  for (const MemoryPart& part : estimate.parts) parts[part.name] = part.bytes;
  return {{"bytes", estimate.total}, {"parts", parts}, {"available_bytes", available_memory()}};
}

void show_plan(const ChosenRun& run, const std::filesystem::path& directory, bool json) {
  if (json) {
    const nlohmann::ordered_json out = {{"dataset", run.graph.name},
                                        {"recipe", run.recipe},
                                        {"out", directory.string()},
                                        {"memory", memory_json(run)}};
    print_result(out.dump(2) + "\n");
    return;
  }
  const MemoryEstimate estimate = estimate_memory(run.graph, run.config);
  std::string text = fmt::format("{} on {} into {}; recipe {}\n\n", run.config.method,
                                 run.graph.name, directory.string(), run.recipe);
  text += config_toml(run.config) + "\nmemory, estimated:\n";
  for (const MemoryPart& part : estimate.parts) {
    text += fmt::format("  {:<26} {:>10}\n", part.name, human_bytes(part.bytes));
  }
  text += fmt::format("  {:<26} {:>10}  of {} available\n", "in all", human_bytes(estimate.total),
                      human_bytes(available_memory()));
  print_result(text);
}

void show_result(const Context& context, const ChosenRun& run, const RunPlan& plan,
                 const std::vector<SeedResult>& results, bool json) {
  const nlohmann::ordered_json out = result_json(context, run, results);
  if (plan.several) write_file(plan.directory / "result.json", out.dump(2) + "\n");
  if (json) {
    print_result(out.dump(2) + "\n");
    return;
  }
  std::string text;
  std::vector<ClassifyResult> classified;
  double seconds = 0;
  std::int64_t epochs = 0;
  for (const SeedResult& result : results) {
    if (result.classification) classified.push_back(*result.classification);
    seconds += result.training.seconds;
    epochs += result.training.epochs_run;
  }
  if (run.pretrain) {
    text += fmt::format("{}: pretrained on {}; next: creg finetune {}\n", run.graph.name,
                        counted(run.graph.nodes(), "node"), plan.directory.string());
  } else if (classified.empty()) {
    text += fmt::format("{}: {}, so nothing was evaluated\n", run.graph.name,
                        run.graph.has_labels() ? "no split of the labels" : "no labels");
  } else {
    text += classify_table(pool_results(classified), run.graph.name);
  }
  if (run.held_out) {
    text += fmt::format("\ntrained on the {} training edges of edge split {} alone\n",
                        with_commas(run.graph.adjacency.nonzeros() / 2), run.held_out->file.seed);
  }
  text += fmt::format(
      "\n{} epochs in {} of training, {} an epoch\n", with_commas(epochs), human_seconds(seconds),
      human_seconds(seconds / static_cast<double>(std::max<std::int64_t>(1, epochs))));
  const std::string where =
      plan.several ? (plan.directory / "seed-*").string() : plan.directory.string();
  text += fmt::format("{}/embedding.npy: {} x {} floats\n", where,
                      with_commas(results.front().training.embedding.rows),
                      with_commas(results.front().training.embedding.cols));
  print_result(text);
}

/// The options that the recorded run began with.
TrainOptions recorded_options(const RunRecord& record) {
  TrainOptions options;
  options.dataset.dataset = record.dataset;
  options.dataset.transforms = record.transforms;
  options.recipe = "none";
  for (const Parameter& parameter : train_parameters()) {
    options.values[parameter.key] = parameter.get(record.config);
  }
  return options;
}

std::vector<std::uint64_t> seed_list(int seeds, std::uint64_t single) {
  if (seeds == 0) return {single};
  std::vector<std::uint64_t> list;
  for (int s = 0; s < seeds; ++s) list.push_back(static_cast<std::uint64_t>(s));
  return list;
}

/// Leaves the run the part of its graph that is for pretraining.
void take_part(const Context& context, ChosenRun& run, const PretrainParts& parts) {
  run.graph = induced_subgraph(context, run.graph, parts.pretrain.span());
  run.pretrain = true;
}

}  // namespace

void train_command(const Context& context, const TrainCommand& command,
                   const GlobalOptions& globals) {
  if (command.parameters) {
    print_result(parameters_markdown());
    return;
  }
  if (command.recipe_template) {
    print_result(recipe_template());
    return;
  }
  install_tensor_memory();
  const bool resume = !command.resume.empty();
  if (resume && (!command.options.values.empty() || !command.out.empty() || command.seeds != 0 ||
                 command.edge_split || command.calibrate > 0 || !command.options.recipe.empty())) {
    fail_input({.what = "--resume continues with the settings that the run began with",
                .file = "--resume",
                .hint = "drop the other flags, or start a new run with --out"});
  }
  RunPlan plan;
  plan.resume = resume;
  plan.splits = command.eval_splits;
  ChosenRun run;
  std::optional<PretrainParts> parts;
  Graph whole;
  Context::Options options = context.options();
  if (resume) {
    plan.directory = command.resume;
    const RunRecord record = read_record(plan.directory);
    run = choose_run(context, recorded_options(record), globals);
    run.recipe = record.recipe;
    if (record.edge_split) hold_out_kept_edges(context, run, *record.edge_split, plan.directory);
    if (record.pretrain) {
      take_part(context, run, kept_parts(context, plan.directory, run.graph));
      plan.evaluate = false;
    }
    plan.several = record.seeds > 0;
    plan.calibrate = record.calibrate;
    plan.seeds = seed_list(record.seeds, record.seed);
    // The same number of threads gives the same bytes.
    if (globals.threads == 0) options.threads = record.threads;
  } else {
    run = choose_run(context, command.options, globals);
    if (command.edge_split) hold_out_edges(context, run, *command.edge_split);
    plan.directory =
        command.out.empty() ? default_run_folder(run) : std::filesystem::path(command.out);
    if (command.pretrain) {
      if (command.out.empty()) plan.directory += "-pretrain";
      parts = choose_parts(context, run.graph, *command.pretrain);
      whole = run.graph;
      take_part(context, run, *parts);
      plan.evaluate = false;
    }
    plan.several = command.seeds > 0;
    plan.calibrate = command.calibrate;
    plan.seeds = seed_list(command.seeds, context.seed());
  }
  if (command.dry_run) {
    show_plan(run, plan.directory, globals.json);
    return;
  }
  const Context run_context(options);
  if (!resume) {
    write_records(run_context, run, plan, command.options.dataset,
                  threads_per_run(run_context, run, plan.seeds.size()));
    if (parts) keep_parts(plan.directory, whole, *parts);
  }
  try {
    const std::vector<SeedResult> results = run_seeds(run_context, run, plan);
    show_result(run_context, run, plan, results, globals.json);
  } catch (const Interrupted&) {
    context.log().write(LogLevel::notice,
                        "stopped after a whole epoch or batch; go on with: creg train "
                        "--resume " +
                            plan.directory.string());
    throw;
  }
}

void add_run_options(CLI::App& command, TrainCommand& chosen) {
  command.add_option("--out", chosen.out, "The folder to write [runs/<dataset>-<method>]")
      ->type_name("DIR");
  command
      .add_option("--seeds", chosen.seeds,
                  "Train seeds 0 … N-1 into DIR/seed-<s>/ and pool their results")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command.add_option("--resume", chosen.resume, "Go on with the run in this folder")
      ->type_name("DIR");
  command.add_flag("--dry-run", chosen.dry_run,
                   "Print the settings and the estimated memory, train nothing");
}

void add_train(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand("train", "Learn embeddings of a graph without labels");
  const auto chosen = std::make_shared<TrainCommand>();
  add_dataset_options(*command, chosen->options.dataset);
  add_run_options(*command, *chosen);
  command
      ->add_option(
          "--edge-split", chosen->edge_split,
          "Train on 85 % of the edges; the split of this seed is kept in DIR for creg eval "
          "link")
      ->type_name("SEED");
  command
      ->add_option("--calibrate", chosen->calibrate,
                   "Measure the calibration every EVERY epochs [10] in DIR/calibration.jsonl; creg "
                   "history draws it")
      ->type_name("EVERY")
      ->expected(0, 1)
      ->default_str("10")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--eval-splits", chosen->eval_splits,
                   "Splits to evaluate on, where the dataset has no public one [20]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--parameters", chosen->parameters, "Print all parameters as Markdown");
  command->add_flag("--template", chosen->recipe_template,
                    "Print a recipe with every key, to be filled in");
  add_train_options(*command, chosen->options);
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      train_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
