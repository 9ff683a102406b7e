// The paper's tables beside what was measured here, as values: for creg reproduce, and for whoever
// reads a run store.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/run_store.h"
#include "report/document.h"
#include "report/paper.h"

namespace creg {

/// What one run gave on one split.
struct CellValue {
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> edge_split;
  int place = 0;  ///< of the split, or of the run of k-means
  double value = 0;
};

/// A cell of the paper, what is known of it here, and what is not.
struct CellOutcome {
  PaperCell cell;
  std::string dataset;  ///< that it is run on here, which may be another one than the paper's
  bool runnable = true;
  std::string reason;  ///< why not, and what helps
  std::string note;    ///< how ours differs
  std::string recipe;
  std::string protocol;
  std::vector<CellValue> values;
  int runs_done = 0;
  int runs_left = 0;                 ///< of those wanted
  double seconds = 0;                ///< that they will take, on a core each; a guess
  std::vector<std::string> folders;  ///< of the runs that are done

  std::vector<double> numbers() const;
  /// Ours is further from the paper's mean than the paper's std; nothing where one is missing.
  std::optional<bool> outside() const;
};

/// What a regulariser is worth: ours with it less ours without it, over the seeds and splits that
/// both have.
struct PairedGain {
  PaperCell with;  ///< the row with Contrast-Reg
  std::vector<double> differences;
  double mean = 0;
  /// Of the mean, 95 %, by Student's t; nothing for one difference.
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> paper;  ///< the paper's difference of means
};

/// The middle 95 % of Student's t lie within plus and minus this.
double student_t(int degrees_of_freedom);

/// Of `differences`, which are there.
PairedGain gain_of(std::vector<double> differences);

/// For every row with Contrast-Reg whose row without it has values of the same seeds and splits: in
/// its own table, else in the first that has one.
std::vector<PairedGain> paired_gains(std::span<const CellOutcome> outcomes);

/// The paper's tables with ours below theirs, and the gains; JSON has the cells, CSV a row for
/// each.
Report reproduction_report(std::span<const CellOutcome> outcomes);

/// The same for the page of `creg report`, of the rows and columns that have something of ours:
/// {"tables": [{key, title, about, columns, rows: [{name, cells}]}], "gains": [{table, row, column,
/// metric, rate, mean, low, high, pairs, paper}]}. A cell is null or {rate, paper_mean, paper_std,
/// paper_out_of_memory, mean, std, values, outside, ran_on}, the last null for the paper's own
/// dataset. Empty where nothing is ours.
Record paper_page(std::span<const CellOutcome> outcomes);

/// What would be run, for how long, and what cannot be. `seconds`: of all, as they are packed.
Report reproduction_plan(std::span<const CellOutcome> outcomes, int runs, double seconds,
                         const std::string& how);

/// The same in short, for whoever waits: a line per table, then a line per reason.
std::string plan_words(std::span<const CellOutcome> outcomes);

/// The paper's cells with what the runs of a store gave: for each the runs that creg reproduce made
/// for it, those of the settings that most of them have.
std::vector<CellOutcome> cells_of_store(std::span<const StoredRun> runs);

/// Fills in a cell's values by the figures of a run: those of the task that it names.
void add_values(CellOutcome& outcome, const StoredRun& run, const std::string& task);

}  // namespace creg
