#include "report/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/text.h"
#include "creg/learn/metrics.h"

namespace creg {
namespace {

constexpr double percent = 100;

/// "82.65 +- 0.57", in percent where it is a rate.
std::string number_words(double mean, const std::optional<double>& std, const PaperCell& cell) {
  if (cell.task == PaperTask::sizes) return with_commas(std::llround(mean));
  const auto words = [&](double number) {
    return cell.rate ? fmt::format("{:.2f}", percent * number) : fmt::format("{:.3f}", number);
  };
  return std ? words(mean) + " +- " + words(*std) : words(mean);
}

std::string paper_words(const PaperCell& cell) {
  if (cell.out_of_memory) return "OOM";
  return cell.mean ? number_words(*cell.mean, cell.std, cell) : "-";
}

std::string our_words(const CellOutcome& outcome) {
  if (outcome.values.empty()) return "-";
  const Summary summary = summarise(outcome.numbers());
  const bool one = summary.values.size() == 1;
  return number_words(summary.mean, one ? std::optional<double>() : summary.std, outcome.cell) +
         (outcome.outside().value_or(false) ? " *" : "");
}

std::string column_label(const PaperTable& table, const PaperCell& cell) {
  return table.metrics.size() == 1 ? cell.column : cell.column + " " + cell.metric;
}

/// The paper's table with ours below theirs, of the rows and columns that were asked for.
Table side_by_side(const PaperTable& table, const std::vector<const CellOutcome*>& outcomes) {
  Table out{.columns = {{"", "method"}, {"", "by"}}};
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  for (const CellOutcome* outcome : outcomes) {
    const std::string row = outcome->cell.row();
    const std::string column = column_label(table, outcome->cell);
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) continue;
    columns.push_back(column);
    out.columns.push_back({"", column});
  }
  for (const std::string& row : rows) {
    std::vector<Value> theirs = {row, "paper"};
    std::vector<Value> ours = {"", "creg"};
    for (const std::string& column : columns) {
      const auto found = std::find_if(outcomes.begin(), outcomes.end(), [&](const CellOutcome* o) {
        return o->cell.row() == row && column_label(table, o->cell) == column;
      });
      theirs.emplace_back(found == outcomes.end() ? Value() : paper_words((*found)->cell));
      ours.emplace_back(found == outcomes.end() ? Value() : our_words(**found));
    }
    out.rows.push_back(std::move(theirs));
    out.rows.push_back(std::move(ours));
  }
  return out;
}

Record cell_for_page(const CellOutcome& outcome) {
  const Summary summary = summarise(outcome.numbers());
  return {{"rate", outcome.cell.rate},
          {"paper_mean", outcome.cell.mean},
          {"paper_std", outcome.cell.std},
          {"paper_out_of_memory", outcome.cell.out_of_memory},
          {"mean", summary.mean},
          {"std", summary.std},
          {"values", summary.values.size()},
          {"outside", outcome.outside()},
          {"ran_on", outcome.dataset == outcome.cell.dataset ? Value() : Value(outcome.dataset)}};
}

/// Rows and columns in the order of `outcomes`, which are cells of the table.
Record table_for_page(const PaperTable& table, const std::vector<const CellOutcome*>& outcomes) {
  std::vector<std::string> columns;
  std::vector<std::string> names;
  const auto place = [](std::vector<std::string>& all, const std::string& name) {
    const auto found = std::find(all.begin(), all.end(), name);
    const auto at = static_cast<std::size_t>(found - all.begin());
    if (found == all.end()) all.push_back(name);
    return at;
  };
  std::map<std::pair<std::size_t, std::size_t>, Record> cells;
  for (const CellOutcome* outcome : outcomes) {
    const std::size_t row = place(names, outcome->cell.row());
    cells[{row, place(columns, column_label(table, outcome->cell))}] = cell_for_page(*outcome);
  }
  List rows;
  for (std::size_t r = 0; r < names.size(); ++r) {
    List row;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto found = cells.find({r, c});
      row.push_back(found == cells.end() ? Value() : Value(found->second));
    }
    rows.emplace_back(Record{{"name", names[r]}, {"cells", std::move(row)}});
  }
  return {{"key", table.key},
          {"title", table.title},
          {"about", table.about},
          {"columns", columns},
          {"rows", std::move(rows)}};
}

