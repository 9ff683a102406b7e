// The paper's tables from one call: which runs they take, which of them a store lacks, how long
// those will take, and the runs themselves, by as many processes at a time as there are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "creg/core/context.h"
#include "creg/run/run.h"
#include "io/run_store.h"
#include "report/reproduction.h"
#include "run/paper_runs.h"
#include "run/stored_run.h"

namespace creg {

struct ReproduceSpec {
  std::vector<std::string> tables;    ///< by their keys; empty: all
  std::vector<std::string> datasets;  ///< these alone; NAME=OTHER runs on OTHER in NAME's place
  std::vector<std::string> methods;   ///< these alone
  int seeds = 0;                      ///< of every cell; 0: as many as its protocol wants
  Settings settings;                  ///< of every run, on top of all else
  std::filesystem::path data_dir;
  double budget = 0;       ///< seconds; 0: none
  bool any_device = true;  ///< runs of another device serve as well
  double slowness = 0;  ///< PaperPlan's, of an earlier plan; 0: to be measured where it is needed
};

/// A run that cells need.
struct PaperRun {
  RunSpec spec;
  std::string protocol;  ///< the dataset's own
  RunKey key;
  std::vector<RunQuestion> questions;
  /// The cells by name, and the figures of this run that they show.
  std::map<std::string, std::string> cells;
  std::int64_t memory_bytes = 0;
  std::int64_t edges = 0;
  std::int64_t nodes = 0;
  std::int64_t features = 0;
  std::int64_t dim = 0;
  int epochs = 0;
  double seconds = 0;  ///< that it takes, on a core; a guess
  int rank = 0;        ///< how many runs its cells have before this one
  std::string pair;    ///< what it has in common with the run that it is compared with
  bool done = false;
};

struct PaperPlan {
  std::vector<CellOutcome> cells;
  std::vector<PaperRun> runs;  ///< in the order in which they are done
  /// By cell name, the figures that it may show, the better of which it does.
  std::map<std::string, std::vector<std::string>> shown;
  std::vector<std::size_t> chosen;  ///< of `runs`: those to do now
  std::vector<std::size_t> left;    ///< those that the budget does not reach
  double seconds = 0;               ///< of the chosen ones, as they are packed
  std::string how;                  ///< where the times come from
  double slowness = 0;              ///< of this machine, where times were reckoned; else 0
  int other_builds = 0;             ///< runs to do that the store has of other builds of creg
};

/// `known`: what the store holds already. Reads no graph but those of files that nobody knows.
PaperPlan plan_paper(const Context& context, const ReproduceSpec& spec,
                     const std::vector<StoredRun>& known);

/// The runs not done, the most informative first: cells that have the fewest runs, and of those
/// the quickest; what is compared with each other stands together.
std::vector<std::size_t> order_runs(const std::vector<PaperRun>& runs);

/// As many of `order` as fit into `budget` seconds on so many cores; what is compared with each
/// other only together. The second list is left.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> within_budget(
    const std::vector<PaperRun>& runs, const std::vector<std::size_t>& order, double budget,
    int at_once);

/// How runs share a machine: those that fit into memory as many at a time as there are cores go
/// side by side, a core each; the others then come one after the other, each on all cores.
struct PackedRuns {
  std::vector<std::size_t> beside;
  std::vector<std::size_t> alone;
};
PackedRuns pack_runs(const Context& context, const std::vector<PaperRun>& runs,
                     const std::vector<std::size_t>& chosen);
/// What they take so.
double packed_seconds(const std::vector<PaperRun>& runs, const PackedRuns& packed, int cores);

/// Carries out the chosen runs, side by side where there is memory for it; those that another
/// process does are waited for. A run that fails is stored as such, and the others go on.
void run_paper(const Context& context, const PaperPlan& plan, const ReproduceSpec& spec,
               RunStore& store);

/// The same for as long as the budget lasts: once runs have shown how long they take, what the plan
/// left is planned again. Returns the last plan; runs that failed are chosen by none but the first.
PaperPlan run_within_budget(const Context& context, PaperPlan plan, ReproduceSpec spec,
                            RunStore& store);

/// Fills in what the store has by now.
void fill_cells(PaperPlan& plan, const ReproduceSpec& spec, const std::vector<StoredRun>& known);

/// Takes in what lies in and below a folder: finished runs of creg train. Returns how many; a run
/// on a file that this machine may not have is left out with a warning.
int collect_runs(const Context& context, const std::filesystem::path& folder, RunStore& store);

}  // namespace creg
