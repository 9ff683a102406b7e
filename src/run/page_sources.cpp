#include "run/page_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/learn/metrics.h"
#include "io/file.h"
#include "io/run_store.h"
#include "ops/runtime.h"
#include "run/page_pairs.h"
#include "run/run_folder.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

PageRow row_of_folder(const PageSource& given) {
  const fs::path path = run_of(given.path);
  if (!fs::is_directory(path)) {
    fail_input({.what = is_there(path) ? "this is not the folder of a run, nor a store of runs"
                                       : "there is no such run",
                .file = path.string(),
                .expected = "folders that creg train --out wrote, or the file of --store"});
  }
  PageRow row{.name = given.name, .folders = {path}, .data = given.data};
  row.source = find_embeddings(path);
  const fs::path first = row.source.files.front().parent_path();
  row.record = read_record(is_there(path / "config.toml") ? path : first);
  row.seeds = {row.record.seed};
  if (row.source.files.size() > 1) {
    row.seeds.resize(row.source.files.size());
    std::iota(row.seeds.begin(), row.seeds.end(), 0);
  }
  return row;
}

// Stores.

/// The seeds of one setting.
struct StoredSetting {
  std::vector<const StoredRun*> seeds;
  ComparedRun compared;
  std::string row;           ///< of the paper's table that has it; empty: none has
  double val_accuracy = -1;  ///< mean; -1: nobody asked

  const RunKey& key() const { return seeds.front()->key; }
};

/// Runs on some of the edges or nodes are judged by questions of their own.
bool saw_all(const StoredRun& run) {
  return !run.key.edge_split && std::ranges::none_of(run.outcome.figures, [](const auto& figure) {
    return figure.first.first.starts_with("finetune");
  });
}

bool is_chosen(const StoredRun& run, const PageChoice& choice) {
  const auto listed = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  return listed(choice.methods, run.key.method) && listed(choice.datasets, run.key.dataset);
}

std::vector<StoredSetting> settings_of(const Context& context, std::span<const StoredRun> runs,
                                       const PageChoice& choice) {
  std::map<std::string, StoredSetting> by_text;
  int gone = 0;
  for (const StoredRun& run : runs) {
    if (run.state != RunState::done || !saw_all(run) || !is_chosen(run, choice)) continue;
    if (run.folder.empty() || !is_there(fs::path(run.folder) / "embedding.npy")) {
      ++gone;
      continue;
    }
    RunKey key = run.key;
    key.seed = 0;
    by_text[key.text()].seeds.push_back(&run);
  }
  if (gone > 0) {
    context.log().write(
        LogLevel::warning,
        fmt::format("{} of the store without a folder: in the tables alone", counted(gone, "run")));
  }
  std::vector<StoredSetting> out;
  for (auto& [text, setting] : by_text) {
    std::ranges::sort(setting.seeds, {}, [](const StoredRun* run) { return run->key.seed; });
    const RunKey& key = setting.key();
    setting.compared = {.dataset = key.dataset + "\n" + key.graph + "\n" + key.build,
                        .settings = read_settings(Bytes::from_string(key.config, "a run's key"))};
    std::erase_if(setting.compared.settings,
                  [](const Setting& one) { return one.key == "calibrate"; });
    std::vector<double> values;
    for (const StoredRun* run : setting.seeds) {
      for (const auto& [of, figures] : run->outcome.figures) {
        if (of.second == "val_accuracy")
          values.insert(values.end(), figures.begin(), figures.end());
      }
    }
    if (!values.empty()) setting.val_accuracy = summarise(values).mean;
    out.push_back(std::move(setting));
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &StoredSetting::val_accuracy);
  return out;
}

/// Where a setting stands that differs from this one by Contrast-Reg alone.
std::optional<std::size_t> counterpart(const std::vector<StoredSetting>& settings,
                                       std::size_t place, const std::set<std::size_t>& taken) {
  const std::string& own = settings[place].key().regulariser;
  const std::string_view other = own == "contrast" ? "none" : own == "none" ? "contrast" : "";
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!taken.contains(i) && settings[i].key().regulariser == other &&
        differ_by_contrast_alone(settings[i].compared, settings[place].compared)) {
      return i;
    }
  }
  return std::nullopt;
}

/// Places in `settings`, those first that the paper's tables have, whose rows they are given.
std::vector<std::size_t> in_order(std::vector<StoredSetting>& settings,
                                  const std::vector<CellOutcome>& cells) {
  std::map<std::string, std::size_t> by_folder;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    for (const StoredRun* run : settings[i].seeds) by_folder[run->folder] = i;
  }
  std::vector<std::size_t> order;
  std::set<std::size_t> taken;
  const auto take = [&](std::size_t place) {
    if (taken.insert(place).second) order.push_back(place);
  };
  for (const CellOutcome& outcome : cells) {
    for (const std::string& folder : outcome.folders) {
      const auto found = by_folder.find(folder);
      if (found == by_folder.end()) continue;
      StoredSetting& setting = settings[found->second];
      if (setting.row.empty()) setting.row = outcome.cell.row();
      take(found->second);
      if (const auto other = counterpart(settings, found->second, taken)) take(*other);
    }
  }
  for (std::size_t i = 0; i < settings.size(); ++i) take(i);
  return order;
}