Value text_or_null(const std::string& text) {
  return text.empty() ? Value() : Value(text);
}

/// A row per cell, for machines.
Table cells_table(std::span<const CellOutcome> outcomes) {
  Table table{.columns = {{"table"},
                          {"method"},
                          {"algorithm"},
                          {"dataset"},
                          {"column"},
                          {"regulariser"},
                          {"encoder"},
                          {"metric"},
                          {"paper_mean"},
                          {"paper_std"},
                          {"paper_out_of_memory"},
                          {"mean"},
                          {"std"},
                          {"values"},
                          {"outside_one_std"},
                          {"ran_on"},
                          {"recipe"},
                          {"protocol"},
                          {"runnable"},
                          {"reason"},
                          {"note"},
                          {"seconds"},
                          {"runs_done"},
                          {"runs_left"}}};
  for (const CellOutcome& outcome : outcomes) {
    const PaperCell& cell = outcome.cell;
    const std::vector<double> numbers = outcome.numbers();
    Value mean;
    Value std;
    if (!numbers.empty()) {
      const Summary summary = summarise(numbers);
      mean = summary.mean;
      std = summary.std;
    }
    table.rows.push_back({cell.table,
                          text_or_null(cell.method),
                          text_or_null(cell.algorithm),
                          cell.dataset,
                          cell.column,
                          text_or_null(cell.regulariser),
                          text_or_null(cell.encoder),
                          cell.metric,
                          cell.mean,
                          cell.std,
                          cell.out_of_memory,
                          mean,
                          std,
                          numbers.size(),
                          outcome.outside(),
                          outcome.dataset,
                          text_or_null(outcome.recipe),
                          text_or_null(outcome.protocol),
                          outcome.runnable,
                          text_or_null(outcome.reason),
                          text_or_null(outcome.note),
                          outcome.runnable ? Value(outcome.seconds) : Value(),
                          outcome.runs_done,
                          outcome.runs_left});
  }
  return table;
}

std::string signed_words(double number, const PaperCell& cell) {
  return cell.rate ? fmt::format("{:+.2f}", percent * number) : fmt::format("{:+.3f}", number);
}

Table gains_table(const std::vector<PairedGain>& gains) {
  Table table{.columns = {{"table"},
                          {"method"},
                          {"", "row"},
                          {"dataset", "dataset"},
                          {"encoder"},
                          {"metric", "of"},
                          {"gain"},
                          {"low"},
                          {"high"},
                          {"pairs", "pairs"},
                          {"paper"},
                          {"", "difference"},
                          {"", "95 %"},
                          {"", "paper's"}}};
  for (const PairedGain& gain : gains) {
    const PaperCell& cell = gain.with;
    table.rows.push_back({cell.table, cell.method, cell.row(), cell.dataset,
                          text_or_null(cell.encoder), cell.metric, gain.mean, gain.low, gain.high,
                          gain.differences.size(), gain.paper, signed_words(gain.mean, cell),
                          gain.low ? Value(fmt::format("{} to {}", signed_words(*gain.low, cell),
                                                       signed_words(*gain.high, cell)))
                                   : Value(),
                          gain.paper ? Value(signed_words(*gain.paper, cell)) : Value()});
  }
  if (gains.empty()) {
    for (Column& column : table.columns) column.label.clear();  // nothing for people
  }
  return table;
}

/// "wiki, computers: not on disk; creg data get wiki", a line for each reason.
std::string reasons_words(std::span<const CellOutcome> outcomes) {
  std::vector<std::string> reasons;
  std::map<std::string, int> cells;
  for (const CellOutcome& outcome : outcomes) {
    if (outcome.runnable) continue;
    if (cells[outcome.reason]++ == 0) reasons.push_back(outcome.reason);
  }
  std::string text;
  for (const std::string& reason : reasons) {
    text += fmt::format("{}{}: {}", text.empty() ? "cannot run here:\n  " : "\n  ",
                        counted(cells[reason], "cell"), reason);
  }
  return text;
}

