#include "report/run_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/seed_folders.h"
#include "io/settings_file.h"

namespace creg {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<std::string_view, 15> column_names = {"loss",
                                                           "contrast",
                                                           "ece",
                                                           "ece_positive",
                                                           "ece_negative",
                                                           "q_positive",
                                                           "q_negative",
                                                           "mean_sigma_random",
                                                           "mean_sigma_positive",
                                                           "norm_mean",
                                                           "norm_variance",
                                                           "sigma_max_mean",
                                                           "norm_squared_mean",
                                                           "s_f",
                                                           "s_f_bound"};

constexpr std::string_view file_name = "calibration.jsonl";

std::size_t index_of(std::string_view name) {
  const auto* const found = std::find(column_names.begin(), column_names.end(), name);
  invariant(found != column_names.end(), "a column that histories have");
  return static_cast<std::size_t>(found - column_names.begin());
}

/// Reads the lines of one file, and knows where it is for messages.
class HistoryReader {
 public:
  HistoryReader(const Bytes& lines, std::string name) : file_(lines.name), rest_(lines.text()) {
    history_.name = std::move(name);
    history_.columns.resize(column_names.size());
  }

  RunHistory read() {
    while (!rest_.empty()) {
      ++line_;
      const std::size_t end = rest_.find('\n');
      cut_off_ = end == std::string_view::npos;
      const std::string_view text = rest_.substr(0, end);
      rest_ = cut_off_ ? std::string_view() : rest_.substr(end + 1);
      if (text.find_first_not_of(" \t\r") != std::string_view::npos) add(text);
    }
    if (history_.epochs.empty()) {
      fail_input({.what = "no epoch was measured yet",
                  .file = file_,
                  .expected = "a line for each epoch measured"});
    }
    return std::move(history_);
  }

 private:
  [[noreturn]] void refuse(std::string what, std::string found, std::string expected) const {
    fail_input({.what = std::move(what),
                .file = file_,
                .place = fmt::format("line {}", line_),
                .found = std::move(found),
                .expected = std::move(expected),
                .hint = cut_off_ ? "it is the last line and has no end: the run may still be "
                                   "writing it"
                                 : ""});
  }

  void add(std::string_view text) {
    json object = json::parse(text, nullptr, false);
    if (!object.is_object()) {
      refuse("not a JSON object", in_quotes(text), "the figures of one epoch: {\"epoch\":0,…}");
    }
    const auto epoch = object.find("epoch");
    if (epoch == object.end() || !epoch->is_number_unsigned() ||
        epoch->get<std::uint64_t>() > largest_epoch) {
      refuse("no number of the epoch", epoch == object.end() ? "" : shown(*epoch),
             "\"epoch\": a whole number from 0 on");
    }
    const auto number = epoch->get<std::int64_t>();
    if (!history_.epochs.empty() && number <= history_.epochs.back()) {
      refuse("the epochs do not ascend", fmt::format("epoch {}", number),
             fmt::format("one after {}", history_.epochs.back()));
    }
    history_.epochs.push_back(number);
    for (std::size_t i = 0; i < column_names.size(); ++i) {
      const auto value = object.find(std::string(column_names[i]));
      if (value == object.end() || value->is_null()) {
        history_.columns[i].emplace_back();
      } else if (value->is_number()) {
        history_.columns[i].emplace_back(value->get<double>());
      } else {
        refuse("a wrong value for " + in_quotes(column_names[i]), shown(*value),
               "a number or null");
      }
    }
  }

  static std::string shown(const json& value) {
    // Writing nested values out takes stack for each level, and a file may have any number.
    if (value.is_structured()) return value.is_array() ? "a list" : "an object";
    return in_quotes(value.dump(-1, ' ', false, json::error_handler_t::replace));
  }

  // Exact as a double, for the charts.
  static constexpr std::uint64_t largest_epoch = std::uint64_t{1} << 53U;

