#include "cli/options/distributed_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/lost_meeting.h"
#include "core/console.h"
#include "core/text.h"
#include "creg/core/error.h"

namespace creg::cli {
namespace {

/// Of a rank that is not the first: what is worth a line from it too.
class WarningsOnly final : public LogSink {
 public:
  WarningsOnly(std::shared_ptr<LogSink> sink, std::string name)
      : sink_(std::move(sink)), name_(std::move(name)) {}
  void write(LogLevel level, std::string_view message) override {
    if (level < LogLevel::warning) return;
    sink_->write(level, name_ + ": " + std::string(message));
  }

 private:
  std::shared_ptr<LogSink> sink_;
  std::string name_;
};

}  // namespace

RankLaunch launched_rank() {
  const std::optional<RankLaunch> launch = find_launch(process_variables());
  if (launch) return *launch;
  fail_input({.what = "this process is none of several: no launcher has set its variables",
              .file = "--distributed",
              .expected = "RANK and its companions by torchrun, OMPI_COMM_WORLD_RANK by mpirun, or "
                          "SLURM_PROCID by srun",
              .hint = "mpirun -n 2 creg train --distributed …; docs/distributed.md"});
}

Context context_of_rank(const Context& context, const GlobalOptions& globals,
                        const RankLaunch& launch) {
  Context::Options options = context.options();
  if (globals.threads == 0) {
    options.threads = std::max(1, available_cores() / launch.local_size);
    if (launch.rank == 0) {
      context.log().write(
          LogLevel::info,
          fmt::format("{} of {}, {} on this host: {} each", counted(launch.size, "rank"),
                      launch.launcher, launch.local_size, counted(options.threads, "thread")));
    }
  }
  // A GPU for each rank of a host.
  if (options.device.type != DeviceType::cpu && globals.device.find(':') == std::string::npos) {
    options.device.index = launch.local_rank;
  }
  if (launch.rank > 0) {
    options.log = std::make_shared<WarningsOnly>(options.log, fmt::format("rank {}", launch.rank));
    options.progress = make_silent_progress();
  }
  return Context(options);
}

void with_ranks(const Context& context, const RankLaunch& launch, const DistributedOptions& chosen,
                const std::function<void(const std::shared_ptr<Communicator>&)>& work) {
  explain_lost_meeting();
  creg::with_ranks(launch,
                   {.timeout_seconds = chosen.timeout_seconds,
                    .stopped = [&context] { return context.stopped(); }},
                   work);
}

}  // namespace creg::cli