std::string notes_words(std::span<const CellOutcome> outcomes) {
  std::vector<std::string> notes;
  for (const CellOutcome& outcome : outcomes) {
    const bool known = std::find(notes.begin(), notes.end(), outcome.note) != notes.end();
    if (!outcome.note.empty() && !outcome.values.empty() && !known) notes.push_back(outcome.note);
  }
  std::string text;
  for (const std::string& note : notes) text += (text.empty() ? "" : "\n") + note;
  return text;
}

/// How to draw the runs of the figures.
std::string figures_words(const std::vector<const CellOutcome*>& outcomes) {
  std::string folders;
  for (const CellOutcome* outcome : outcomes) {
    if (outcome->cell.task != PaperTask::history) continue;
    for (const std::string& folder : outcome->folders) folders += " " + folder;
  }
  return folders.empty() ? "" : "drawn by: creg history" + folders + " --out figures";
}

/// What tells the settings of runs apart, but for seeds and splits.
std::string settings_of(const StoredRun& run) {
  return run.key.graph + "\n" + run.key.build + "\n" + run.key.device + "\n" + run.key.config;
}

/// The runs of the settings that most have; of equally many the later ones.
std::vector<const StoredRun*> of_one_setting(const std::vector<const StoredRun*>& runs) {
  std::map<std::string, std::vector<const StoredRun*>> by_settings;
  const std::vector<const StoredRun*>* most = nullptr;
  for (const StoredRun* run : runs) {
    const auto& group = by_settings[settings_of(*run)];
    by_settings[settings_of(*run)].push_back(run);
    if (most == nullptr || group.size() >= most->size()) most = &group;
  }
  return most == nullptr ? std::vector<const StoredRun*>() : *most;
}

}  // namespace

std::vector<double> CellOutcome::numbers() const {
  std::vector<double> numbers;
  for (const CellValue& value : values) numbers.push_back(value.value);
  return numbers;
}

std::optional<bool> CellOutcome::outside() const {
  if (!cell.mean || !cell.std || values.empty()) return std::nullopt;
  return std::abs(summarise(numbers()).mean - *cell.mean) > *cell.std;
}

void add_values(CellOutcome& outcome, const StoredRun& run, const std::string& task) {
  const auto found = run.outcome.figures.find({task, outcome.cell.metric});
  if (found == run.outcome.figures.end()) return;
  int place = 0;
  for (const double value : found->second) {
    outcome.values.push_back({run.key.seed, run.key.edge_split, place++, value});
  }
  ++outcome.runs_done;
  if (!run.folder.empty()) outcome.folders.push_back(run.folder);
}

Report reproduction_report(std::span<const CellOutcome> outcomes) {
  Report report;
  for (const PaperTable& table : paper_tables()) {
    std::vector<const CellOutcome*> own;
    for (const CellOutcome& outcome : outcomes) {
      if (outcome.cell.table == table.key) own.push_back(&outcome);
    }
    if (own.empty()) continue;
    append(report.body, {{.value = side_by_side(table, own),
                          .label = table.title + " (" + table.key + "): " + table.about},
                         words(figures_words(own))});
  }
  const std::vector<PairedGain> gains = paired_gains(outcomes);
  const bool marked = std::any_of(outcomes.begin(), outcomes.end(),
                                  [](const CellOutcome& o) { return o.outside().value_or(false); });
  report.table = cells_table(outcomes);
  append(report.body,
         {words(marked ? "* further from the paper's mean than the paper's std" : ""),
          words(notes_words(outcomes)),
          {"cells", report.table},
          {"gains", gains_table(gains),
           gains.empty() ? ""
                         : "with Contrast-Reg less without, paired over the same seeds and splits"},
          words(reasons_words(outcomes))});
  return report;
}