  std::string file_;
  std::string_view rest_;
  std::int64_t line_ = 0;
  bool cut_off_ = false;
  RunHistory history_;
};

struct FoundRun {
  fs::path folder;
  fs::path given{};
  std::size_t parts = 1;  ///< of the folder's path that its name has at least
};

std::vector<FoundRun> find_runs(const fs::path& folder) {
  if (is_there(folder / file_name)) return {{.folder = folder, .parts = 1}};
  std::vector<FoundRun> found;
  for (const fs::path& seed : seed_folders(folder)) {
    // The number of a seed alone says little.
    if (is_there(seed / file_name)) found.push_back({.folder = seed, .parts = 2});
  }
  if (!found.empty()) return found;
  if (!is_there(folder)) {
    fail_input({.what = "there is no such folder",
                .file = folder.string(),
                .expected = "the folder of a run of creg train --calibrate"});
  }
  fail_input({.what = "this run has no history of its calibration",
              .file = folder.string(),
              .expected = fmt::format("{} in it, or in folders seed-0, seed-1 … of it", file_name),
              .hint = "train with creg train --calibrate --out DIR"});
}

/// Figures name a run by these; one whose configuration cannot be read has its folder's name.
void read_settings_of(const fs::path& folder, RunHistory& history) {
  try {
    if (!is_file(folder / "config.toml")) return;
    for (const Setting& setting : read_settings(map_file(folder / "config.toml"))) {
      if (setting.key == "dataset") history.dataset = setting.value;
      if (setting.key == "method") history.method = setting.value;
      if (setting.key == "reg") history.regulariser = setting.value;
      if (setting.key == "seed") {
        history.seed = setting.value;
      } else if (setting.key != "threads") {
        history.settings += setting.key + " = " + setting.value + "\n";
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    history.method.clear();
    history.settings.clear();
  }
}

std::string last_parts(const fs::path& folder, std::size_t count) {
  const std::vector<fs::path> parts(folder.begin(), folder.end());
  fs::path name;
  for (std::size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i) {
    name /= parts[i];
  }
  return name.string();
}

/// As many parts of each path from its end as tell all of them apart.
std::vector<std::string> short_names(const std::vector<FoundRun>& runs) {
  std::vector<std::string> names(runs.size());
  std::vector<std::size_t> parts;
  for (const FoundRun& run : runs) parts.push_back(run.parts);
  for (bool clash = true; clash;) {
    clash = false;
    std::map<std::string, int> seen;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      names[i] = last_parts(runs[i].folder, parts[i]);
      ++seen[names[i]];
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (seen[names[i]] == 1) continue;
      clash = true;
      ++parts[i];
    }
  }
  return names;
}

}  // namespace

std::span<const std::string_view> history_columns() {
  return column_names;
}

const std::vector<std::optional<double>>& RunHistory::column(std::string_view column_name) const {
  return columns.at(index_of(column_name));
}

bool RunHistory::has(std::string_view column_name) const {
  return std::ranges::any_of(column(column_name),
                             [](const std::optional<double>& value) { return value.has_value(); });
}

std::optional<std::size_t> RunHistory::best() const {
  const std::vector<std::optional<double>>& ece = column("ece");
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < ece.size(); ++i) {
    if (ece[i] && (!best || *ece[i] < *ece[*best])) best = i;
  }
  return best;
}

RunHistory read_run_history(const Bytes& lines, std::string name) {
  return HistoryReader(lines, std::move(name)).read();
}

std::vector<RunHistory> read_run_histories(std::span<const fs::path> folders) {
  std::vector<FoundRun> runs;
  std::set<fs::path> seen;
  for (const fs::path& folder : folders) {
    for (FoundRun& run : find_runs(folder)) {
      // Without links, "." and "..": what remains names the run whatever way it was given.
      run.folder = fs::canonical(run.folder);
      run.given = fs::canonical(folder);
      if (!seen.insert(run.folder).second) {
        fail_input({.what = "a run is given twice",
                    .file = run.folder.string(),
                    .expected = "runs that differ: one counted twice makes intervals too narrow"});
      }
      runs.push_back(std::move(run));
    }
  }
  const std::vector<std::string> names = short_names(runs);
  std::vector<RunHistory> histories;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    histories.push_back(read_run_history(map_file(runs[i].folder / file_name), names[i]));
    histories.back().folder = runs[i].given;
    read_settings_of(runs[i].folder, histories.back());
  }
  return histories;
}

}  // namespace creg
