#include "run/run_times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "creg/core/error.h"
#include "ops/tensor_memory.h"
#include "run/execute.h"
#include "run/scheduler.h"

namespace creg {
namespace {

/// What an epoch costs beside one of ML: passes over the graph, and pairs of all nodes.
struct MethodCost {
  std::string_view method;
  double passes;
  double pairs;  ///< columns of the products of all pairs
};
constexpr std::array method_costs = {
    MethodCost{"lc", 1.2, 0},
    MethodCost{"gcn-supervised", 7, 0},
    MethodCost{"node2vec", 40, 0},
    MethodCost{"dgi", 0.8, 0},
    MethodCost{"gmi", 8, 0},
    MethodCost{"mvgrl", 8, 0},
    MethodCost{"gca", 2, 64},
    MethodCost{"grace", 3, 128},
    MethodCost{"graphmae", 15, 0},
    MethodCost{"gdcl", 15, 64},
    MethodCost{"digcl", 15, 0},
    MethodCost{"bgrl", 4, 0},
    MethodCost{"agc", 0.5, 0},
    MethodCost{"gcn-neg", 1.3, 0},
    MethodCost{"ml-gcn-standin", 6, 0},
};

constexpr double sparse_second = 7e-10;  ///< a column of one entry, there and back
constexpr double pair_second = 2e-10;    ///< a column of one pair
constexpr double judged = 1.5;           ///< seconds to judge an embedding

struct Measured {
  double sum = 0;
  double count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double mean() const { return sum / count; }
};

std::string same_settings(const RunKey& key) {
  return key.dataset + "\n" + key.graph + "\n" + key.device + "\n" +
         (key.edge_split ? "split" : "whole") + "\n" + key.config;
}

std::string same_method(const RunKey& key) {
  return key.dataset + "\n" + key.graph + "\n" + key.device + "\n" + key.method + "\n" +
         key.encoder;
}

/// One-core seconds that a run took, what was asked of it included.
double whole_seconds(const StoredRun& run) {
  const auto found = run.outcome.figures.find({"time", "seconds"});
  const double seconds = found == run.outcome.figures.end() || found->second.empty()
                             ? run.outcome.seconds
                             : found->second.front();
  return seconds * std::max(1, run.outcome.threads);
}

/// The epochs that a run was allowed; 0: its configuration does not tell.
int allowed_epochs(const RunKey& key) {
  constexpr std::string_view name = "epochs = ";
  for (std::size_t at = 0; at < key.config.size();) {
    const std::size_t end = std::min(key.config.find('\n', at), key.config.size());
    const std::string_view line = std::string_view(key.config).substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(name)) continue;
    int epochs = 0;
    std::from_chars(line.data() + name.size(), line.data() + line.size(), epochs);
    return epochs;
  }
  return 0;
}

/// What runs of one method on one dataset took.
struct LikeRuns {
  Measured per_epoch;
  Measured epochs;
  bool all_stopped_early = true;

  double seconds_of(const PaperRun& run) const {
    const double whole = run.epochs;
    return per_epoch.mean() * (all_stopped_early ? std::min(whole, epochs.mean()) : whole);
  }
};

PaperRun citation_run(int epochs) {
  PaperRun run;
  run.key.method = "ml";
  run.nodes = 2800;
  run.edges = 5600;
  run.features = 800;
  run.dim = 512;
  run.epochs = epochs;
  return run;
}

/// How much slower this machine is than the one that the figures are of.
double measured_slowness(const Context& context) {
  constexpr int epochs = 12;
  Context::Options options = in_silence(context).options();
  options.log = nullptr;
  options.threads = 1;
  options.seed = 0;
  const Context silent(options);
  install_tensor_memory();
  RunSpec spec;
  spec.recipe = "none";
  spec.settings = {{"method", "ml"}, {"epochs", std::to_string(epochs)}, {"patience", "0"}};
  spec.evaluate = false;
  const RunPlan plan = plan_run(silent, spec);
  const RunResult result = execute(silent, plan);
  return result.seeds.front().training.seconds / (reckoned_seconds(citation_run(epochs)) - judged);
}

}  // namespace

double reckoned_seconds(const PaperRun& run) {
  MethodCost cost{run.key.method, 1, 0};
  for (const MethodCost& known : method_costs) {
    if (known.method == run.key.method) cost = known;
  }
  const auto nodes = static_cast<double>(run.nodes);
  // Features of nodes are sparse more often than not: some hundredth of them is there.
  constexpr double filled = 0.02;
  const double entries = nodes + 2 * static_cast<double>(run.edges) +
                         filled * nodes * static_cast<double>(run.features);
  const double epoch = cost.passes * sparse_second * static_cast<double>(run.dim) * entries +
                       cost.pairs * pair_second * nodes * nodes;
  const double encoder = run.key.encoder == "gat" || run.key.encoder == "gin" ? 3 : 1;
  return run.epochs * encoder * epoch + judged;
}

std::string estimate_times(const Context& context, std::vector<PaperRun>& runs,
                           const std::vector<StoredRun>& known, double& slowness) {
  std::map<std::string, Measured> same;
  std::map<std::string, LikeRuns> alike;
  for (const StoredRun& run : known) {
    if (run.state != RunState::done || run.machine != machine_name()) continue;
    const double seconds = whole_seconds(run);
    if (seconds <= 0) continue;
    same[same_settings(run.key)].add(seconds);
    if (run.outcome.epochs > 0) {
      LikeRuns& like = alike[same_method(run.key)];
      like.per_epoch.add(seconds / run.outcome.epochs);
      like.epochs.add(run.outcome.epochs);
      like.all_stopped_early =
          like.all_stopped_early && run.outcome.epochs < allowed_epochs(run.key);
    }
  }
  bool measured = false;
  std::vector<PaperRun*> reckoned;
  for (PaperRun& run : runs) {
    if (run.done) continue;
    const auto exact = same.find(same_settings(run.key));
    const auto near = alike.find(same_method(run.key));
    if (exact != same.end()) {
      run.seconds = exact->second.mean();
    } else if (near != alike.end()) {
      run.seconds = near->second.seconds_of(run);
    } else {
      reckoned.push_back(&run);
      continue;
    }
    measured = true;
  }
  if (!reckoned.empty()) {
    if (slowness <= 0) slowness = measured_slowness(context);
    for (PaperRun* run : reckoned) run->seconds = slowness * reckoned_seconds(*run);
  }
  if (reckoned.empty()) return "times as measured on this machine";
  return measured ? "times as measured on this machine or, of what it has not run, reckoned"
                  : "times reckoned from the sizes and a short measurement, rough; a run that "
                    "stops early takes "
                    "less";
}

}  // namespace creg
