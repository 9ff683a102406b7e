#include "comm/launch.h"

#include <gtest/gtest.h>

#include <map>

#include "creg/core/error.h"

namespace creg::launch_test {

using Values = std::map<std::string, std::string>;

Variables from(Values values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

RankLaunch found(const Values& values) {
  const std::optional<RankLaunch> launch = find_launch(from(values));
  EXPECT_TRUE(launch.has_value());
  return launch.value_or(RankLaunch{});
}

Error error_of(const Values& values) {
  try {
    find_launch(from(values));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorKind::input, {}};
}

const Values by_torchrun{{"RANK", "5"},
                         {"WORLD_SIZE", "8"},
                         {"LOCAL_RANK", "1"},
                         {"LOCAL_WORLD_SIZE", "4"},
                         {"MASTER_ADDR", "node3"},
                         {"MASTER_PORT", "29500"}};
const Values by_open_mpi{{"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "2"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                         {"PMIX_NAMESPACE", "1234"}};
const Values by_slurm{{"SLURM_PROCID", "3"},
                      {"SLURM_NTASKS", "5"},
                      {"SLURM_LOCALID", "1"},
                      {"SLURM_NODEID", "1"},
                      {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"},
                      {"SLURM_JOB_ID", "77"},
                      {"SLURM_STEP_NODELIST", "big[007-009],small1"}};

Values with(Values values, const std::string& name, const std::string& value) {
  values[name] = value;
  return values;
}

Values without(Values values, const std::string& name) {
  values.erase(name);
  return values;
}

TEST(Launch, NothingIsNoLaunch) {
  EXPECT_FALSE(find_launch(from({})).has_value());
  // In a batch script of Slurm, outside of srun.
  EXPECT_FALSE(find_launch(from({{"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "1"}})).has_value());
}

TEST(Launch, Torchrun) {
  const RankLaunch launch = found(by_torchrun);
  EXPECT_EQ(launch.rank, 5);
  EXPECT_EQ(launch.size, 8);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 4);
  EXPECT_EQ(launch.master, "node3");
  EXPECT_EQ(launch.port, 29500);
  EXPECT_EQ(launch.launcher, "torchrun");
  EXPECT_FALSE(launch.met_by_launcher);
  EXPECT_TRUE(found(with(by_torchrun, "TORCHELASTIC_USE_AGENT_STORE", "True")).met_by_launcher);
  // A restart does not find what the ranks before it have left there.
  EXPECT_NE(found(with(by_torchrun, "TORCHELASTIC_RESTART_COUNT", "1")).name, launch.name);
  // The command itself says the same to the ranks that it starts.
  EXPECT_EQ(found(with(by_torchrun, "CREG_DEVICES", "8")).launcher, "creg --devices");
}

TEST(Launch, TorchrunInsideAnotherLauncher) {
  Values both = by_torchrun;
  both.insert(by_slurm.begin(), by_slurm.end());
  both.insert(by_open_mpi.begin(), by_open_mpi.end());
  EXPECT_EQ(found(both).launcher, "torchrun");
}

TEST(Launch, OpenMpiOnOneHost) {
  const RankLaunch launch = found(by_open_mpi);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.size, 2);
  EXPECT_EQ(launch.local_size, 2);
  EXPECT_EQ(launch.master, "127.0.0.1");
  EXPECT_EQ(launch.launcher, "Open MPI");
  EXPECT_GE(launch.port, 15000);
  EXPECT_LT(launch.port, 32000);
  EXPECT_EQ(found(with(by_open_mpi, "OMPI_COMM_WORLD_RANK", "1")).port, launch.port);
  EXPECT_NE(found(with(by_open_mpi, "PMIX_NAMESPACE", "1235")).port, launch.port);
  EXPECT_EQ(found(with(by_open_mpi, "MASTER_PORT", "4000")).port, 4000);
}

TEST(Launch, OpenMpiOnSeveralHostsNeedsToKnowTheFirst) {
  Values several = with(by_open_mpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "1");
  several["OMPI_COMM_WORLD_LOCAL_RANK"] = "0";
  const Error error = error_of(several);
  EXPECT_EQ(error.detail().file, "MASTER_ADDR");
  EXPECT_NE(error.detail().hint.find("mpirun -x MASTER_ADDR"), std::string::npos);
  EXPECT_EQ(found(with(several, "MASTER_ADDR", "node1")).master, "node1");
}

TEST(Launch, Slurm) {
  const RankLaunch launch = found(by_slurm);
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.size, 5);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 2);
  EXPECT_EQ(launch.master, "big007");
  EXPECT_EQ(launch.launcher, "Slurm");
  EXPECT_EQ(found(with(by_slurm, "MASTER_ADDR", "other")).master, "other");
  EXPECT_NE(found(with(by_slurm, "SLURM_JOB_ID", "78")).port, launch.port);
}

TEST(Launch, ListsOfHosts) {
  EXPECT_EQ(first_host("one"), "one");
  EXPECT_EQ(first_host("one,two"), "one");
  EXPECT_EQ(first_host("node[3-5]"), "node3");
  EXPECT_EQ(first_host("node[03,07-09],x[1-2]"), "node03");
  EXPECT_EQ(first_host("node[3]-ib.cluster,other"), "node3-ib.cluster");
  EXPECT_EQ(first_host("node["), "node[");
}

TEST(Launch, HalfOfTheVariables) {
  for (const char* const name :
       {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"}) {
    const Error error = error_of(without(by_torchrun, name));
    EXPECT_EQ(error.detail().file, name);
    EXPECT_NE(std::string(error.what()).find("torchrun"), std::string::npos);
  }
  EXPECT_EQ(error_of(without(by_open_mpi, "OMPI_COMM_WORLD_SIZE")).detail().file,
            "OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(error_of(without(by_slurm, "SLURM_NTASKS")).detail().file, "SLURM_NTASKS");
  EXPECT_EQ(error_of(without(by_slurm, "SLURM_STEP_NODELIST")).detail().file, "SLURM_JOB_NODELIST");
}

TEST(Launch, ImpossibleValues) {
  EXPECT_EQ(error_of(with(by_torchrun, "RANK", "8")).detail().expected, "a number from 0 to 7");
  EXPECT_EQ(error_of(with(by_torchrun, "RANK", "-1")).detail().file, "RANK");
  EXPECT_EQ(error_of(with(by_torchrun, "WORLD_SIZE", "0")).detail().file, "WORLD_SIZE");
  EXPECT_EQ(error_of(with(by_torchrun, "WORLD_SIZE", "four")).detail().found, "'four'");
  EXPECT_EQ(error_of(with(by_torchrun, "MASTER_PORT", "70000")).detail().file, "MASTER_PORT");
  EXPECT_EQ(error_of(with(by_torchrun, "LOCAL_RANK", "6")).detail().file, "LOCAL_RANK");
}

}  // namespace creg::launch_test
