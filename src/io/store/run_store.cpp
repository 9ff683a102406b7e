#include "io/run_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"
#include "io/store/sqlite.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view database_head{"SQLite format 3\0", 16};
/// "creg", so that other databases are told from ours.
constexpr std::int64_t application = 0x63726567;
constexpr std::int64_t schema_version = 1;

// As SQLite keeps them: a file whose tables read otherwise is not ours.
constexpr std::string_view cells_table =
    "CREATE TABLE cells(run INTEGER NOT NULL, cell TEXT NOT NULL, task TEXT NOT NULL, "
    "PRIMARY KEY(run, cell)) WITHOUT ROWID";
constexpr std::string_view figures_table =
    "CREATE TABLE figures(run INTEGER NOT NULL, task TEXT NOT NULL, metric TEXT NOT NULL, "
    "place INTEGER NOT NULL, value REAL NOT NULL, PRIMARY KEY(run, task, metric, place)) "
    "WITHOUT ROWID";
constexpr std::string_view runs_table =
    "CREATE TABLE runs(id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, "
    "dataset TEXT NOT NULL, graph TEXT NOT NULL, method TEXT NOT NULL, regulariser TEXT NOT NULL, "
    "encoder TEXT NOT NULL, config TEXT NOT NULL, build TEXT NOT NULL, device TEXT NOT NULL, "
    "seed TEXT NOT NULL, edge_split TEXT, state TEXT NOT NULL, owner TEXT, lease REAL, "
    "folder TEXT, machine TEXT, threads INTEGER, epochs INTEGER, seconds REAL, memory INTEGER, "
    "problem TEXT)";
constexpr std::string_view all_columns =
    "id, dataset, graph, method, regulariser, encoder, config, build, device, seed, edge_split, "
    "state, folder, machine, threads, epochs, seconds, memory, problem";

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// When a process began, in ticks since the machine did; empty where there is none of that number.
std::string begin_of(const std::string& process) {
  const std::string line = first_line("/proc/" + process + "/stat");
  // The name, in brackets, may hold anything.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream words(line.substr(name_end + 1));
  std::string word;
  constexpr int begin_field = 20;
  for (int i = 0; i < begin_field; ++i) words >> word;
  return word;
}

/// What tells this machine, since it was started, and the process numbers that are seen here.
std::string this_place() {
  std::error_code ignored;
  const std::string numbers = fs::read_symlink("/proc/self/ns/pid", ignored).string();
  return machine_name() + "/" + first_line("/proc/sys/kernel/random/boot_id") + "/" + numbers;
}

std::string this_process(const void* store) {
  const std::string process = std::to_string(::getpid());
  std::ostringstream text;
  text << this_place() << ' ' << process << ' ' << begin_of(process) << ' ' << store;
  return text.str();
}

