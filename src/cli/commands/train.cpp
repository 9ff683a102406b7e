#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/commands/train_command.h"
#include "cli/options/local_ranks.h"
#include "cli/options/short_help.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/settings_file.h"
#include "ops/runtime.h"
#include "run/claimed_folder.h"
#include "run/ranks.h"
#include "run/run_folder.h"
#include "run/run_report.h"
#include "train/encoder_parameters.h"
#include "train/memory_estimate.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

/// Whether the chosen method, or its encoder, looks at it. One that trains nothing looks at its own
/// alone.
bool matters(const Parameter& parameter, const TrainConfig& config) {
  const std::vector<std::string>& methods = parameter.methods;
  if (methods.empty()) {
    const bool of_batches = parameter.group == "Batches" && parameter.key != "batch_size";
    if (of_batches && config.batch.size == 0) return false;
    if (!looks_at(config.encoder, parameter.key)) return false;
    return parameter.key == "method" || !method_of(config).encoders.empty();
  }
  return std::find(methods.begin(), methods.end(), config.method) != methods.end();
}

/// "2,708 nodes", or "~2,708 nodes" where that is a guess.
std::string about(const RunPlan& plan, std::int64_t count, std::string_view one) {
  return (plan.estimated ? "~" : "") + counted(count, one);
}

std::int64_t memory_for(const Context& context) {
  return context.device().type == DeviceType::cpu ? available_memory()
                                                  : tensor_memory_left(context).bytes;
}

/// What each rank sends to the others; nothing where there are none.
Field traffic_field(const RunPlan& plan) {
  if (plan.ranks == 0) return {"network", nullptr};
  const NetworkTraffic traffic = traffic_of(plan);
  return {"network", Record{{"ranks", plan.ranks},
                            {"batches_per_update", plan.config.batch.per_update},
                            {"updates_per_epoch", traffic.updates_per_epoch},
                            {"bytes_per_update", traffic.bytes_per_update},
                            {"bytes_per_epoch", traffic.bytes_per_epoch},
                            {"bytes_of_embedding", traffic.bytes_of_embedding}}};
}

Field traffic_words(const RunPlan& plan) {
  if (plan.ranks == 0) return {};
  const NetworkTraffic traffic = traffic_of(plan);
  return words(fmt::format(
      "{}; each sends {} per update of {}, {} per epoch, {} for an embedding",
      counted(plan.ranks, "rank"), human_bytes(traffic.bytes_per_update),
      plan.config.batch.per_update == 1 ? "1 batch"
                                        : fmt::format("{} batches", plan.config.batch.per_update),
      human_bytes(traffic.bytes_per_epoch), human_bytes(traffic.bytes_of_embedding)));
}

/// `available`: bytes where it would compute, for so many `ranks` together.
Report plan_report(const RunPlan& plan, std::int64_t available, int ranks) {
  std::string settings;
  for (const Parameter& parameter : parameters_of(plan.config)) {
    if (!matters(parameter, plan.config)) continue;
    const auto origin = plan.origins.find(parameter.key);
    settings += fmt::format("{}{} = {}{}", settings.empty() ? "" : "\n", parameter.key,
                            toml_value(parameter.get(plan.config)),
                            origin == plan.origins.end() ? "" : "  # " + name_of(origin->second));
  }
  Record parts;
  Record rows;
  for (const MemoryPart& part : plan.memory) {
    parts.push_back({part.name, part.bytes});
    rows.push_back({.value = part.bytes, .label = part.name, .unit = Unit::bytes});
  }
  rows.push_back({.value = plan.memory_bytes,
                  .label = "in all",
                  .unit = Unit::bytes,
                  .note = ranks == 1
                              ? fmt::format("of {} available", human_bytes(available))
                              : fmt::format("each; of {} available to the {} of this host",
                                            human_bytes(available), counted(ranks, "rank"))});
  return {
      .body = {words(fmt::format("{} on {} into {}; recipe {}", plan.config.method, plan.graph.name,
                                 plan.directory.string(), plan.recipe)),
               words(fmt::format("{}, {}, {}", about(plan, plan.nodes, "node"),
                                 about(plan, plan.edges, "edge"),
                                 about(plan, plan.features, "feature"))),
               words(settings),
               {"nodes", plan.nodes},
               {"edges", plan.edges},
               {"features", plan.features},
               {"estimated", plan.estimated},
               {"dataset", plan.graph.name},
               {"recipe", plan.recipe},
               {"out", plan.directory.string()},
               {"threads", plan.threads},
               {"runs", plan.seeds.size()},
               traffic_field(plan),
               {"memory", Record{{"bytes", plan.memory_bytes},
                                 {"parts", std::move(parts)},
                                 {"ranks", ranks},
                                 {"available_bytes", available}}},
               {.value = std::move(rows),
                .label = fmt::format("{}, {} each; memory, estimated:",
                                     counted(static_cast<std::int64_t>(plan.seeds.size()), "run"),
                                     counted(plan.threads, "thread"))},
               traffic_words(plan)}};
}

