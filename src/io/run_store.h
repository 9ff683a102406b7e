// What was run, and what came of it: one file that several processes fill, on one machine or on a
// shared folder. A run is known by all that its result depends on; who works on it says so, and
// what a killed process left is taken over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "creg/core/context.h"

namespace creg {

/// All that the outcome of a run depends on: runs of one key are one run.
struct RunKey {
  std::string dataset;  ///< a name, for people
  std::string graph;    ///< what it was trained on: sizes and checksums
  std::string method;
  std::string regulariser;
  std::string encoder;
  std::string config;  ///< every parameter, as in config.toml
  std::string build;   ///< of creg and libtorch
  std::string device;  ///< with the precision
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> edge_split;

  /// All of it as lines: equal for equal keys alone.
  std::string text() const;
};

/// Values by what was measured: {"classify public", "accuracy"} has one per split.
using RunFigures = std::map<std::pair<std::string, std::string>, std::vector<double>>;

struct RunOutcome {
  RunFigures figures;
  double seconds = 0;  ///< of training
  int threads = 0;
  int epochs = 0;
  std::int64_t memory_bytes = 0;  ///< estimated
};

enum class RunState {
  waiting,  ///< nobody works on it
  running,  ///< somebody does, or was killed
  done,
  failed,
};

/// A run as the store has it.
struct StoredRun {
  std::int64_t id = 0;
  RunKey key;
  RunState state = RunState::waiting;
  std::string folder;   ///< where its embedding and its epochs are; empty: not kept
  std::string machine;  ///< that did it
  std::string problem;  ///< of one that failed
  /// Cells of tables that it was made for, by name, and the task there whose figures they show.
  std::map<std::string, std::string> cells;
  RunOutcome outcome;  ///< figures may be those of an earlier, shorter list of questions
};

class RunStore {
 public:
  struct Options {
    double patience = 30;  ///< seconds to wait for another process that writes
    /// Seconds that a claim holds on without a sign of life from its process.
    double lease = 60;
  };

  /// Makes the file where it is not there. A file of something else, of another version, or one
  /// that was tampered with is an input error.
  RunStore(const Context& context, const std::filesystem::path& path)
      : RunStore(context, path, Options()) {}
  RunStore(const Context& context, const std::filesystem::path& path, Options options);
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;
  /// Lets go of what it has claimed.
  ~RunStore();

  /// In no order of importance: by id.
  std::vector<StoredRun> runs() const;
  std::optional<StoredRun> find(const RunKey& key) const;

  /// The run, which is from now on this store's to do; nothing where another living process has it.
  /// While the claim lasts, a thread of the store's says now and then that the process lives.
  std::optional<StoredRun> claim(const RunKey& key);
  /// Its outcome is stored, beside figures that were there, and the claim ends. `folder` is a path,
  /// or a name in runs_folder; an empty one leaves what is there.
  void finish(std::int64_t id, const RunOutcome& outcome, const std::string& folder = {});
  /// Says for which cells of tables a run is; more come beside those that are there.
  void name_cells(std::int64_t id, const std::map<std::string, std::string>& cells);
  void fail(std::int64_t id, const std::string& problem);
  /// Somebody else, or a later call, may go on with it.
  void release(std::int64_t id);

  /// Where the run of this id is kept: in a folder beside the store.
  std::filesystem::path folder_of(std::int64_t id) const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

/// FILE.runs, beside the store.
std::filesystem::path runs_folder(const std::filesystem::path& store);

/// True for a file that begins as a database of SQLite does.
bool looks_like_run_store(const std::filesystem::path& path);

/// What is stored, without making or changing anything; where there is no file, an input error.
std::vector<StoredRun> read_run_store(const Context& context, const std::filesystem::path& path);

/// "host": times measured here are times of this machine.
std::string machine_name();

}  // namespace creg
