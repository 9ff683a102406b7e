// The folder of a run while it is written: nobody else writes there, and nothing of a user's goes.
#pragma once

#include <filesystem>
#include <list>

#include "creg/core/context.h"
#include "creg/run/run.h"
#include "io/write_lock.h"

namespace creg {

/// What a folder is wanted for.
enum class Claim {
  fresh,      ///< a new run: there must be none
  overwrite,  ///< a new run in the place of the one that is there
  resume,     ///< the run that is there goes on
  extend,     ///< runs of creg eval link are added to those that are there
};

/// What the plan wants its folder for.
Claim claim_of(const RunPlan& plan);

/// An error where the folder cannot be had for this: another process writes into it, it holds
/// another run, which the message describes with the ways on, something that is no run, or a file
/// that no run wrote under the name of an output. Writes nothing: for commands that have a dataset
/// to read before they claim their folder.
void check_folder(const Context& context, const std::filesystem::path& directory, Claim claim);

/// Makes the folder where it is missing, locks it as long as this lives, and clears it: of what
/// killed processes left, and with Claim::overwrite of the outputs of the run that is there. All
/// that check_folder refuses is refused before anything is changed.
class ClaimedFolder {
 public:
  ClaimedFolder(const Context& context, const std::filesystem::path& directory, Claim claim);

  /// Removes what was written since, unless it is worth going on with: a run that failed before it
  /// got anywhere does not stand in the way of the next attempt.
  void forget_unbegun() const;

 private:
  std::filesystem::path directory_;
  bool was_empty_ = false;  ///< when the claim was made, or made so by it
  /// Of the folder, and of those above it whose seed or split it is.
  std::list<WriteLock> locks_;
};

}  // namespace creg
