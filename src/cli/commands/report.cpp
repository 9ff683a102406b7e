#include <memory>

#include "cli/commands.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "run/run_page.h"

namespace creg::cli {
namespace {

enum class MapKind { tsne, pca, none };

}  // namespace
}  // namespace creg::cli

template <>
struct creg::EnumNames<creg::cli::MapKind> {
  static constexpr std::array<std::string_view, 3> names = {"tsne", "pca", "none"};
};

namespace creg::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  std::string out = "report.html";
  std::string title;
  std::string map = "tsne";
  std::int64_t map_nodes = PageOptions().map_nodes;
  bool no_baselines = false;
  PageChoice choice;
};

MapKind map_kind(const std::string& text) {
  if (const std::optional<MapKind> found = from_name<MapKind>(text)) return *found;
  fail_input({.what = "unknown map",
              .file = "--map",
              .found = in_quotes(text),
              .expected = join_words(names_of<MapKind>(), " or ")});
}

void report_runs(const Context& context, const ReportOptions& chosen,
                 const GlobalOptions& globals) {
  const MapKind map = map_kind(chosen.map);
  std::vector<PageSource> sources;
  for (const std::string& folder : chosen.runs) sources.push_back({.path = folder});
  print_report(write_run_page(context, sources, chosen.out,
                              {.title = chosen.title,
                               .data_dir = globals.data_dir,
                               .maps = map != MapKind::none,
                               .tsne = map == MapKind::tsne,
                               .map_nodes = chosen.map_nodes,
                               .baselines = !chosen.no_baselines,
                               .choice = chosen.choice}),
               globals);
}

}  // namespace

void add_report(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand(
      "report", "One page of runs: figures side by side, curves, a map of the embedding");
  const auto chosen = std::make_shared<ReportOptions>();
  command
      ->add_option(
          "runs", chosen->runs,
          "Folders of creg train --out, also of several seeds, and stores of creg reproduce "
          "and creg sweep; with and without Contrast-Reg are compared")
      ->type_name("DIR|STORE")
      ->required();
  command->add_option("-o,--out", chosen->out, "The file to write [report.html]")
      ->type_name("FILE");
  command->add_option("--title", chosen->title, "The title of the page [of the datasets]")
      ->type_name("TEXT");
  command
      ->add_option("--map", chosen->map,
                   "How embeddings become points, beside their principal components [tsne]")
      ->type_name("tsne|pca|none");
  command
      ->add_option("--map-nodes", chosen->map_nodes,
                   "The most nodes on all maps together; of more, some are drawn [28000]")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1000}, std::int64_t{1000000}));
  command->add_flag("--no-baselines", chosen->no_baselines,
                    "Leave out the classifier on the features alone");
  command
      ->add_option("--methods", chosen->choice.methods, "Of a store show the runs of these in full")
      ->type_name("NAMES")
      ->delimiter(',');
  command
      ->add_option("--datasets", chosen->choice.datasets,
                   "Of a store show the runs on these in full")
      ->type_name("NAMES")
      ->delimiter(',');
  command
      ->add_option("--most-runs", chosen->choice.most,
                   "The most settings of stores to show in full; tables have all [12]")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{0}, std::size_t{100}));
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      report_runs(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
