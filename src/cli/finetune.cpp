#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "cli/dataset_options.h"
#include "cli/parts_options.h"
#include "cli/run_folder.h"
#include "cli/training_run.h"
#include "creg/core/build_info.h"
#include "creg/core/error.h"
#include "creg/core/parallel.h"
#include "creg/core/progress.h"
#include "creg/core/text.h"
#include "creg/io/file.h"
#include "creg/learn/metrics.h"
#include "creg/ops/tensor_memory.h"
#include "creg/tasks/finetune.h"
#include "creg/train/trainer.h"

namespace creg::cli {
namespace {

struct FinetuneCommand {
  std::string folder;
  std::string checkpoint;
  DatasetOptions dataset;
  PartsOptions parts;
  FinetuneOptions options;
  int seeds = 1;
  bool baseline = true;
};

/// What is fine-tuned: one checkpoint per seed.
struct Source {
  std::vector<std::uint64_t> seeds;
  std::vector<std::filesystem::path> checkpoints;
  Graph graph;
  PretrainParts parts;
  TrainConfig config;
};

Source of_folder(const Context& context, const FinetuneCommand& command,
                 const GlobalOptions& globals) {
  const std::filesystem::path folder = command.folder;
  const RunRecord record = read_record(folder);
  Source source;
  source.config = record.config;
  DatasetOptions wanted = command.dataset;
  if (wanted.dataset.empty() && wanted.edges.empty()) {
    wanted.dataset = record.dataset;
    wanted.transforms = record.transforms;
  }
  source.graph = prepare_graph(context, open_chosen(context, wanted, globals), wanted.transforms);
  source.parts = kept_parts(context, folder, source.graph);
  if (record.seeds == 0) {
    source.seeds = {record.seed};
    source.checkpoints = {folder / "checkpoint.pt"};
  }
  for (int s = 0; s < record.seeds; ++s) {
    source.seeds.push_back(static_cast<std::uint64_t>(s));
    source.checkpoints.push_back(folder / ("seed-" + std::to_string(s)) / "checkpoint.pt");
  }
  return source;
}

Source of_checkpoint(const Context& context, const FinetuneCommand& command,
                     const GlobalOptions& globals) {
  Source source;
  source.config = checkpoint_config(command.checkpoint);
  source.graph = prepare_graph(context, open_chosen(context, command.dataset, globals),
                               command.dataset.transforms);
  source.parts = choose_parts(context, source.graph, command.parts);
  for (int s = 0; s < command.seeds; ++s) {
    source.seeds.push_back(command.seeds == 1 ? context.seed() : static_cast<std::uint64_t>(s));
    source.checkpoints.emplace_back(command.checkpoint);
  }
  return source;
}

struct Outcome {
  FinetuneResult pretrained;
  std::optional<FinetuneResult> fresh;
};

Outcome tune(const Context& context, const Source& source, std::size_t i,
             const FinetuneCommand& command) {
  Outcome out;
  out.pretrained = finetune(context, source.graph, source.parts, source.config,
                            source.checkpoints[i], command.options);
  if (command.baseline) {
    out.fresh =
        finetune(context, source.graph, source.parts, source.config, std::nullopt, command.options);
  }
  return out;
}

std::vector<Outcome> tune_all(const Context& context, const Source& source,
                              const FinetuneCommand& command) {
  std::vector<Outcome> outcomes(source.seeds.size());
  if (source.seeds.size() == 1) {
    Context::Options options = context.options();
    options.seed = source.seeds.front();
    outcomes.front() = tune(Context(options), source, 0, command);
    return outcomes;
  }
  ProgressTask progress(context, "fine-tuning", static_cast<std::int64_t>(source.seeds.size()),
                        "seeds");
  parallel_tasks(context, static_cast<std::int64_t>(source.seeds.size()), [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    outcomes[index] = tune(side_context(context, source.seeds[index]), source, index, command);
    progress.advance();
  });
  progress.finish();
  return outcomes;
}

struct Column {
  std::vector<double> accuracy;
  std::vector<double> val_accuracy;
  std::vector<int> epochs;

