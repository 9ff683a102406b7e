#include "cli/command_table.h"

#include <algorithm>
#include <array>

#include "creg/core/error.h"

namespace creg::cli {

std::span<const CommandEntry> command_table() {
  static constexpr std::array entries = {
      CommandEntry{"start", "demo", "ML and LC with and without Contrast-Reg, in a minute",
                   Half::computing},
      CommandEntry{"start", "data", "Datasets: list, get, inspect, convert, split, partition",
                   Half::plain},
      CommandEntry{"start", "init", "A description of your own files, after a look at them",
                   Half::plain},
      CommandEntry{"learn", "train", "Learn embeddings of a graph without labels", Half::computing},
      CommandEntry{"learn", "embed", "Embed a graph with a trained encoder", Half::computing},
      CommandEntry{"learn", "sweep", "Try a grid of settings, compared by validation accuracy",
                   Half::computing},
      CommandEntry{"learn", "pretrain",
                   "Train on one part of a graph, for creg finetune on another", Half::computing},
      CommandEntry{"learn", "finetune", "Train a pretrained encoder on labels of another part",
                   Half::computing},
      CommandEntry{"judge", "eval", "Evaluate an embedding: classify, cluster, link",
                   Half::computing},
      CommandEntry{"judge", "calibrate", "How far an embedding's confidence is from the truth",
                   Half::computing},
      CommandEntry{"judge", "neighbors", "The most similar nodes of nodes in an embedding",
                   Half::computing},
      CommandEntry{"judge", "history", "Calibration over the epochs of runs: tables, figures",
                   Half::plain},
      CommandEntry{"judge", "report", "One page of runs: figures, curves, a map of the embedding",
                   Half::computing},
      CommandEntry{"judge", "reproduce", "The paper's tables, ours beside theirs", Half::computing},
      CommandEntry{"about", "bench", "Times, side by side with plain libtorch", Half::computing},
      CommandEntry{"about", "info", "This build: libtorch, devices, optional parts", Half::either},
      CommandEntry{"", "completion", "A script by which a shell completes what is typed",
                   Half::either},
      CommandEntry{"", "manual", "Manual pages, as man shows them", Half::either},
  };
  return entries;
}

const CommandEntry& find_command(std::string_view name) {
  const auto table = command_table();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const CommandEntry& entry) { return entry.name == name; });
  invariant(found != table.end(), "a command is in the table");
  return *found;
}

}  // namespace creg::cli
