#include "faults/faulted_runs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <regex>
#include <sstream>

#include "faults/fault_library.h"

namespace creg::test {
namespace {

namespace fs = std::filesystem;

constexpr unsigned hang_seconds = 60;

std::vector<LoggedCall> read_log(const fs::path& path) {
  std::vector<LoggedCall> calls;
  std::istringstream lines(read_text(path));
  std::string happened;
  LoggedCall call;
  while (lines >> happened >> call.operation >> std::ws && std::getline(lines, call.file)) {
    call.failed = happened == "failed";
    calls.push_back(call);
  }
  return calls;
}

/// The name that a user knows: without what marks a file that is being written.
std::string known_name(const std::string& file) {
  return file.substr(0, file.find(".part-"));
}

int error_of(const std::string& effect) {
  return effect == "ENOSPC" ? ENOSPC : EIO;
}

/// Whole lines from the beginning of `whole`.
bool is_beginning(const std::string& part, const std::string& whole) {
  return whole.starts_with(part) && (part.empty() || part.ends_with('\n'));
}

/// Without what may differ in a run that was resumed: the time it took, and comments on where
/// settings come from. A checkpoint has the time inside; what comes of it stays.
Files without_times(Files files) {
  std::erase_if(files, [](const auto& file) { return file.first.ends_with("checkpoint.pt"); });
  for (auto& [name, text] : files) {
    if (name.ends_with(".toml")) text = std::regex_replace(text, std::regex(" +# .*"), "");
    if (name.find(".json") != std::string::npos) {
      text = std::regex_replace(text, std::regex("\"seconds\": ?[0-9.e+]+"), "");
    }
  }
  return files;
}

/// What differs, in a few words.
std::string difference(const Files& found, const Files& wanted) {
  std::string names;
  for (const auto& [name, bytes] : found) {
    const auto same = wanted.find(name);
    if (same == wanted.end() || same->second != bytes) names += " " + name;
  }
  for (const auto& [name, bytes] : wanted) {
    if (!found.contains(name)) names += " no " + name;
  }
  return names;
}

}  // namespace

Files files_below(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    // A lock that nobody holds is nothing to anybody.
    if (entry.is_regular_file() && entry.path().filename() != ".creg-lock") {
      files[name] = read_text(entry.path());
    }
  }
  return files;
}

std::string write_small_dataset(const fs::path& folder, int columns) {
  constexpr int nodes = 50;
  std::string edges = "source,target\n";
  std::string features = "id";
  for (int k = 0; k < columns; ++k) features += ",x" + std::to_string(k);
  features += "\n";
  std::string labels = "id,label\n";
  for (int i = 0; i < nodes; ++i) {
    const std::string id = "n" + std::to_string(i);
    edges += id + ",n" + std::to_string((i + 1) % nodes) + "\n";
    edges += id + ",n" + std::to_string((i + 3) % nodes) + "\n";
    features += id;
    for (int k = 0; k < columns; ++k) {
      features += "," + std::to_string(k % 3 == i % 3 ? 1.0 : 0.01 * i);
    }
    features += "\n";
    labels += id + "," + "xyz"[i % 3] + "\n";
  }
  const auto write = [&](const char* name, const std::string& text) {
    fs::create_directories(folder);
    std::FILE* const file = std::fopen((folder / name).c_str(), "wb");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  };
  write("edges.csv", edges);
  write("features.csv", features);
  write("labels.csv", labels);
  write("small.toml",
        "edges = \"edges.csv\"\nfeatures = \"features.csv\"\nlabels = \"labels.csv\"\n");
  return (folder / "small.toml").string();
}

std::vector<std::string> fault_environment(const fs::path& under, const fs::path& log,
                                           const std::string& fault) {
  return {"LD_PRELOAD=" CREG_FAULT_LIBRARY, "CREG_FAULT_UNDER=" + under.string(),
          "CREG_FAULT_LOG=" + log.string(), "CREG_FAULT=" + fault};
}

