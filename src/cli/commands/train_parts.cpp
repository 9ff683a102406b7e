// creg train --distributed on a graph in parts: a process for each part.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/commands/train_command.h"
#include "comm/launch.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "run/claimed_folder.h"
#include "run/part_run.h"
#include "run/run_folder.h"
#include "run/run_report.h"

namespace creg::cli {
namespace {

Report forecast_report(const PartRunForecast& forecast) {
  Table table{.columns = {{"own", "own nodes", Unit::count},
                          {"halo", "halo", Unit::count},
                          {"memory_bytes", "memory", Unit::bytes},
                          {"sent_bytes", "sent an epoch", Unit::bytes},
                          {"halo_bytes", "of halos", Unit::bytes},
                          {"shuffled_bytes", "of shuffled nodes", Unit::bytes},
                          {"gradient_bytes", "of gradients", Unit::bytes}},
              .rows = {}};
  std::int64_t sent = 0;
  for (const PartForecast& rank : forecast.ranks) {
    const PartTraffic& traffic = rank.traffic;
    table.rows.push_back({rank.own, rank.halo, rank.memory_bytes, traffic.all(), traffic.halo,
                          traffic.shuffled, traffic.gradients});
    sent += traffic.all();
  }
  const RunPlan& plan = forecast.plan;
  return {
      .body = {words(fmt::format("{} on {} in {}; recipe {}", plan.config.method, plan.graph.name,
                                 counted(static_cast<std::int64_t>(forecast.ranks.size()), "part"),
                                 plan.recipe)),
               {"nodes", forecast.nodes, "nodes", Unit::count},
               {"entries", forecast.entries, "entries of the adjacency", Unit::count},
               {"dataset", plan.graph.name},
               {"recipe", plan.recipe},
               {"out", plan.directory.string()},
               {"sent_bytes", sent, "the network carries in an epoch", Unit::bytes},
               {.key = "ranks", .value = std::move(table), .label = "each rank, estimated"}}};
}

std::string parts_of(const TrainCommand& command) {
  if (command.resume.empty() || !command.spec.data.dataset.empty()) {
    return command.spec.data.dataset;
  }
  return holds_run(command.resume) ? read_record(std::filesystem::path(command.resume)).dataset
                                   : "";
}

}  // namespace

bool is_on_parts(const TrainCommand& command) {
  return is_in_parts(parts_of(command));
}

void refuse_parts_alone(const TrainCommand& command) {
  fail_input({.what = "this is a graph in parts, of which one process has one",
              .file = parts_of(command),
              .hint = "start as many processes as there are parts, with --distributed: "
                      "docs/parts.md says how; one part alone is DIR/part-<k>.creg"});
}

void forecast_parts(const Context& context, const TrainCommand& command,
                    const GlobalOptions& globals, bool prints) {
  RunSpec spec = command.spec;
  spec.out = command.out;
  if (!command.resume.empty()) {
    fail_input({.what = "what a run on parts will take is told before it begins",
                .file = "--dry-run",
                .found = "with --resume",
                .expected = "--dataset DIR and its settings"});
  }
  PartRunForecast forecast = forecast_part_run(context, spec);
  if (command.out.empty()) forecast.plan.directory = default_run_folder(forecast.plan);
  if (prints) print_report(forecast_report(forecast), globals);
}

void train_on_parts(const Context& context, const TrainCommand& command,
                    const GlobalOptions& globals, const RankLaunch& launch, Communicator& world) {
  RunSpec spec = command.spec;
  spec.out = command.out;
  if (launch.rank == 0 && command.resume.empty() && !command.out.empty()) {
    check_folder(context, command.out, spec.overwrite ? Claim::overwrite : Claim::fresh);
  }
  if (launch.rank == 0 && !command.resume.empty() && holds_run(command.resume)) {
    check_folder(context, command.resume, Claim::resume);
  }
  PartRunPlan run = command.resume.empty()
                        ? plan_part_run(context, spec, launch.rank, launch.size)
                        : plan_part_resume(context, command.resume, command.spec.data.dataset,
                                           launch.rank, launch.size, globals.threads != 0);
  if (run.plan.directory.empty()) run.plan.directory = default_run_folder(run.plan);
  run.plan.eval_splits = command.spec.eval_splits;
  try {
    const RunResult result = execute_part(context, run, world);
    if (launch.rank == 0) print_report(run_report(result), globals);
  } catch (const Interrupted&) {
    context.log().write(LogLevel::notice,
                        "stopped after a whole epoch; go on with as many processes of: creg train "
                        "--distributed --resume " +
                            run.plan.directory.string());
    throw;
  }
}

}  // namespace creg::cli
