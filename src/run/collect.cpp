#include <algorithm>
#include <optional>

#include "creg/core/error.h"
#include "io/file.h"
#include "io/seed_folders.h"
#include "run/reproduce.h"
#include "run/result_file.h"
#include "run/run_folder.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

/// Folders of single finished runs, in and below this one; links are not followed.
std::vector<fs::path> finished_runs(const fs::path& folder) {
  std::vector<fs::path> found;
  const auto look = [&](const fs::path& path) {
    if (holds_run(path) && is_there(path / "result.json") && is_there(path / "embedding.npy")) {
      found.push_back(path);
    }
  };
  look(folder);
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_directory(error) && !at->is_symlink(error)) look(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// What creg train judged it by, as the question that it answers.
RunQuestion question_of(const ResultFile& result, const std::string& dataset_protocol) {
  RunQuestion question;
  const auto protocol = result.text("protocol");
  if (protocol != dataset_protocol) question.protocol = protocol;
  constexpr int drawn = 20;
  const int splits = result.count("splits");
  if (splits != 1 && splits != drawn) question.splits = splits;
  return question;
}

bool collect_one(const Context& context, const fs::path& folder, RunStore& store) {
  const std::optional<ResultFile> result = ResultFile::read(map_file(folder / "result.json"));
  if (!result) {
    fail_input({.what = "not the result of a run", .file = (folder / "result.json").string()});
  }
  const RunRecord record = read_record(folder);
  RunPlan plan = plan_dry_resume(context, folder, {}, false);
  if (plan.dataset.entry == nullptr && !plan.dataset.source.starts_with("synthetic:")) {
    fail_input({.what = "the run's dataset is a file, which the store knows by its bytes alone",
                .file = folder.string(),
                .found = record.dataset,
                .hint = "run it with creg sweep --store where the file is"});
  }
  plan.device.type = record.on_gpu ? DeviceType::cuda : DeviceType::cpu;
  RunKey key = run_key(context, plan, record.seed);
  key.edge_split = record.edge_split;
  key.build = result->text("build", "creg " + result->text("version", "of old"));
  RunOutcome outcome;
  outcome.seconds = result->seconds();
  outcome.threads = result->count("threads");
  outcome.epochs = result->count("epochs_run");
  const std::vector<double> accuracy = result->values("accuracy");
  if (!accuracy.empty()) {
    const std::string name =
        question_of(*result, plan.dataset.protocol).name(plan.dataset.protocol);
    outcome.figures[{name, "accuracy"}] = accuracy;
    const std::vector<double> val = result->values("val_accuracy");
    if (!val.empty()) outcome.figures[{name, "val_accuracy"}] = val;
  }
  const auto known = store.claim(key);
  if (!known) return false;
  if (known->state == RunState::done) {
    store.release(known->id);
    return false;
  }
  store.finish(known->id, outcome, fs::absolute(folder).lexically_normal().string());
  return true;
}

}  // namespace

int collect_runs(const Context& context, const fs::path& folder, RunStore& store) {
  if (!fs::is_directory(folder)) {
    fail_input({.what = "no folder of runs",
                .file = "--collect",
                .found = folder.string(),
                .expected = "a folder that creg train wrote, or one with such folders in it"});
  }
  int taken = 0;
  for (const fs::path& run : finished_runs(folder)) {
    context.throw_if_stopped();
    // The folder of several seeds has them in folders of their own.
    if (!seed_folders(run).empty()) continue;
    try {
      if (collect_one(context, run, store)) ++taken;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      context.log().write(LogLevel::warning, std::string("left out: ") + error.what());
    }
  }
  return taken;
}

}  // namespace creg