/// True where the owner is a process that is no more, as far as that can be seen from here.
bool is_dead(const std::string& owner) {
  std::istringstream words(owner);
  std::string place;
  std::string process;
  std::string begin;
  words >> place >> process >> begin;
  const bool number = !process.empty() && std::all_of(process.begin(), process.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
  return number && place == this_place() && begin_of(process) != begin;
}

std::string state_name(RunState state) {
  switch (state) {
    case RunState::waiting:
      return "waiting";
    case RunState::running:
      return "running";
    case RunState::done:
      return "done";
    case RunState::failed:
      break;
  }
  return "failed";
}

class RowReader {
 public:
  RowReader(const SqlRow& row, const std::string& file) : row_(row), file_(file) {}

  std::string text() { return is_null() ? (++at_, std::string()) : get<std::string>(); }
  std::int64_t whole() { return is_null() ? (++at_, 0) : get<std::int64_t>(); }
  /// A number that is none of something counted is no run's.
  template <class Whole>
  Whole count() {
    const std::int64_t value = whole();
    if (value < 0 || value > std::numeric_limits<Whole>::max()) fail();
    return static_cast<Whole>(value);
  }
  double real() {
    if (is_null()) return (++at_, 0);
    const auto value = get<double>();
    if (!std::isfinite(value)) fail();
    return value;
  }
  double seconds() {
    const double value = real();
    if (value < 0) fail();
    return value;
  }
  std::uint64_t number() {
    const auto words = get<std::string>();
    std::uint64_t value = 0;
    const char* const end = words.data() + words.size();
    const auto [stop, error] = std::from_chars(words.data(), end, value);
    if (error != std::errc() || stop != end) fail();
    return value;
  }
  std::optional<std::uint64_t> number_or_nothing() {
    if (!is_null()) return number();
    ++at_;
    return std::nullopt;
  }
  RunState state() {
    const auto name = get<std::string>();
    for (const RunState state :
         {RunState::waiting, RunState::running, RunState::done, RunState::failed}) {
      if (name == state_name(state)) return state;
    }
    fail();
  }

 private:
  bool is_null() const { return std::holds_alternative<std::nullptr_t>(row_.at(at_)); }
  template <class T>
  T get() {
    const auto* value = std::get_if<T>(&row_.at(at_++));
    if (value == nullptr) fail();
    return *value;
  }
  [[noreturn]] void fail() const {
    fail_input({.what = "the run store holds a value that nothing of ours wrote",
                .file = file_,
                .place = "column " + std::to_string(at_) + " of a row"});
  }

  const SqlRow& row_;
  const std::string& file_;
  std::size_t at_ = 0;
};

/// Beside the store by their names there, so that both can be moved; others by their paths.
std::string folder_path(const std::string& kept, const std::string& store) {
  if (kept.empty() || fs::path(kept).is_absolute()) return kept;
  return (runs_folder(fs::absolute(store).lexically_normal()) / kept).string();
}

StoredRun read_run(const SqlRow& row, const std::string& file) {
  RowReader read(row, file);
  StoredRun run;
  run.id = read.whole();
  run.key.dataset = read.text();
  run.key.graph = read.text();
  run.key.method = read.text();
  run.key.regulariser = read.text();
  run.key.encoder = read.text();
  run.key.config = read.text();
  run.key.build = read.text();
  run.key.device = read.text();
  run.key.seed = read.number();
  run.key.edge_split = read.number_or_nothing();
  run.state = read.state();
  run.folder = folder_path(read.text(), file);
  run.machine = read.text();
  run.outcome.threads = read.count<int>();
  run.outcome.epochs = read.count<int>();
  run.outcome.seconds = read.seconds();
  run.outcome.memory_bytes = read.count<std::int64_t>();
  run.problem = read.text();
  return run;
}

[[noreturn]] void fail_foreign(const fs::path& path, const std::string& found) {
  fail_input({.what = "not a run store",
              .file = path.string(),
              .found = found,
              .expected = "a file that creg reproduce or creg sweep --store wrote",
              .hint = "choose another file with --store"});
}

/// Before SQLite is let near it.
void check_head(const fs::path& path) {
  if (fs::is_directory(path)) fail_foreign(path, "a folder");
  if (!is_there(path)) return;
  if (!is_file(path)) fail_foreign(path, "no plain file");
  std::error_code ignored;
  if (fs::file_size(path, ignored) == 0) return;  // begun, and the process was killed
  if (!looks_like_run_store(path)) fail_foreign(path, "no database");
}

bool is_fresh(Sqlite& database, const fs::path& path) {
  const auto whole = [&](std::string_view statement) {
    const std::vector<SqlRow> rows = database.run(statement);
    const auto* value = rows.empty() ? nullptr : std::get_if<std::int64_t>(&rows.front().front());
    return value == nullptr ? -1 : *value;
  };
  const std::int64_t id = whole("PRAGMA application_id");
  const std::vector<SqlRow> tables = database.run(
      "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
      "ORDER BY name");
  if (id == 0 && tables.empty()) return true;
  if (id != application) fail_foreign(path, "a database of something else");
  const std::int64_t version = whole("PRAGMA user_version");
  if (version != schema_version) {
    fail_input({.what = "a run store of another version of creg",
                .file = path.string(),
                .found = "version " + std::to_string(version),
                .expected = "version " + std::to_string(schema_version),
                .hint = "choose another file with --store; creg reproduce --collect FILE.runs "
                        "takes in its runs"});
  }
  const SqlRow cells = {std::string("cells"), std::string(cells_table)};
  const SqlRow figures = {std::string("figures"), std::string(figures_table)};
  const SqlRow runs = {std::string("runs"), std::string(runs_table)};
  if (tables != std::vector<SqlRow>{cells, figures, runs})
    fail_foreign(path, "tables of something else");
  return false;
}

std::vector<StoredRun> read_all(Sqlite& database, const fs::path& path) {
  const std::string file = path.string();
  std::vector<StoredRun> runs;
  std::map<std::int64_t, std::size_t> places;
  for (const SqlRow& row :
       database.run("SELECT " + std::string(all_columns) + " FROM runs ORDER BY id")) {
    runs.push_back(read_run(row, file));
    places[runs.back().id] = runs.size() - 1;
  }
  for (const SqlRow& row : database.run(
           "SELECT run, task, metric, value FROM figures ORDER BY run, task, metric, place")) {
    RowReader read(row, file);
    const auto place = places.find(read.whole());
    const std::string task = read.text();
    const std::string metric = read.text();
    const double value = read.real();
    if (place != places.end()) {
      runs[place->second].outcome.figures[{task, metric}].push_back(value);
    }
  }
  for (const SqlRow& row : database.run("SELECT run, cell, task FROM cells")) {
    RowReader read(row, file);
    const auto place = places.find(read.whole());
    const std::string cell = read.text();
    if (place != places.end()) runs[place->second].cells[cell] = read.text();
  }
  return runs;
}

}  // namespace

