#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "cli/options/parts_options.h"
#include "core/build_info.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/train/trainer.h"
#include "io/file.h"
#include "ops/tensor_memory.h"
#include "run/claimed_folder.h"
#include "run/execute.h"
#include "run/parts.h"
#include "run/run_folder.h"
#include "run/run_report.h"
#include "run/scheduler.h"
#include "tasks/finetune.h"
#include "train/memory_estimate.h"

namespace creg::cli {
namespace {

struct FinetuneCommand {
  std::string folder;
  std::string checkpoint;
  DataSpec dataset;
  PartsSpec parts;
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
  source.config = config_of(record);
  DataSpec wanted = command.dataset;
  if (wanted.dataset.empty() && wanted.edges.empty()) {
    wanted.dataset = record.dataset;
    wanted.transforms = record.transforms;
    wanted.reading = record.reading | wanted.reading;
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

struct TunedRun {
  FinetuneResult pretrained;
  std::optional<FinetuneResult> fresh;
};

TunedRun tune(const Context& context, const Source& source, std::size_t i,
              const FinetuneCommand& command) {
  TunedRun out;
  out.pretrained = finetune(context, source.graph, source.parts, source.config,
                            source.checkpoints[i], command.options);
  if (command.baseline) {
    out.fresh =
        finetune(context, source.graph, source.parts, source.config, std::nullopt, command.options);
  }
  return out;
}

std::vector<TunedRun> tune_all(const Context& context, const Source& source,
                               const FinetuneCommand& command) {
  std::vector<TunedRun> outcomes(source.seeds.size());
  const auto tasks = static_cast<std::int64_t>(source.seeds.size());
  const Scheduler scheduler(context, tasks, estimate_memory(source.graph, source.config).total);
  if (!scheduler.side_by_side()) {
    for (std::size_t i = 0; i < source.seeds.size(); ++i) {
      outcomes[i] = tune(scheduler.context_of(source.seeds[i]), source, i, command);
    }
    return outcomes;
  }
  ProgressTask progress(context, "fine-tuning", tasks, "seeds");
  scheduler.run([&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    outcomes[index] = tune(scheduler.context_of(source.seeds[index]), source, index, command);
    progress.advance();
  });
  progress.finish();
  return outcomes;
}

/// What was measured, seed by seed.
struct Columns {
  std::vector<double> accuracy;
  std::vector<double> val_accuracy;
  std::vector<double> fresh_accuracy;
  std::vector<double> fresh_val_accuracy;
  std::vector<double> gain;
  std::vector<int> epochs;
  std::vector<int> fresh_epochs;
  double seconds = 0;
};

Columns columns_of(const std::vector<TunedRun>& outcomes) {
  Columns out;
  for (const TunedRun& outcome : outcomes) {
    out.accuracy.push_back(outcome.pretrained.accuracy);
    out.val_accuracy.push_back(outcome.pretrained.val_accuracy);
    out.epochs.push_back(outcome.pretrained.epochs_run);
    out.seconds += outcome.pretrained.seconds;
    if (!outcome.fresh) continue;
    out.fresh_accuracy.push_back(outcome.fresh->accuracy);
    out.fresh_val_accuracy.push_back(outcome.fresh->val_accuracy);
    out.fresh_epochs.push_back(outcome.fresh->epochs_run);
    out.gain.push_back(outcome.pretrained.accuracy - outcome.fresh->accuracy);
    out.seconds += outcome.fresh->seconds;
  }
  return out;
}

Report finetune_report(const Source& source, const FinetuneCommand& command,
                       const FinetuneResult& one, const Columns& columns) {
  const PretrainParts& parts = source.parts;
  std::string over =
      "over " + counted(static_cast<std::int64_t>(source.seeds.size()), "seed") +
      (columns.gain.empty() ? "" : "; fresh: without pretraining; the gain is seed by seed");
  if (one.classes_not_in_train > 0) {
    over += fmt::format("\nno training node has {} of the other parts' classes",
                        one.classes_not_in_train);
  }
  const Field accuracy{"accuracy", Sample{columns.accuracy}, "test accuracy", Unit::rate};
  const Field val{"val_accuracy", Sample{columns.val_accuracy}, "val accuracy", Unit::rate};
  const Field fresh{"accuracy_no_pretraining", Sample{columns.fresh_accuracy},
                    "test accuracy, fresh", Unit::rate};
  const Field fresh_val{"val_accuracy_no_pretraining", Sample{columns.fresh_val_accuracy},
                        "val accuracy, fresh", Unit::rate};
  const Field gain{"gain", Sample{columns.gain}, "gain of test accuracy", Unit::rate};
  return {.body = {
              words(fmt::format(
                  "{}: pretrained on {} nodes, fine-tuned on {}, validated on {}, tested on {}",
                  source.graph.name, with_commas(parts.pretrain.size()),
                  with_commas(parts.train.size()), with_commas(parts.val.size()),
                  with_commas(parts.test.size()))),
              {"task", "finetune"},
              {"protocol", "pretrain-finetune"},
              {"dataset", source.graph.name},
              {"parts", Record{{"pretrain", parts.pretrain.size()},
                               {"train", parts.train.size()},
                               {"val", parts.val.size()},
                               {"test", parts.test.size()},
                               {"train_labelled", one.train},
                               {"val_labelled", one.val},
                               {"test_labelled", one.test}}},
              {"classes_not_in_train", one.classes_not_in_train},
              {"metrics", Record{accuracy, val, fresh, fresh_val, gain}},
              {"epochs_run", columns.epochs},
              {"epochs_run_no_pretraining",
               columns.fresh_epochs.empty() ? Value() : Value(columns.fresh_epochs)},
              {"seeds", source.seeds},
              {"lr", command.options.lr},
              {"epochs", command.options.epochs},
              {"patience", command.options.patience},
              {"weight_decay", command.options.weight_decay},
              {"config", config_record(source.config)},
              {"version", build_info().version},
              {"seconds", columns.seconds},
              words(over),
          }};
}

void finetune_command(const Context& context, const FinetuneCommand& command,
                      const GlobalOptions& globals) {
  if (command.folder.empty() == command.checkpoint.empty()) {
    fail_input({.what = "what to fine-tune",
                .expected = "the folder of creg pretrain, or --checkpoint FILE with --dataset"});
  }
  install_tensor_memory();
  std::optional<ClaimedFolder> claimed;
  if (!command.folder.empty()) {
    read_record(command.folder);  // says so where it is no run
    claimed.emplace(context, command.folder, Claim::resume);
  }
  const Source source = command.folder.empty() ? of_checkpoint(context, command, globals)
                                               : of_folder(context, command, globals);
  const std::vector<TunedRun> outcomes = tune_all(context, source, command);
  const Report report =
      finetune_report(source, command, outcomes.front().pretrained, columns_of(outcomes));
  if (!command.folder.empty()) {
    write_file(std::filesystem::path(command.folder) / "finetune.json", to_json_text(report.body));
  }
  print_report(report, globals);
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
