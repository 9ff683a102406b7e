#include "comm/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "core/parse_value.h"
#include "creg/core/error.h"

namespace creg {
namespace {

constexpr int no_limit = std::numeric_limits<int>::max();
constexpr int most_ranks = 1 << 16;

/// A launcher by the names of its variables.
struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
  const char* local_rank;
};

constexpr Launcher torchrun{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"};
constexpr Launcher open_mpi{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                            "OMPI_COMM_WORLD_LOCAL_RANK"};
constexpr Launcher slurm{"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"};

class LaunchReader {
 public:
  LaunchReader(const Variables& variables, const Launcher& launcher)
      : variables_(variables), launcher_(launcher) {}

  RankLaunch read() {
    launch_.launcher = launcher_.name;
    launch_.size = number(launcher_.size, 1, most_ranks);
    launch_.rank = number(launcher_.rank, 0, launch_.size - 1);
    launch_.local_rank = number(launcher_.local_rank, 0, launch_.rank);
    if (const auto port = variables_("MASTER_PORT")) launch_.port = number("MASTER_PORT", 1, 65535);
    return launch_;
  }

  int number(const char* name, int low, int high) const {
    const std::optional<std::string> text = variables_(name);
    if (!text) fail_missing(name);
    return parse_number<int>(name, *text,
                             high == no_limit ? fmt::format("a number from {} on", low)
                                              : fmt::format("a number from {} to {}", low, high),
                             low, high);
  }

  [[noreturn]] void fail_missing(const char* name, const std::string& hint = {}) const {
    fail_input(
        {.what = "a variable of the launcher is not set",
         .file = name,
         .expected = fmt::format("all of them, since there are others of {}", launcher_.name),
         .hint = hint.empty() ? "start the ranks by torchrun, mpirun or srun "
                                "(docs/distributed.md), or leave out --distributed"
                              : hint});
  }

 private:
  const Variables& variables_;
  const Launcher& launcher_;
  RankLaunch launch_;
};

/// A port for ranks that know nothing in common but the name of their job: below those that the
/// system gives out by itself.
int port_of(std::string_view job) {
  constexpr std::uint32_t first = 15000;
  constexpr std::uint32_t count = 17000;
  std::uint32_t hash = 2166136261U;
  for (const char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return static_cast<int>(first + hash % count);
}

/// 0 where it begins with none.
int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Of "2(x3),1", the tasks of each node, those of node number `node`; 0 where it does not say.
int tasks_of_node(std::string_view list, int node) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view item = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const std::size_t times = item.find("(x");
    const int tasks = leading_number(item);
    const int nodes = times == std::string_view::npos ? 1 : leading_number(item.substr(times + 2));
    if (node < nodes) return tasks;
    node -= nodes;
  }
  return 0;
}

std::string first_of(const Variables& variables, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (const auto value = variables(name); value && !value->empty()) return *value;
  }
  return {};
}

RankLaunch by_torchrun(const Variables& variables) {
  LaunchReader reader(variables, torchrun);
  RankLaunch launch = reader.read();
  launch.local_size = launch.local_rank + 1;
  if (variables("LOCAL_WORLD_SIZE")) {
    launch.local_size = reader.number("LOCAL_WORLD_SIZE", launch.local_rank + 1, launch.size);
  }
  const auto master = variables("MASTER_ADDR");
  if (!master || master->empty()) reader.fail_missing("MASTER_ADDR");
  if (launch.port == 0) reader.fail_missing("MASTER_PORT");
  launch.master = *master;
  launch.met_by_launcher = first_of(variables, {"TORCHELASTIC_USE_AGENT_STORE"}) == "True";
  if (variables("CREG_DEVICES")) launch.launcher = "creg --devices";
  launch.name += "/" + first_of(variables, {"TORCHELASTIC_RUN_ID"}) + "/" +
                 first_of(variables, {"TORCHELASTIC_RESTART_COUNT"});
  return launch;
}

RankLaunch by_open_mpi(const Variables& variables) {
  LaunchReader reader(variables, open_mpi);
  RankLaunch launch = reader.read();
  launch.local_size =
      reader.number("OMPI_COMM_WORLD_LOCAL_SIZE", launch.local_rank + 1, launch.size);
  const std::string job = first_of(variables, {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"});
  if (launch.port == 0) launch.port = port_of(job);
  const std::string master = first_of(variables, {"MASTER_ADDR"});
  if (!master.empty()) {
    launch.master = master;
  } else if (launch.local_size != launch.size) {
    reader.fail_missing("MASTER_ADDR",
                        "ranks on several hosts meet at the host of rank 0, which Open MPI does "
                        "not name: mpirun -x MASTER_ADDR=HOST …");
  }
  launch.name += "/" + job;
  return launch;
}

RankLaunch by_slurm(const Variables& variables) {
  LaunchReader reader(variables, slurm);
  RankLaunch launch = reader.read();
  const int node = variables("SLURM_NODEID") ? reader.number("SLURM_NODEID", 0, no_limit) : 0;
  launch.local_size = std::max(
      launch.local_rank + 1,
      tasks_of_node(first_of(variables, {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}),
                    node));
  const std::string job =
      first_of(variables, {"SLURM_JOB_ID"}) + "." + first_of(variables, {"SLURM_STEP_ID"});
  if (launch.port == 0) launch.port = port_of(job);
  const std::string master = first_of(variables, {"MASTER_ADDR"});
  const std::string hosts =
      first_of(variables, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  if (master.empty() && hosts.empty() && launch.local_size != launch.size) {
    reader.fail_missing("SLURM_JOB_NODELIST");
  }
  launch.master = !master.empty() ? master : !hosts.empty() ? first_host(hosts) : launch.master;
  launch.name += "/" + job;
  return launch;
}

}  // namespace

Variables process_variables() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

std::optional<RankLaunch> find_launch(const Variables& variables) {
  // Slurm and Open MPI may run what starts torchrun: the innermost one counts.
  if (variables(torchrun.rank) || variables(torchrun.size)) return by_torchrun(variables);
  if (variables(open_mpi.rank) || variables(open_mpi.size)) return by_open_mpi(variables);
  // A batch script of Slurm has the number of tasks too, and is none of them.
  if (variables(slurm.rank)) return by_slurm(variables);
  return std::nullopt;
}

std::string first_host(const std::string& list) {
  const std::size_t open = list.find_first_of("[,");
  if (open == std::string::npos || list[open] == ',') return list.substr(0, open);
  const std::size_t end = list.find_first_of("-,]", open);
  if (end == std::string::npos) return list;
  const std::size_t close = list.find(']', open);
  const std::size_t comma = std::min(list.find(',', close), list.size());
  return list.substr(0, open) + list.substr(open + 1, end - open - 1) +
         list.substr(close + 1, comma - close - 1);
}

}  // namespace creg