  void add(const FinetuneResult& result) {
    accuracy.push_back(result.accuracy);
    val_accuracy.push_back(result.val_accuracy);
    epochs.push_back(result.epochs_run);
  }
};

nlohmann::ordered_json summary_json(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  const Summary summary = summarise(values);
  return {{"mean", summary.mean}, {"std", summary.std}, {"values", summary.values}};
}

nlohmann::ordered_json report_json(const Source& source, const FinetuneCommand& command,
                                   const std::vector<Outcome>& outcomes) {
  Column pretrained;
  Column fresh;
  std::vector<double> gains;
  double seconds = 0;
  for (const Outcome& outcome : outcomes) {
    pretrained.add(outcome.pretrained);
    seconds += outcome.pretrained.seconds;
    if (!outcome.fresh) continue;
    fresh.add(*outcome.fresh);
    gains.push_back(outcome.pretrained.accuracy - outcome.fresh->accuracy);
    seconds += outcome.fresh->seconds;
  }
  const FinetuneResult& one = outcomes.front().pretrained;
  return {{"task", "finetune"},
          {"protocol", "pretrain-finetune"},
          {"dataset", source.graph.name},
          {"parts",
           {{"pretrain", source.parts.pretrain.size()},
            {"train", source.parts.train.size()},
            {"val", source.parts.val.size()},
            {"test", source.parts.test.size()},
            {"train_labelled", one.train},
            {"val_labelled", one.val},
            {"test_labelled", one.test}}},
          {"classes_not_in_train", one.classes_not_in_train},
          {"metrics",
           {{"accuracy", summary_json(pretrained.accuracy)},
            {"val_accuracy", summary_json(pretrained.val_accuracy)},
            {"accuracy_no_pretraining", summary_json(fresh.accuracy)},
            {"val_accuracy_no_pretraining", summary_json(fresh.val_accuracy)},
            {"gain", summary_json(gains)}}},
          {"epochs_run", pretrained.epochs},
          {"epochs_run_no_pretraining", fresh.epochs},
          {"seeds", source.seeds},
          {"lr", command.options.lr},
          {"epochs", command.options.epochs},
          {"patience", command.options.patience},
          {"weight_decay", command.options.weight_decay},
          {"config", config_json(source.config)},
          {"version", build_info().version},
          {"seconds", seconds}};
}

std::string report_table(const nlohmann::ordered_json& report) {
  const nlohmann::ordered_json& parts = report["parts"];
  std::string text = fmt::format(
      "{}: pretrained on {} nodes, fine-tuned on {}, validated on {}, tested on {}\n\n",
      report["dataset"].get<std::string>(), with_commas(parts["pretrain"].get<std::int64_t>()),
      with_commas(parts["train"].get<std::int64_t>()),
      with_commas(parts["val"].get<std::int64_t>()),
      with_commas(parts["test"].get<std::int64_t>()));
  text += fmt::format("{:<22} {:>7} {:>7}\n", "percent", "mean", "std");
  const auto row = [&](const char* name, const char* key) {
    const nlohmann::ordered_json& value = report["metrics"][key];
    if (value.is_null()) return;
    text += fmt::format("{:<22} {:>7.2f} {:>7.2f}\n", name, 100 * value["mean"].get<double>(),
                        100 * value["std"].get<double>());
  };
  row("test accuracy", "accuracy");
  row("  without pretraining", "accuracy_no_pretraining");
  row("  gain, seed by seed", "gain");
  row("val accuracy", "val_accuracy");
  row("  without pretraining", "val_accuracy_no_pretraining");
  text += fmt::format("\nover {} {}\n", report["seeds"].size(),
                      report["seeds"].size() == 1 ? "seed" : "seeds");
  const auto missing = report["classes_not_in_train"].get<std::int64_t>();
  if (missing > 0) {
    text += fmt::format("{} {} of the other parts no training node has: {} cannot be found\n",
                        missing, missing == 1 ? "class" : "classes", missing == 1 ? "it" : "they");
  }
  return text;
}

void finetune_command(const Context& context, const FinetuneCommand& command,
                      const GlobalOptions& globals) {
  if (command.folder.empty() == command.checkpoint.empty()) {
    fail_input({.what = "what to fine-tune",
                .expected = "the folder of creg pretrain, or --checkpoint FILE with --dataset"});
  }
  install_tensor_memory();
  const Source source = command.folder.empty() ? of_checkpoint(context, command, globals)
                                               : of_folder(context, command, globals);
  const nlohmann::ordered_json report =
      report_json(source, command, tune_all(context, source, command));
  if (!command.folder.empty()) {
    write_file(std::filesystem::path(command.folder) / "finetune.json", report.dump(2) + "\n");
  }
  print_result(globals.json ? report.dump(2) + "\n" : report_table(report));
}

}  // namespace

void add_finetune(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand(
      "finetune", "Train a pretrained encoder on labels of another part of the graph");
  const auto chosen = std::make_shared<FinetuneCommand>();
  command
      ->add_option("folder", chosen->folder, "The folder of creg pretrain, also of several seeds")
      ->type_name("DIR");
  command
      ->add_option("--checkpoint", chosen->checkpoint,
                   "Or any checkpoint.pt, for a dataset of the same width of features")
      ->type_name("FILE");
  add_dataset_options(*command, chosen->dataset, DatasetFlags::without_splits);
  add_parts_options(*command, chosen->parts);
  command
      ->add_option("--seeds", chosen->seeds,
                   "With --checkpoint: fine-tune with seeds 0 … N-1; a folder has its own [1]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command->add_option("--lr", chosen->options.lr, "Learning rate of Adam [0.001]")
      ->check(CLI::Range(1e-8, 100.0));
  command->add_option("--epochs", chosen->options.epochs, "The most epochs [300]")
      ->check(CLI::Range(1, 1 << 30));
  command
      ->add_option("--patience", chosen->options.patience,
                   "Stop after more epochs than this without a better validation accuracy [30]")
      ->check(CLI::Range(0, 1 << 30));
  command
      ->add_option("--weight-decay", chosen->options.weight_decay,
                   "L2 penalty on all parameters [0]")
      ->check(CLI::Range(0.0, 1000.0));
  command->add_flag("!--no-baseline", chosen->baseline,
                    "Leave out the encoder without pretraining beside it");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      finetune_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