PageRow row_of_setting(const StoredSetting& setting) {
  const RunKey& key = setting.key();
  PageRow row{.row = setting.row.empty() ? key.method + " " + key.regulariser : setting.row,
              .dataset = key.dataset};
  if (key.build != build_name()) row.row += ", another build";
  for (const StoredRun* run : setting.seeds) {
    row.folders.emplace_back(run->folder);
    row.seeds.push_back(run->key.seed);
  }
  row.source = find_embeddings(row.folders);
  row.record = read_record(row.folders.front());
  return row;
}

/// A slip in a name would leave nothing, or not all that was meant.
void check_chosen(std::span<const std::string> wanted, const std::string& flag,
                  std::span<const StoredRun> runs, std::string RunKey::*part) {
  std::set<std::string> known;
  for (const StoredRun& run : runs) known.insert(run.key.*part);
  for (const std::string& name : wanted) {
    if (known.contains(name)) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    fail_input({.what = "no run of the stores has this name",
                .file = flag,
                .found = in_quotes(name),
                .expected = join_words(names, " or "),
                .hint = suggestion(name, names)});
  }
}

/// What stores have.
void add_stored(const Context& context, std::span<const StoredRun> runs, const PageChoice& choice,
                PageRows& out) {
  check_chosen(choice.methods, "--methods", runs, &RunKey::method);
  check_chosen(choice.datasets, "--datasets", runs, &RunKey::dataset);
  out.cells = cells_of_store(runs);
  std::vector<StoredSetting> settings = settings_of(context, runs, choice);
  const std::vector<std::size_t> order = in_order(settings, out.cells);
  const std::size_t shown = std::min(choice.most, order.size());
  for (std::size_t i = 0; i < shown; ++i) out.rows.push_back(row_of_setting(settings[order[i]]));
  out.left = order.size() - shown;
  std::erase_if(out.cells, [](const CellOutcome& cell) { return cell.values.empty(); });
}

// Names.

std::string last_part(const fs::path& folder) {
  const fs::path whole = folder.lexically_normal();
  return (whole.has_filename() ? whole.filename() : whole.parent_path().filename()).string();
}

/// Of stores: "ML + Contrast-Reg, cora", with the settings that tell it from others where that
/// would be another's name too.
void name_stored_rows(std::vector<PageRow>& rows) {
  const auto usual = [](const PageRow& row, const std::string& apart) {
    return row.row + (apart.empty() ? "" : ", " + apart) + ", " + row.dataset;
  };
  const std::vector<std::string> apart = apart_words(compared_rows(rows));
  std::map<std::string, int> seen;
  for (const PageRow& row : rows) {
    if (!row.row.empty()) ++seen[usual(row, "")];
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PageRow& row = rows[i];
    if (row.row.empty()) continue;
    // An encoder is in the name of its row.
    const bool told = row.row.ends_with(", " + apart[i]);
    row.name = usual(row, seen[usual(row, "")] == 1 || told ? "" : apart[i]);
  }
}

/// Who has no name gets the last part of its folder's path, or all of it where that is another's
/// too; equal ones are numbered.
void name_rows(std::vector<PageRow>& rows) {
  std::map<std::string, int> seen;
  for (const PageRow& row : rows) ++seen[row.name.empty() ? last_part(row.folders[0]) : row.name];
  for (PageRow& row : rows) {
    if (!row.name.empty()) continue;
    const std::string name = last_part(row.folders[0]);
    row.name = seen[name] == 1 ? name : row.folders[0].string();
  }
  std::map<std::string, int> used;
  for (PageRow& row : rows) {
    const int number = ++used[row.name];
    if (number > 1) row.name += fmt::format(" {}", number);
  }
}

}  // namespace

std::vector<ComparedRun> compared_rows(std::span<const PageRow> rows) {
  std::vector<ComparedRun> out;
  for (const PageRow& row : rows) {
    out.push_back({.dataset = row.record.dataset,
                   .settings = row.record.settings,
                   .calibrate = row.record.calibrate,
                   .seeds = row.seeds});
  }
  return out;
}

PageRows page_rows(const Context& context, std::span<const PageSource> sources,
                   const PageChoice& choice) {
  PageRows out;
  std::set<fs::path> seen;
  std::vector<StoredRun> stored;
  for (const PageSource& source : sources) {
    if (is_there(source.path) && !seen.insert(fs::canonical(run_of(source.path))).second) {
      fail_input({.what = "a run is given twice",
                  .file = source.path.string(),
                  .expected = "runs that differ"});
    }
    if (!looks_like_run_store(source.path)) {
      out.rows.push_back(row_of_folder(source));
      continue;
    }
    const auto of_store = read_run_store(context, source.path);
    if (std::ranges::none_of(of_store, [](const auto& r) { return r.state == RunState::done; })) {
      fail_input({.what = "no run of this store is done",
                  .file = source.path.string(),
                  .hint = "creg reproduce and creg sweep --store fill it"});
    }
    stored.insert(stored.end(), of_store.begin(), of_store.end());
  }
  if (!stored.empty()) add_stored(context, stored, choice, out);
  name_stored_rows(out.rows);
  name_rows(out.rows);
  return out;
}

}  // namespace creg