FaultedCommand::FaultedCommand(
    std::function<std::vector<std::string>(const std::string&)> arguments,
    std::function<void(const fs::path&)> prepare, std::string clock)
    : folder_(dir_ / "work"),
      prepare_(std::move(prepare)),
      arguments_(arguments(folder_.string())),
      clock_(std::move(clock)) {
  reset();
  before_ = files_below(folder_);
  const FaultedRun plain = run("");
  EXPECT_EQ(plain.result.status, 0) << plain.result.err;
  after_ = files_below(folder_);
  calls_ = plain.calls;
  // What is compared below must not change by itself.
  run("");
  const Files second = files_below(folder_);
  const bool same_times = clock_ == "frozen";
  EXPECT_EQ(same_times ? difference(second, after_)
                       : difference(without_times(second), without_times(after_)),
            "");
}

void FaultedCommand::reset() const {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  if (prepare_) prepare_(folder_);
}

FaultedRun FaultedCommand::run(const std::string& fault) const {
  reset();
  return run(arguments_, fault);
}

FaultedRun FaultedCommand::run(const std::vector<std::string>& arguments,
                               const std::string& fault) const {
  const TempDir logs;
  RunOptions options;
  options.environment = fault_environment(folder_, logs / "log", fault);
  // Only what is computed says how long it took; downloads wait by the clock.
  if (arguments_.front() != "data") options.environment.push_back("CREG_FAULT_CLOCK=" + clock_);
  options.before = [] {
    alarm(hang_seconds);
    creg_faults_arm();
  };
  FaultedRun out;
  out.result = run_creg(arguments, options);
  out.calls = read_log(logs / "log");
  return out;
}

std::size_t FaultedCommand::count(std::string_view operation) const {
  return static_cast<std::size_t>(
      std::count_if(calls_.begin(), calls_.end(),
                    [&](const LoggedCall& call) { return call.operation == operation; }));
}

Files FaultedCommand::take_finished(const std::string& fault) const {
  constexpr std::string_view ending = ".part";
  Files finished;
  for (auto& [name, bytes] : files_below(folder_)) {
    if (name.ends_with(".part.etag")) continue;
    if (!name.ends_with(ending)) {
      finished[name] = bytes;
      continue;
    }
    const auto made = after_.find(name.substr(0, name.size() - ending.size()));
    EXPECT_TRUE(bytes.empty() || (made != after_.end() && made->second.starts_with(bytes)))
        << fault << " left a wrong " << name;
  }
  return finished;
}

void FaultedCommand::expect_whole(const Files& found, const std::string& fault) const {
  for (const auto& [name, bytes] : found) {
    const auto old = before_.find(name);
    const auto made = after_.find(name);
    const auto passing = on_the_way_.find(name);
    const bool whole =
        (passing != on_the_way_.end() && passing->second == bytes) ||
        (old != before_.end() && old->second == bytes) ||
        (made != after_.end() &&
         (made->second == bytes || ((name.ends_with(".jsonl") || name.ends_with(".tfevents")) &&
                                    is_beginning(bytes, made->second))));
    EXPECT_TRUE(whole) << fault << " left " << name << ", " << bytes.size() << " bytes";
  }
  for (const auto& [one, other] : pairs_) {
    if (!found.contains(one) || !found.contains(other)) continue;  // told below
    EXPECT_EQ(found.at(one) == after_.at(one), found.at(other) == after_.at(other))
        << fault << ": " << one << " and " << other << " are of different times";
  }
  for (const auto& [name, bytes] : before_) {
    EXPECT_TRUE(found.contains(name) || !after_.contains(name)) << fault << " lost " << name;
  }
}

void FaultedCommand::belong_together(const std::string& one, const std::string& other) {
  EXPECT_NE(before_.at(one), after_.at(one));
  EXPECT_NE(before_.at(other), after_.at(other));
  pairs_.emplace_back(one, other);
}

void FaultedCommand::let_stay(const std::string& name, std::string bytes) {
  on_the_way_[name] = std::move(bytes);
}

