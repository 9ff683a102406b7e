#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "cli/options/embedding_options.h"
#include "cli/options/figure_options.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/graph/splits.h"
#include "creg/methods/entry.h"
#include "creg/tasks/classify.h"
#include "creg/train/trainer.h"
#include "io/file.h"
#include "ops/runtime.h"
#include "report/calibration_report.h"
#include "run/calibrated_run.h"
#include "run/embeddings.h"
#include "run/run_folder.h"

namespace creg::cli {
namespace {

namespace fs = std::filesystem;

struct CalibrateOptions {
  std::string source;
  DataSpec dataset;
  std::string positives = "top-k";
  std::optional<std::int64_t> k;
  std::optional<std::string> similarity;
  std::optional<std::string> self;
  std::int64_t anchors = 0;
  double r_positive = 0.5;
  int bins = 15;
  int resamples = 1000;
  std::string protocol;
  int split = 0;
  std::string out;
  FigureOptions figures;
};

template <class E>
E named(const std::string& flag, const std::string& text) {
  if (const std::optional<E> found = from_name<E>(text)) return *found;
  fail_input({.what = "unknown name",
              .file = flag,
              .found = in_quotes(text),
              .expected = join_words(names_of<E>(), " or ")});
}

/// The pairs that the loss of the run in this folder contrasted.
PairOptions own_pairs(const fs::path& folder) {
  if (!is_there(folder / "config.toml")) {
    fail_input(
        {.what = "a bare embedding does not say which method made it",
         .file = "--positives",
         .found = "method",
         .expected = "the folder of a run, or " + join_words(names_of<PairSource>(), " or ")});
  }
  const TrainConfig config = config_of(read_record(folder));
  const MethodEntry& method = method_of(config);
  if (!method.pairs) {
    fail_input({.what = "this method contrasts no pairs of nodes",
                .file = "--positives",
                .found = config.method,
                .expected = join_words(names_of<PairSource>(), " or ")});
  }
  const OwnPairs own = method.pairs(method_options(config));
  const PairOptions pairs{.source = *from_name<PairSource>(own.source), .k = own.k};
  return pairs;
}

PairOptions pairs_of(const CalibrateOptions& chosen, const EmbeddingSource& source) {
  PairOptions pairs;
  if (chosen.positives == "method") {
    pairs = own_pairs(fs::is_directory(run_of(chosen.source)) ? source.files.front().parent_path()
                                                              : fs::path());
  } else if (chosen.positives == "paper") {
    if (chosen.k || chosen.similarity || chosen.self) {
      fail_input({.what = "the paper's pairs are fixed: k 5, cosine, self included",
                  .file = "--positives",
                  .found = "paper with --k, --similarity or --self",
                  .expected = "--positives top-k, or none of these flags"});
    }
  } else if (const auto found = from_name<PairSource>(chosen.positives)) {
    pairs.source = *found;
  } else {
    std::vector<std::string> names = names_of<PairSource>();
    names.insert(names.begin(), {"paper", "method"});
    fail_input({.what = "unknown pairs",
                .file = "--positives",
                .found = in_quotes(chosen.positives),
                .expected = join_words(names, " or "),
                .hint = suggestion(chosen.positives, names)});
  }
  if (chosen.k) pairs.k = *chosen.k;
  if (chosen.similarity) pairs.similarity = named<Similarity>("--similarity", *chosen.similarity);
  if (chosen.self) pairs.self = named<SelfPairs>("--self", *chosen.self);
  pairs.anchors = chosen.anchors;
  return pairs;
}

/// Theorem 2 needs Contrast-Reg's matrix, which only the folder of a run has.
void measure_direction(const Context& context, const DenseMatrix& embedding, const fs::path& file,
                       CalibratedRun& run) {
  const fs::path checkpoint = file.parent_path() / "checkpoint.pt";
  if (!is_there(checkpoint)) {
    run.no_direction = "needs the checkpoint of a run with Contrast-Reg";
    return;
  }
  const std::optional<KeptRegulariser> kept = kept_regulariser(checkpoint);
  if (!kept) {
    run.no_direction = "the run was trained without Contrast-Reg";
    return;
  }
  run.direction = direction_statistics(context, embedding, kept->weight,
                                       {.r = kept->config.regulariser.r,
                                        .r_scale = kept->config.regulariser.r_scale,
                                        .learning_rate = kept->config.lr});
}

CalibratedRun calibrate_run(const Context& context, const Graph& graph, const fs::path& file,
                            bool folder, const CalibrationOutcome& outcome, int split) {
  const DenseMatrix embedding = read_embedding(file);
  CalibratedRun run = calibrated_run(context, graph, embedding, outcome.pairs, outcome.options,
                                     outcome.protocol, split);
  run.file = file.string();
  if (folder) {
    measure_direction(context, embedding, file, run);
  } else {
    run.no_direction = "needs the folder of a run with Contrast-Reg, not its embedding alone";
  }
  return run;
}

void calibrate(const Context& context, const CalibrateOptions& chosen,
               const GlobalOptions& globals) {
  const ChartFiles how = chart_files(chosen.figures, chosen.out);
  const EmbeddingSource source = find_embeddings(chosen.source);
  CalibrationOutcome outcome;
  outcome.pairs = pairs_of(chosen, source);
  outcome.options = {
      .r_positive = chosen.r_positive, .bins = chosen.bins, .resamples = chosen.resamples};
  const DataSpec wanted = dataset_of(source, chosen.dataset);
  const Dataset dataset = open_chosen(context, wanted, globals);
  const Graph graph = prepare_graph(context, dataset, wanted.transforms);
  prepare_torch(context);
  outcome.dataset = graph.name;
  outcome.nodes = graph.nodes();
  for (const std::int32_t label : graph.labels.span()) outcome.labelled += label != unlabelled;
  outcome.protocol = !chosen.protocol.empty()    ? chosen.protocol
                     : !dataset.protocol.empty() ? dataset.protocol
                                                 : default_protocol(graph);
  const std::int64_t anchors = anchor_count(graph.nodes(), outcome.pairs);
  if (anchors < graph.nodes()) {
    context.log().write(LogLevel::info,
                        fmt::format("{} of {} nodes are drawn as anchors; --anchors takes more",
                                    with_commas(anchors), with_commas(graph.nodes())));
  }
  const bool folder = fs::is_directory(run_of(chosen.source));
  for (const fs::path& file : source.files) {
    outcome.runs.push_back(calibrate_run(context, graph, file, folder, outcome, chosen.split));
  }
  Report report = calibration_report(outcome);
  std::vector<std::string> files;
  if (!chosen.out.empty()) {
    for (const fs::path& file : write_charts(chosen.out, report, how))
      files.push_back(file.string());
  }
  report.body.push_back({"files", files, files.empty() ? "" : "written"});
  print_report(report, globals);
}

}  // namespace

void add_calibrate(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "How far the confidence of an embedding's pairs is from the truth");
  const auto chosen = std::make_shared<CalibrateOptions>();
  command
      ->add_option("embedding", chosen->source,
                   "The folder of creg train --out, also of several seeds, or an .npy file")
      ->type_name("DIR|EMB.npy")
      ->required();
  add_dataset_options(*command, chosen->dataset, DatasetFlags::without_splits);
  command
      ->add_option(
          "--positives", chosen->positives,
          "The positives of a node: the k most similar of all nodes; paper: these with k "
          "5, cosine, itself included; method: those of the run's own loss; or neighbours, "
          "propagation, edges by name [top-k]")
      ->type_name("top-k|paper|method|…");
  command->add_option("--k", chosen->k, "Positives and negatives of each anchor [5]")
      ->type_name("K")
      ->check(CLI::PositiveNumber);
  command->add_option("--similarity", chosen->similarity, "What top-k ranks by [cosine]")
      ->type_name("cosine|dot");
  command
      ->add_option("--self", chosen->self,
                   "Whether a node counts among its own most similar [include]")
      ->type_name("include|exclude");
  command
      ->add_option("--anchors", chosen->anchors,
                   "How many nodes have pairs [all, or 10,000 of more]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--r-positive", chosen->r_positive,
                   "Weight of the positives in the error; the negatives have the rest [0.5]")
      ->type_name("R")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--bins", chosen->bins, "Bins of the reliability diagrams [15]")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  command
      ->add_option("--resamples", chosen->resamples,
                   "How often the anchors are resampled for the intervals; 0: no intervals [1000]")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000));
  command
      ->add_option("--protocol", chosen->protocol,
                   "The split of the downstream classifier [the dataset's own]")
      ->type_name("NAME");
  command->add_option("--split", chosen->split, "Which split of the protocol [0]")
      ->type_name("INDEX")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--out", chosen->out, "Write reliability diagrams there, and their bins as CSV")
      ->type_name("DIR");
  add_figure_options(*command, chosen->figures);
  command->callback([chosen, &options] {
    take_figure_format(chosen->figures, options);
    options.action = [chosen, &options](const Context& context) {
      calibrate(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
