// Which rank of how many this process is, by what its launcher says of it.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace creg {

struct RankLaunch {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< among the ranks of this host
  int local_size = 1;
  std::string master = "127.0.0.1";  ///< the host of rank 0, as the launcher calls it
  int port = 0;                      ///< where the ranks meet there
  std::string launcher;              ///< for people: "torchrun", "Open MPI", "Slurm"
  /// The launcher itself keeps the place where the ranks meet; else rank 0 does.
  bool met_by_launcher = false;
  /// What sets this start of the ranks apart from others that meet at the same place.
  std::string name = "creg";
};

/// The value of a variable, or nothing where it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

/// Those of this process.
Variables process_variables();

/// By the variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR,
/// MASTER_PORT), else Open MPI's, else Slurm's. MASTER_ADDR and MASTER_PORT hold for all of them.
/// Nothing where none of them is there; variables that are there in part or say something
/// impossible are an input error.
std::optional<RankLaunch> find_launch(const Variables& variables);

/// The first host of a list as Slurm writes it: "node[03-07,12],other" -> "node03".
std::string first_host(const std::string& list);

}  // namespace creg
