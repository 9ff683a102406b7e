#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/commands/train_command.h"
#include "cli/options/short_help.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/settings_file.h"
#include "report/classify_report.h"
#include "run/execute.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

nlohmann::ordered_json memory_json(const RunPlan& plan) {
  nlohmann::ordered_json parts;
  for (const MemoryPart& part : plan.memory) parts[part.name] = part.bytes;
  return {{"bytes", plan.memory_bytes}, {"parts", parts}, {"available_bytes", available_memory()}};
}

void show_plan(const RunPlan& plan, bool json) {
  if (json) {
    const nlohmann::ordered_json out = {
        {"dataset", plan.graph.name}, {"recipe", plan.recipe},     {"out", plan.directory.string()},
        {"threads", plan.threads},    {"runs", plan.seeds.size()}, {"memory", memory_json(plan)}};
    print_result(out.dump(2) + "\n");
    return;
  }
  std::string text = fmt::format("{} on {} into {}; recipe {}\n\n", plan.config.method,
                                 plan.graph.name, plan.directory.string(), plan.recipe);
  for (const Parameter& parameter : parameters_of(plan.config)) {
    const auto origin = plan.origins.find(parameter.key);
    text += fmt::format("{} = {}{}\n", parameter.key, toml_value(parameter.get(plan.config)),
                        origin == plan.origins.end() ? "" : "  # " + name_of(origin->second));
  }
  text += fmt::format("\n{}, {} each; memory, estimated:\n",
                      counted(static_cast<std::int64_t>(plan.seeds.size()), "run"),
                      counted(plan.threads, "thread"));
  for (const MemoryPart& part : plan.memory) {
    text += fmt::format("  {:<26} {:>10}\n", part.name, human_bytes(part.bytes));
  }
  text += fmt::format("  {:<26} {:>10}  of {} available\n", "in all",
                      human_bytes(plan.memory_bytes), human_bytes(available_memory()));
  print_result(text);
}

void show_result(const RunResult& result, bool json) {
  const RunPlan& plan = result.plan;
  if (json) {
    print_result(result_json(result).dump(2) + "\n");
    return;
  }
  std::string text;
  std::vector<ClassifyResult> classified;
  double seconds = 0;
  std::int64_t epochs = 0;
  for (const SeedResult& seed : result.seeds) {
    if (seed.classification) classified.push_back(*seed.classification);
    seconds += seed.training.seconds;
    epochs += seed.training.epochs_run;
  }
  if (plan.parts) {
    text += fmt::format("{}: pretrained on {}; next: creg finetune {}\n", plan.graph.name,
                        counted(plan.graph.nodes(), "node"), plan.directory.string());
  } else if (classified.empty()) {
    text += fmt::format("{}: {}, so nothing was evaluated\n", plan.graph.name,
                        plan.graph.has_labels() ? "no split of the labels" : "no labels");
  } else {
    text += classify_table(pool_results(classified), plan.graph.name);
  }
  if (plan.held_out) {
    text += fmt::format("\ntrained on the {} training edges of edge split {} alone\n",
                        with_commas(plan.graph.adjacency.nonzeros() / 2), plan.held_out->seed);
  }
  text += fmt::format(
      "\n{} epochs in {} of training, {} an epoch\n", with_commas(epochs), human_seconds(seconds),
      human_seconds(seconds / static_cast<double>(std::max<std::int64_t>(1, epochs))));
  const std::string where =
      plan.several ? (plan.directory / "seed-*").string() : plan.directory.string();
  const DenseMatrix& embedding = result.seeds.front().training.embedding;
  text += fmt::format("{}/embedding.npy: {} x {} floats\n", where, with_commas(embedding.rows),
                      with_commas(embedding.cols));
  print_result(text);
}

void refuse_changes(const TrainCommand& command) {
  const RunSpec& spec = command.spec;
  if (spec.settings.empty() && command.out.empty() && spec.seeds == 0 && !spec.edge_split &&
      spec.calibrate == 0 && spec.recipe.empty()) {
    return;
  }
  fail_input({.what = "--resume continues with the settings that the run began with",
              .file = "--resume",
              .hint = "drop the other flags, or start a new run with --out"});
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
  RunPlan plan;
  if (!command.resume.empty()) {
    refuse_changes(command);
    plan = plan_resume(context, command.resume, globals.data_dir, globals.threads != 0);
    plan.eval_splits = command.spec.eval_splits;
  } else {
    plan = plan_chosen(context, command.spec, globals);
    plan.directory =
        command.out.empty() ? default_run_folder(plan) : std::filesystem::path(command.out);
  }
  if (command.dry_run) {
    show_plan(plan, globals.json);
    return;
  }
  try {
    show_result(execute(context, plan), globals.json);
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
      .add_option("--seeds", chosen.spec.seeds,
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
  add_dataset_options(*command, chosen->spec.data);
  add_run_options(*command, *chosen);
  command
      ->add_option(
          "--edge-split", chosen->spec.edge_split,
          "Train on 85 % of the edges; the split of this seed is kept in DIR for creg eval "
          "link")
      ->type_name("SEED");
  command
      ->add_option("--calibrate", chosen->spec.calibrate,
                   "Measure the calibration every EVERY epochs [10] in DIR/calibration.jsonl; creg "
                   "history draws it")
      ->type_name("EVERY")
      ->expected(0, 1)
      ->default_str("10")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--eval-splits", chosen->spec.eval_splits,
                   "Splits to evaluate on, where the dataset has no public one [20]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--parameters", chosen->parameters, "Print all parameters as Markdown");
  command->add_flag("--template", chosen->recipe_template,
                    "Print a recipe with every key, to be filled in");
  add_train_options(*command, chosen->spec);
  use_short_help(*command, chosen->spec,
                 {"dataset", "edges", "features", "labels", "out", "resume", "seeds", "recipe",
                  "method", "encoder", "reg", "dim", "lr", "epochs", "batch-size"});
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      train_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
