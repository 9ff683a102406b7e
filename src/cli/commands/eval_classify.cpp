#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "cli/options/embedding_options.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/tasks/baselines.h"
#include "creg/tasks/classify.h"
#include "io/split_file.h"
#include "report/classify_report.h"
#include "run/embeddings.h"

namespace creg::cli {
namespace {

struct EvalClassifyOptions {
  EmbeddingOptions embedding;
  std::string protocol;
  std::string split;
  int splits = 0;
  std::optional<double> weight_decay;
  bool baselines = false;
};

// "3" is a number, all else a file; so is "./3".
std::optional<int> as_index(const std::string& text) {
  int index = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return index;
}

ClassifyOptions classify_options(const Context& context, const EvalClassifyOptions& chosen,
                                 const Dataset& dataset, const Graph& graph,
                                 const EmbeddingSource& source) {
  ClassifyOptions options{.protocol = chosen.protocol,
                          .splits = chosen.splits,
                          .split = as_index(chosen.split),
                          .weight_decay = chosen.weight_decay,
                          .seed = context.seed()};
  if (!chosen.split.empty() && chosen.splits != 0) {
    fail_input({.what = "--split takes one split and --splits several", .expected = "one of them"});
  }
  if (!chosen.split.empty() && !options.split) {
    SplitFile file = read_split_file(context, map_file(chosen.split), graph,
                                     chosen.embedding.dataset.reading.unknown_ids);
    if (file.seed) options.seed = *file.seed;
    options.given = std::move(file.split);
  } else if (options.protocol.empty()) {
    options.protocol = dataset.protocol;
  }
  options.normalize = normalize_of(source, chosen.embedding.normalize);
  options.smooth = smooth_of(source, chosen.embedding.smooth);
  return options;
}

void evaluate(const Context& context, const EvalClassifyOptions& chosen,
              const GlobalOptions& globals) {
  const EmbeddingSource source = find_embeddings(chosen.embedding.source);
  const DataSpec wanted = dataset_of(source, chosen.embedding.dataset);
  const Dataset dataset = open_chosen(context, wanted, globals);
  const Graph graph = prepare_graph(context, dataset, wanted.transforms);
  const ClassifyOptions options = classify_options(context, chosen, dataset, graph, source);

  std::vector<ClassifyResult> results;
  for (const std::filesystem::path& file : source.files) {
    results.push_back(classify(context, graph, read_embedding(file), options));
  }
  std::vector<Baseline> baselines;
  if (chosen.baselines) {
    // What the run's recipe does to rows is for its embedding alone.
    ClassifyOptions plain = options;
    plain.normalize.reset();
    if (!chosen.embedding.normalize.empty()) plain.normalize = options.normalize;
    baselines = classify_baselines(context, graph, plain);
  }
  const ClassifyResult result = pool_results(results);
  Report report = classify_report(result, graph.name);
  append(report.body, baselines_record(result, baselines));
  if (source.edge_split) {
    report.body.push_back({"edge_split", Record{{"seed", std::to_string(*source.edge_split)},
                                                {"trained_on", "training edges only"}}});
    report.body.push_back(words(
        fmt::format("trained on the training edges of edge split {} alone", *source.edge_split)));
  } else {
    report.body.push_back({"edge_split", nullptr});
  }
  print_report(report, globals);
}

}  // namespace

void add_eval_classify(CLI::App& eval, GlobalOptions& options) {
  CLI::App* command =
      eval.add_subcommand("classify", "Accuracy of a linear classifier on an embedding");
  const auto chosen = std::make_shared<EvalClassifyOptions>();
  add_embedding_options(*command, chosen->embedding);
  command
      ->add_option(
          "--protocol", chosen->protocol,
          "Which nodes to train and test on, and the classifier; default the dataset's own")
      ->type_name("P");
  command->add_option("--split", chosen->split, "This split alone, by its number or as a file")
      ->type_name("INDEX|FILE");
  command
      ->add_option("--splits", chosen->splits,
                   "How many splits; default all stored ones, or 20 drawn ones")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--weight-decay", chosen->weight_decay,
                   "Of the classifier of public-probe; default the best on the val nodes")
      ->type_name("W")
      ->check(CLI::Range(0.0, 100.0));
  command->add_flag("--baselines", chosen->baselines,
                    "The same classifier also on the features X, ÂX and Â²X, which learn nothing");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      evaluate(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