void FaultedCommand::expect_told(const FaultedRun& run, const std::string& reason,
                                 const std::string& fault) const {
  const std::string& err = run.result.err;
  EXPECT_TRUE(run.result.status == 1 || run.result.status == 2)
      << fault << ": status " << run.result.status << "\n"
      << err;
  EXPECT_NE(err.find(reason), std::string::npos) << fault << ": no reason\n" << err;
  for (const LoggedCall& call : run.calls) {
    if (!call.failed) continue;
    EXPECT_NE(err.find(known_name(call.file)), std::string::npos)
        << fault << ": " << call.file << " is not named\n"
        << err;
  }
}

void FaultedCommand::expect_errors_are_told(std::string_view operation,
                                            const std::string& effect) const {
  const std::size_t calls = count(operation);
  EXPECT_GT(calls, 0U) << operation;
  for (std::size_t n = 1; n <= calls; ++n) {
    const std::string fault = std::string(operation) + ":" + std::to_string(n) + ":" + effect;
    const FaultedRun faulted = run(fault);
    const Files found = take_finished(fault);
    if (faulted.result.status == 0) {
      EXPECT_EQ(difference(found, after_), "") << fault;
    } else {
      expect_told(faulted, std::strerror(error_of(effect)), fault);
      expect_whole(found, fault);
    }
    if (::testing::Test::HasFailure() && n % 8 == 0) return;
  }
}

void FaultedCommand::expect_survives(std::string_view operation, const std::string& effect) const {
  const std::string fault = std::string(operation) + ":*:" + effect;
  const FaultedRun faulted = run(fault);
  EXPECT_EQ(faulted.result.status, 0) << fault << "\n" << faulted.result.err;
  EXPECT_TRUE(std::any_of(faulted.calls.begin(), faulted.calls.end(), [](const LoggedCall& call) {
    return call.failed;
  })) << fault;
  EXPECT_EQ(difference(files_below(folder_), after_), "") << fault;
}

void FaultedCommand::expect_goes_on_after_kills(
    std::string_view operation,
    const std::function<std::vector<std::string>(const std::string&)>& go_on) const {
  const std::size_t calls = count(operation);
  EXPECT_GT(calls, 0U) << operation;
  for (std::size_t n = 1; n <= calls; ++n) {
    const std::string fault = std::string(operation) + ":" + std::to_string(n) + ":KILL";
    EXPECT_EQ(run(fault).result.status, 128 + SIGKILL) << fault;
    const FaultedRun again = run(go_on(folder_.string()), "");
    EXPECT_EQ(again.result.status, 0) << fault << "\n" << again.result.err;
    Files found = files_below(folder_);
    // What was being written stays under a name that nobody looks for.
    std::erase_if(found,
                  [](const auto& file) { return file.first.find(".part-") != std::string::npos; });
    EXPECT_EQ(difference(without_times(found), without_times(after_)), "") << fault;
  }
}

void FaultedCommand::expect_short_memory_is_told(std::size_t every) const {
  const std::size_t calls = count("alloc");
  EXPECT_GT(calls, 0U);
  ::testing::Test::RecordProperty("allocations", static_cast<int>(calls));
  std::size_t missed = 0;
  for (std::size_t n = 1; n <= calls; n += every) {
    const std::string fault = "alloc:" + std::to_string(n) + ":ENOMEM";
    const FaultedRun faulted = run(fault);
    const Files found = take_finished(fault);
    missed += std::any_of(faulted.calls.begin(), faulted.calls.end(),
                          [](const LoggedCall& call) { return call.failed; })
                  ? 0
                  : 1;
    if (faulted.result.status == 0) {
      EXPECT_EQ(difference(found, after_), "") << fault;
      continue;
    }
    EXPECT_EQ(faulted.result.status, 1) << fault << "\n" << faulted.result.err;
    // OpenBLAS ends the program itself, with its own words.
    const std::string& err = faulted.result.err;
    EXPECT_TRUE(err.find("memory") != std::string::npos ||
                err.find("OpenBLAS: malloc failed") != std::string::npos)
        << fault << "\n"
        << err;
    expect_whole(found, fault);
  }
  // Threads beside each other may take a few less in another run.
  EXPECT_LE(missed, every == 1 ? 0 : calls / every / 10);
}

}  // namespace creg::test