std::string RunKey::text() const {
  return "dataset = " + dataset + "\ngraph = " + graph + "\nbuild = " + build +
         "\ndevice = " + device + "\nseed = " + std::to_string(seed) +
         "\nedge_split = " + (edge_split ? std::to_string(*edge_split) : "none") + "\n" + config;
}

struct RunStore::Inside {
  Inside(const Context& context, const fs::path& file, const Options& chosen)
      : path(file),
        options(chosen),
        database(file, {.patience = chosen.patience, .stopped = [stop = context.options().stop] {
                          return stop && stop->load(std::memory_order_relaxed);
                        }}) {}

  fs::path path;
  Options options;
  std::string owner;
  mutable Sqlite database;
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::int64_t> claimed;
  bool over = false;
  std::thread life;

  std::optional<StoredRun> find(const std::string& column, const SqlValue& value) const {
    const std::vector<SqlRow> rows = database.run(
        "SELECT " + std::string(all_columns) + " FROM runs WHERE " + column + " = ?", {value});
    if (rows.empty()) return std::nullopt;
    const std::string file = path.string();
    StoredRun run = read_run(rows.front(), file);
    for (const SqlRow& row : database.run(
             "SELECT task, metric, value FROM figures WHERE run = ? ORDER BY task, metric, place",
             {run.id})) {
      RowReader read(row, file);
      const std::string task = read.text();
      const std::string metric = read.text();
      run.outcome.figures[{task, metric}].push_back(read.real());
    }
    return run;
  }

  void hold(std::int64_t id) {
    const std::lock_guard lock(mutex);
    claimed.insert(id);
    if (!life.joinable()) life = std::thread([this] { stay_alive(); });
  }

  void let_go(std::int64_t id) {
    const std::lock_guard lock(mutex);
    claimed.erase(id);
  }

  void stay_alive() {
    std::unique_lock lock(mutex);
    constexpr double signs_per_lease = 4;
    const std::chrono::duration<double> pause(options.lease / signs_per_lease);
    while (!changed.wait_for(lock, pause, [this] { return over; })) {
      if (claimed.empty()) continue;
      lock.unlock();
      try {
        database.run("UPDATE runs SET lease = ? WHERE owner = ?", {now() + options.lease, owner});
      } catch (const std::exception&) {
        // The next sign may get through; a claim that ran out is only found out when it is taken.
      }
      lock.lock();
    }
  }

  /// Whether the claim was still this store's.
  void settle(std::int64_t id, RunState state) {
    database.run("UPDATE runs SET state = ?, owner = NULL, lease = NULL WHERE id = ? AND owner = ?",
                 {state_name(state), id, owner});
  }
};

RunStore::RunStore(const Context& context, const fs::path& path, Options options) {
  check_head(path);
  const fs::path parent = fs::absolute(path).parent_path();
  make_folder(parent);
  inside_ = std::make_unique<Inside>(context, path, options);
  inside_->owner = this_process(this);
  Sqlite& database = inside_->database;
  // A journal beside the file, and no memory that is shared: good for folders on a network too.
  if (!is_fresh(database, path)) return;
  database.in_transaction([&] {
    if (!is_fresh(database, path)) return;  // another process was quicker
    database.run(runs_table);
    database.run(cells_table);
    database.run(figures_table);
    database.run("PRAGMA application_id = " + std::to_string(application));
    database.run("PRAGMA user_version = " + std::to_string(schema_version));
  });
}

RunStore::~RunStore() {
  {
    const std::lock_guard lock(inside_->mutex);
    inside_->over = true;
  }
  inside_->changed.notify_all();
  if (inside_->life.joinable()) inside_->life.join();
  for (const std::int64_t id : inside_->claimed) {
    try {
      inside_->settle(id, RunState::waiting);
    } catch (const std::exception&) {
      return;  // whoever comes next sees that this process is no more
    }
  }
}

std::vector<StoredRun> RunStore::runs() const {
  return read_all(inside_->database, inside_->path);
}

std::optional<StoredRun> RunStore::find(const RunKey& key) const {
  return inside_->find("key", key.text());
}