void refuse_changes(const TrainCommand& command) {
  const RunSpec& spec = command.spec;
  if (spec.settings.empty() && command.out.empty() && spec.seeds == 0 && !spec.edge_split &&
      spec.calibrate == 0 && spec.recipe.empty() && !spec.overwrite && !spec.tensorboard) {
    return;
  }
  fail_input({.what = "--resume continues with the settings that the run began with",
              .file = "--resume",
              .hint = "drop the other flags, or start a new run with --out"});
}

/// As one of the ranks where `launch` says so.
void plan_and_train(const Context& context, TrainCommand command, const GlobalOptions& globals,
                    const RankLaunch* launch, const std::shared_ptr<Communicator>& world) {
  command.spec.ranks = launch == nullptr ? 0 : launch->size;
  command.spec.world = world;
  const bool first = launch == nullptr || launch->rank == 0;
  RunPlan plan;
  if (!command.resume.empty()) {
    if (first && holds_run(command.resume)) check_folder(context, command.resume, Claim::resume);
    plan = (command.dry_run ? plan_dry_resume : plan_resume)(
        context, command.resume, globals.data_dir, globals.threads != 0);
    plan.eval_splits = command.spec.eval_splits;
    take_ranks(plan, command.spec);
  } else {
    if (first && !command.out.empty() && !command.dry_run) {
      check_folder(context, command.out, command.spec.overwrite ? Claim::overwrite : Claim::fresh);
    }
    plan = command.dry_run ? plan_dry(context, command.spec, globals)
                           : plan_chosen(context, command.spec, globals);
    plan.directory =
        command.out.empty() ? default_run_folder(plan) : std::filesystem::path(command.out);
  }
  if (command.dry_run) {
    const bool share = launch != nullptr && context.device().type == DeviceType::cpu;
    if (first) {
      print_report(plan_report(plan, memory_for(context), share ? launch->local_size : 1), globals);
    }
    return;
  }
  try {
    const RunResult result = execute(context, plan);
    if (first) print_report(run_report(result), globals);
  } catch (const Interrupted&) {
    context.log().write(LogLevel::notice,
                        "stopped after a whole epoch or batch; go on with: creg train "
                        "--resume " +
                            plan.directory.string());
    throw;
  }
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
  const bool in_parts = is_on_parts(command);
  if (!command.resume.empty()) refuse_changes(command);
  if (in_parts && command.dry_run) {
    // Of the parts all is known, whether or not there are as many ranks.
    const auto launch = command.ranks.distributed ? find_launch(process_variables()) : std::nullopt;
    if (launch) {
      forecast_parts(context_of_rank(context, globals, *launch), command, globals,
                     launch->rank == 0);
    } else {
      forecast_parts(context, command, globals, true);
    }
    return;
  }
  if (!command.ranks.distributed) {
    if (in_parts) refuse_parts_alone(command);
    plan_and_train(context, command, globals, nullptr, nullptr);
    return;
  }
  const RankLaunch launch = launched_rank();
  const Context own = context_of_rank(context, globals, launch);
  if (command.dry_run) {
    plan_and_train(own, command, globals, &launch, nullptr);
    return;
  }
  with_ranks(own, launch, command.ranks, [&](const std::shared_ptr<Communicator>& world) {
    if (in_parts) {
      train_on_parts(own, command, globals, launch, *world);
    } else {
      plan_and_train(own, command, globals, &launch, world);
    }
  });
}

void add_run_options(CLI::App& command, TrainCommand& chosen) {
  command
      .add_option("--out", chosen.out,
                  "The folder to write, a new one or with --overwrite [runs/<dataset>-<method>]")
      ->type_name("DIR");
  command.add_flag("--overwrite", chosen.spec.overwrite,
                   "Where the folder holds a run, first remove what that run wrote");
  command
      .add_option("--seeds", chosen.spec.seeds,
                  "Train seeds 0 … N-1 into DIR/seed-<s>/ and pool their results")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command.add_option("--resume", chosen.resume, "Go on with the run in this folder")
      ->type_name("DIR");
  command.add_flag("--tensorboard", chosen.spec.tensorboard,
                   "Also write what is measured as an event file: tensorboard --logdir DIR");
  command.add_flag(
      "--dry-run", chosen.dry_run,
      "Print the graph's sizes, the settings that matter and the estimated memory; read no "
      "graph, train nothing");
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
  add_distributed_options(*command, chosen->ranks);
  add_devices_option(*command, chosen->ranks);
  add_train_options(*command, chosen->spec);
  use_short_help(*command, chosen->spec,
                 {"dataset", "edges", "features", "labels", "out", "resume", "seeds", "recipe",
                  "method", "encoder", "reg", "dim", "lr", "epochs", "batch-size", "devices"});
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      if (chosen->ranks.devices > 0) {
        options.status = run_local_ranks(context, options.words, chosen->ranks.devices);
        return;
      }
      train_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
