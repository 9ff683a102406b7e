#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "calibration/random_pairs.h"
#include "cli/commands.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/io/dataset.h"
#include "creg/learn/metrics.h"
#include "io/file.h"
#include "io/run_files.h"
#include "run/execute.h"
#include "run/run_page.h"
#include "train/parameters.h"

namespace creg::cli {
namespace {

namespace fs = std::filesystem;

constexpr int demo_seeds = 2;
constexpr int demo_calibrate = 40;  // epochs between two looks, for the curves of the report
constexpr std::int64_t demo_map_nodes = 6000;
constexpr std::string_view no_report = "none";
constexpr std::string_view usual_report = "creg-demo.html";

struct DemoOptions {
  int epochs = TrainConfig().epochs;
  std::optional<std::string> report;
};

/// A folder for the runs, which goes with this object.
class ScratchFolder {
 public:
  ScratchFolder() : path_((fs::temp_directory_path() / "creg-demo-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) {
      fail_environment({.what = "there is no place for the demo's runs",
                        .file = path_,
                        .found = std::generic_category().message(errno),
                        .hint = "set TMPDIR to a folder that can be written, or --report none"});
    }
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path path() const { return path_; }

 private:
  std::string path_;
};

std::vector<Value> run_row(const Context& context, const RunPlan& base, const std::string& method,
                           const std::string& reg, const fs::path& folder) {
  RunPlan run = base;
  run.directory = folder;
  run.several = !folder.empty();
  run.calibrate = folder.empty() ? 0 : demo_calibrate;
  find_parameter("method").set(run.config, method);
  find_parameter("reg").set(run.config, reg);
  find_parameter("lr").set(run.config, "3e-3");
  // The score of the paper's code: with it the plain losses are over-confident.
  find_parameter("score").set(run.config, "bilinear");
  for (int s = 0; s < demo_seeds; ++s) run.seeds.push_back(static_cast<std::uint64_t>(s));
  schedule_runs(run);
  Sample accuracy;
  Sample sigma;
  Sample norm_mean;
  Sample norm_variance;
  Sample epochs;
  Sample seconds;
  for (const SeedResult& seed : execute(context, run).seeds) {
    const RandomPairStatistics pairs = random_pair_statistics(context, seed.training.embedding);
    accuracy.values.push_back(summarise(seed.classification->accuracy).mean);
    sigma.values.push_back(pairs.mean_sigma);
    norm_mean.values.push_back(pairs.norm_mean);
    norm_variance.values.push_back(pairs.norm_variance);
    epochs.values.push_back(seed.training.epochs_run);
    seconds.values.push_back(seed.training.seconds);
  }
  return {method, reg, accuracy, sigma, norm_mean, norm_variance, epochs, seconds};
}

constexpr auto what_next =
    "mean sigma: how sure the embedding is that two random nodes belong together (0.5 is\n"
    "undecided). Contrast-Reg keeps it and the lengths |h| down. This graph is made up: its\n"
    "figures show the effect, they are no evidence for a method.\n\n"
    "Next:\n"
    "  creg train --edges edges.csv --features features.npy      embed your own graph\n"
    "  creg data get cora && creg train --dataset cora           a benchmark, by its recipe\n"
    "  creg train --help                                         every parameter";

/// The file of the report before there is one; null where none is wanted or possible.
std::unique_ptr<AtomicFile> open_report(const Context& context, const DemoOptions& chosen) {
  if (chosen.report == no_report || page_shell().empty()) return nullptr;
  try {
    const fs::path file = chosen.report.value_or(std::string(usual_report));
    check_output_file(file);
    return std::make_unique<AtomicFile>(file);
  } catch (const Error& error) {
    if (chosen.report) throw;
    context.log().write(LogLevel::notice, fmt::format("no report: {}", error.what()));
    return nullptr;
  }
}

void write_report(const Context& context, const std::vector<fs::path>& folders, AtomicFile& file) {
  context.log().write(LogLevel::info, "writing the report");
  // Fewer points than nodes: a demo is over soon.
  const PageOptions options{.title = "creg demo", .map_nodes = demo_map_nodes};
  std::vector<PageSource> sources;
  for (const fs::path& folder : folders) sources.push_back({.path = folder});
  file.write(write_page(page_shell(), run_page(context, sources, options)));
  file.commit();
}

void show_demo(const Context& context, const DemoOptions& chosen, const GlobalOptions& globals) {
  const std::unique_ptr<AtomicFile> file = open_report(context, chosen);
  std::optional<ScratchFolder> scratch;
  if (file) scratch.emplace();
  std::vector<fs::path> folders;
  RunPlan base;
  base.dataset = open_dataset(context, "", "");
  base.graph = prepare_graph(context, base.dataset);
  base.recipe = "none";
  base.config.epochs = chosen.epochs;
  base.all_threads = context.threads();
  Table rows{.columns = {{"method", "method"},
                         {"reg", "regulariser"},
                         {"accuracy", "test accuracy", Unit::rate},
                         {"mean_sigma_random", "mean sigma", Unit::decimal, true},
                         {"norm_mean", "mean |h|", Unit::plain, true},
                         {"norm_variance", "var |h|", Unit::plain, true},
                         {"epochs_run", "epochs", Unit::count, true},
                         {"seconds", "time", Unit::seconds, true}}};
  for (const char* method : {"ml", "lc"}) {
    for (const char* reg : {"none", "contrast"}) {
      context.log().write(LogLevel::info, fmt::format("training {} with --reg {}", method, reg));
      fs::path folder;
      if (scratch) {
        folder = scratch->path() / fmt::format("{}-{}", method, reg);
        folders.push_back(folder);
      }
      rows.rows.push_back(run_row(context, base, method, reg, folder));
    }
  }
  std::string page;
  if (file) {
    write_report(context, folders, *file);
    page = fs::absolute(chosen.report.value_or(std::string(usual_report))).string();
  }
  const Report report{
      .body = {words(fmt::format("{}: a citation network made from a seed, {} nodes; embeddings "
                                 "learnt without labels",
                                 base.graph.name, with_commas(base.graph.nodes()))),
               {"dataset", base.graph.name},
               {"seeds", demo_seeds},
               {"rows", rows},
               {"report", page.empty() ? Value() : Value(page)},
               words(what_next),
               words(page.empty() ? "" : "These runs to look at, in a browser: " + page)},
      .table = rows};
  print_report(report, globals);
}

}  // namespace

void add_demo(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand(
      "demo", "ML and LC with and without Contrast-Reg on the embedded graph, in a minute");
  const auto chosen = std::make_shared<DemoOptions>();
  command->add_option("--epochs", chosen->epochs, "The most epochs [300]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--report", chosen->report,
                   "The page of these runs to write, or none [creg-demo.html]")
      ->type_name("FILE|none");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      show_demo(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
