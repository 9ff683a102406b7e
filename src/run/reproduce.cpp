#include "run/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "ops/tensor_memory.h"
#include "run/known_runs.h"
#include "run/open_data.h"
#include "run/scheduler.h"

namespace creg {
namespace {

/// The opened datasets of a command, each once.
class OpenedData {
 public:
  const Dataset& get(const Context& context, const DataSpec& spec) {
    const std::lock_guard lock(mutex_);
    const auto found = datasets_.find(spec.dataset);
    if (found != datasets_.end()) return found->second;
    return datasets_.emplace(spec.dataset, open_data(context, spec)).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Dataset> datasets_;
};

class Worker {
 public:
  Worker(const Context& context, const PaperPlan& plan, const ReproduceSpec& spec, RunStore& store,
         ProgressTask& progress)
      : context_(context),
        plan_(plan),
        spec_(spec),
        store_(store),
        progress_(progress),
        end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::chrono::duration<double>(spec.budget))) {}

  /// Does these, but for those that other processes do meanwhile; the latter are returned.
  std::vector<std::size_t> work(const std::vector<std::size_t>& runs) {
    const PackedRuns packed = pack_runs(context_, plan_.runs, runs);
    std::vector<std::size_t> busy;
    const auto go = [&](const std::vector<std::size_t>& some, std::int64_t bytes) {
      const bool batches = spec_.settings.contains("batch_size");
      const Scheduler scheduler(
          context_, static_cast<std::int64_t>(some.size()), bytes,
          batches ? OnGpu::has_threads_of_its_own : OnGpu::keeps_to_its_thread);
      scheduler.run([&](std::int64_t i) {
        const std::size_t index = some[static_cast<std::size_t>(i)];
        if (!one(scheduler.context_of(plan_.runs[index].key.seed), plan_.runs[index])) {
          const std::lock_guard lock(mutex_);
          busy.push_back(index);
        }
      });
    };
    std::int64_t largest = 0;
    for (const std::size_t i : packed.beside) {
      largest = std::max(largest, plan_.runs[i].memory_bytes);
    }
    if (!packed.beside.empty()) go(packed.beside, largest);
    for (const std::size_t i : packed.alone) go({i}, plan_.runs[i].memory_bytes);
    return busy;
  }

 private:
  bool time_is_up() const { return spec_.budget > 0 && std::chrono::steady_clock::now() >= end_; }

  /// False where another process has it.
  bool one(const Context& context, const PaperRun& run) {
    context_.throw_if_stopped();
    if (time_is_up()) return true;
    const std::optional<StoredRun> claimed = store_.claim(run.key);
    if (!claimed) return false;
    const std::vector<RunQuestion> open = open_questions(*claimed, run.questions, run.protocol);
    try {
      store_.name_cells(claimed->id, run.cells);
      if (open.empty()) {
        store_.release(claimed->id);
        progress_.advance(run.epochs);
        return true;
      }
      carry(context, run, *claimed, open);
    } catch (const Interrupted&) {
      store_.release(claimed->id);
      throw;
    } catch (const Error& error) {
      context_.log().write(LogLevel::warning,
                           fmt::format("{} on {}, seed {}: {}", run.key.method, run.key.dataset,
                                       run.key.seed, error.what()));
      store_.fail(claimed->id, error.what());
    }
    return true;
  }

  void carry(const Context& context, const PaperRun& run, const StoredRun& known,
             const std::vector<RunQuestion>& questions) {
    const Context silent = without_notes(context);
    RunPlan plan = plan_run(silent, data_.get(silent, run.spec.data), run.spec);
    int done = 0;
    RunListener listener;
    listener.epoch_done = [&](std::uint64_t /*seed*/, const EpochStatistics& /*statistics*/) {
      // After Ctrl-C the trainer first writes its checkpoint.
      if (context_.stopped()) return;
      ++done;
      progress_.advance();
    };
    const RunOutcome outcome =
        carry_out(silent, plan, known, questions, store_.folder_of(known.id), listener);
    keep_outcome(store_, known, outcome);
    progress_.note(run.key.method + " on " + run.key.dataset);
    if (!context_.stopped()) progress_.advance(std::max(0, run.epochs - done));
  }

  /// What each of many runs notes about itself is told for none of them.
  static Context without_notes(const Context& context) {
    Context::Options options = in_silence(context).options();
    options.log = nullptr;
    return Context(options);
  }

  const Context& context_;
  const PaperPlan& plan_;
  const ReproduceSpec& spec_;
  RunStore& store_;
  ProgressTask& progress_;
  std::chrono::steady_clock::time_point end_;
  OpenedData data_;
  std::mutex mutex_;
};

/// Runs that were there before, of a sweep or collected, are those of these cells too.
void name_done_runs(const PaperPlan& plan, const ReproduceSpec& spec, RunStore& store) {
  const std::vector<StoredRun> known = store.runs();
  const KnownRuns there(known, spec.any_device);
  for (const PaperRun& run : plan.runs) {
    const StoredRun* const stored = run.done ? there.find(run.key) : nullptr;
    if (stored == nullptr) continue;
    const bool named = std::all_of(run.cells.begin(), run.cells.end(), [&](const auto& cell) {
      return stored->cells.contains(cell.first);
    });
    if (!named) store.name_cells(stored->id, run.cells);
  }
}

}  // namespace

void run_paper(const Context& context, const PaperPlan& plan, const ReproduceSpec& spec,
               RunStore& store) {
  install_tensor_memory();
  name_done_runs(plan, spec, store);
  std::int64_t epochs = 0;
  for (const std::size_t i : plan.chosen) epochs += plan.runs[i].epochs;
  ProgressTask progress(context, counted(static_cast<std::int64_t>(plan.chosen.size()), "run"),
                        epochs, "epochs");
  Worker worker(context, plan, spec, store, progress);
  std::vector<std::size_t> open = worker.work(plan.chosen);
  constexpr std::chrono::milliseconds pause{300};
  if (!open.empty()) {
    context.log().write(LogLevel::notice, counted(static_cast<std::int64_t>(open.size()), "run") +
                                              " under way in another process: waiting for it");
  }
  while (!open.empty()) {
    std::this_thread::sleep_for(pause);
    open = worker.work(open);
  }
  progress.finish();
}

PaperPlan run_within_budget(const Context& context, PaperPlan plan, ReproduceSpec spec,
                            RunStore& store) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const double budget = spec.budget;
  while (true) {
    run_paper(context, plan, spec, store);
    const std::chrono::duration<double> passed = Clock::now() - begin;
    spec.budget = budget - passed.count();
    // What was too long for any time would be so again.
    if (budget <= 0 || plan.left.empty() || plan.chosen.empty() || spec.budget <= 0) return plan;
    spec.slowness = plan.slowness;
    const std::vector<StoredRun> known = store.runs();
    plan = plan_paper(context, spec, known);
    std::set<std::string> failed;
    for (const StoredRun& run : known) {
      if (run.state == RunState::failed) failed.insert(run.key.text());
    }
    std::erase_if(plan.chosen,
                  [&](std::size_t i) { return failed.contains(plan.runs[i].key.text()); });
    if (plan.chosen.empty()) return plan;
    context.log().write(
        LogLevel::notice,
        fmt::format("{} left of the budget: {} more fit, ~ {}", human_seconds(spec.budget),
                    counted(static_cast<std::int64_t>(plan.chosen.size()), "run"),
                    human_seconds(plan.seconds)));
  }
}

}  // namespace creg