Record paper_page(std::span<const CellOutcome> outcomes) {
  List tables;
  for (const PaperTable& table : paper_tables()) {
    std::vector<const CellOutcome*> own;
    for (const CellOutcome& outcome : outcomes) {
      if (outcome.cell.table == table.key && !outcome.values.empty()) own.push_back(&outcome);
    }
    if (!own.empty()) tables.emplace_back(table_for_page(table, own));
  }
  if (tables.empty()) return {};
  List gains;
  for (const PairedGain& gain : paired_gains(outcomes)) {
    gains.emplace_back(Record{{"table", gain.with.table},
                              {"row", gain.with.row()},
                              {"column", gain.with.column},
                              {"metric", gain.with.metric},
                              {"rate", gain.with.rate},
                              {"mean", gain.mean},
                              {"low", gain.low},
                              {"high", gain.high},
                              {"pairs", gain.differences.size()},
                              {"paper", gain.paper}});
  }
  return {{"tables", std::move(tables)}, {"gains", std::move(gains)}};
}

Report reproduction_plan(std::span<const CellOutcome> outcomes, int runs, double seconds,
                         const std::string& how) {
  Table open{.columns = {{"", "table"},
                         {"", "method"},
                         {"", "dataset"},
                         {"", "recipe"},
                         {"", "runs"},
                         {"", "there"},
                         {"", "~ time, a core each"}}};
  std::string last;
  for (const CellOutcome& outcome : outcomes) {
    const std::string name = outcome.cell.name();
    const bool runs_it = outcome.runnable && outcome.cell.task != PaperTask::sizes;
    if (!runs_it || name == last) continue;
    last = name;
    open.rows.push_back({outcome.cell.table, outcome.cell.row(), outcome.dataset,
                         text_or_null(outcome.recipe), outcome.runs_left, outcome.runs_done,
                         human_seconds(outcome.seconds)});
  }
  Report report;
  report.table = cells_table(outcomes);
  if (!open.rows.empty())
    append(report.body, {{.value = std::move(open), .label = "what can run"}});
  append(
      report.body,
      {words(reasons_words(outcomes)),
       words(fmt::format("{} to do, ~ {}; {}", counted(runs, "run"), human_seconds(seconds), how)),
       {"runs", runs},
       {"seconds", seconds},
       {"cells", report.table}});
  return report;
}

std::string plan_words(std::span<const CellOutcome> outcomes) {
  std::string text;
  for (const PaperTable& table : paper_tables()) {
    std::int64_t cells = 0;
    std::int64_t blocked = 0;
    std::int64_t left = 0;
    std::int64_t done = 0;
    double seconds = 0;
    std::string last;
    for (const CellOutcome& outcome : outcomes) {
      if (outcome.cell.table != table.key || outcome.cell.task == PaperTask::sizes) continue;
      ++cells;
      blocked += outcome.runnable ? 0 : 1;
      // Metrics of one cell share its runs.
      const std::string name = outcome.cell.name();
      if (name == last) continue;
      last = name;
      left += outcome.runs_left;
      done += outcome.runs_done;
      seconds += outcome.seconds;
    }
    if (cells == 0) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", table.key, counted(cells, "cell"));
    if (blocked > 0) text += fmt::format(", {} cannot run here", blocked);
    if (left > 0) {
      text +=
          fmt::format(", {} to do, ~ {} on a core", counted(left, "run"), human_seconds(seconds));
    }
    if (done > 0) text += fmt::format(", {} there", counted(done, "run"));
  }
  const std::string reasons = reasons_words(outcomes);
  return text + (text.empty() || reasons.empty() ? "" : "\n") + reasons;
}

std::vector<CellOutcome> cells_of_store(std::span<const StoredRun> runs) {
  std::vector<CellOutcome> outcomes;
  for (const PaperCell& cell : paper_cells()) {
    std::vector<const StoredRun*> own;
    std::string task;
    for (const StoredRun& run : runs) {
      const auto found = run.cells.find(cell.name());
      if (found == run.cells.end() || run.state != RunState::done) continue;
      own.push_back(&run);
      task = found->second;
    }
    CellOutcome outcome{.cell = cell, .dataset = cell.dataset};
    for (const StoredRun* run : of_one_setting(own)) {
      outcome.dataset = run->key.dataset;
      add_values(outcome, *run, run->cells.at(cell.name()));
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace creg