std::optional<StoredRun> RunStore::claim(const RunKey& key) {
  Inside& in = *inside_;
  const std::string text = key.text();
  std::optional<StoredRun> run;
  in.database.in_transaction([&] {
    in.database.run(
        "INSERT OR IGNORE INTO runs(key, dataset, graph, method, regulariser, encoder, config, "
        "build, device, seed, edge_split, state) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
        {text, key.dataset, key.graph, key.method, key.regulariser, key.encoder, key.config,
         key.build, key.device, std::to_string(key.seed),
         key.edge_split ? SqlValue(std::to_string(*key.edge_split)) : SqlValue(),
         state_name(RunState::waiting)});
    const std::vector<SqlRow> rows =
        in.database.run("SELECT owner, lease FROM runs WHERE key = ?", {text});
    RowReader read(rows.at(0), in.path.string());
    const std::string owner = read.text();
    const double lease = read.real();
    if (!owner.empty() && lease > now() && !is_dead(owner)) return;
    run = in.find("key", text);
    in.database.run(
        "UPDATE runs SET owner = ?, lease = ?, state = ? WHERE id = ?",
        {in.owner, now() + in.options.lease,
         state_name(run->state == RunState::done ? RunState::done : RunState::running), run->id});
  });
  if (run) in.hold(run->id);
  return run;
}

void RunStore::finish(std::int64_t id, const RunOutcome& outcome, const std::string& folder) {
  Inside& in = *inside_;
  in.database.in_transaction([&] {
    for (const auto& [what, values] : outcome.figures) {
      in.database.run("DELETE FROM figures WHERE run = ? AND task = ? AND metric = ?",
                      {id, what.first, what.second});
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        in.database.run("INSERT INTO figures VALUES(?,?,?,?,?)",
                        {id, what.first, what.second, static_cast<std::int64_t>(i), values[i]});
      }
    }
    in.database.run(
        "UPDATE runs SET folder = ifnull(?, folder), machine = ?, threads = ?, epochs = ?, "
        "seconds = ?, memory = ?, problem = NULL, state = 'done' WHERE id = ?",
        {folder.empty() ? SqlValue() : SqlValue(folder), machine_name(),
         std::int64_t{outcome.threads}, std::int64_t{outcome.epochs}, outcome.seconds,
         outcome.memory_bytes, id});
    in.settle(id, RunState::done);
  });
  in.let_go(id);
}

void RunStore::name_cells(std::int64_t id, const std::map<std::string, std::string>& cells) {
  Inside& in = *inside_;
  in.database.in_transaction([&] {
    for (const auto& [cell, task] : cells) {
      in.database.run("INSERT OR REPLACE INTO cells VALUES(?,?,?)", {id, cell, task});
    }
  });
}

void RunStore::fail(std::int64_t id, const std::string& problem) {
  Inside& in = *inside_;
  in.database.in_transaction([&] {
    in.database.run("UPDATE runs SET problem = ? WHERE id = ?", {problem, id});
    in.settle(id, RunState::failed);
  });
  in.let_go(id);
}

void RunStore::release(std::int64_t id) {
  Inside& in = *inside_;
  const std::optional<StoredRun> run = in.find("id", id);
  in.settle(id, run && run->state == RunState::done ? RunState::done : RunState::waiting);
  in.let_go(id);
}

fs::path RunStore::folder_of(std::int64_t id) const {
  return runs_folder(inside_->path) / std::to_string(id);
}

fs::path runs_folder(const fs::path& store) {
  fs::path folder = store;
  folder += ".runs";
  return folder;
}

bool looks_like_run_store(const fs::path& path) {
  if (!is_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, database_head.size()> head{};
  file.read(head.data(), head.size());
  return file.gcount() == static_cast<std::streamsize>(head.size()) &&
         std::string_view(head.data(), head.size()) == database_head;
}

std::vector<StoredRun> read_run_store(const Context& context, const fs::path& path) {
  if (!is_there(path)) {
    fail_input({.what = "no such run store",
                .file = path.string(),
                .expected = "a file that creg reproduce or creg sweep --store wrote"});
  }
  check_head(path);
  Sqlite database(path, {.write = false, .stopped = [&context] { return context.stopped(); }});
  return is_fresh(database, path) ? std::vector<StoredRun>() : read_all(database, path);
}

std::string machine_name() {
  constexpr std::size_t longest = 256;
  std::array<char, longest> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return "unknown";
  std::string name = host.data();
  for (char& c : name) {
    if (c == ' ' || c == '\n') c = '-';
  }
  return name.empty() ? "unknown" : name;
}

}  // namespace creg
