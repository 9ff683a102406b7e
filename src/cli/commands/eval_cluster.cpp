#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "cli/options/embedding_options.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/tasks/cluster.h"
#include "ops/runtime.h"
#include "report/cluster_report.h"
#include "run/embeddings.h"

namespace creg::cli {
namespace {

struct EvalClusterOptions {
  EmbeddingOptions embedding;
  std::string pca = "none";
  std::int64_t k = 0;
  int seeds = 5;
};

std::int64_t component_count(const std::string& text) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stopped != end || count < 1) {
    fail_input({.what = "not a size of a PCA",
                .file = "--pca",
                .found = in_quotes(text),
                .expected = "a number of components, none, or best"});
  }
  return count;
}

void evaluate(const Context& context, const EvalClusterOptions& chosen,
              const GlobalOptions& globals) {
  const bool best = chosen.pca == "best";
  ClusterOptions options{.k = chosen.k, .seeds = chosen.seeds, .seed = context.seed()};
  if (!best && chosen.pca != "none") options.pca = component_count(chosen.pca);
  const EmbeddingSource source = find_embeddings(chosen.embedding.source);
  options.normalize = chosen.embedding.normalize.empty()
                          ? plain_rows(source.rows)
                          : parse_normalize(chosen.embedding.normalize);
  options.smooth = smooth_of(source, chosen.embedding.smooth);
  const DataSpec wanted = dataset_of(source, chosen.embedding.dataset);
  const Dataset dataset = open_chosen(context, wanted, globals);
  const Graph graph = prepare_graph(context, dataset, wanted.transforms);
  prepare_torch(context);

  std::vector<ClusterResult> plain;
  std::vector<ClusterResult> reduced;
  for (const std::filesystem::path& file : source.files) {
    const DenseMatrix embedding = read_embedding(file);
    plain.push_back(cluster(context, graph, embedding, options));
    if (!best) continue;
    ClusterOptions with_pca = options;
    with_pca.pca = usual_components(embedding);
    reduced.push_back(cluster(context, graph, embedding, with_pca));
  }
  ClusterOutcome outcome{.dataset = graph.name, .alternatives = {pool_results(plain)}};
  if (best) outcome.alternatives.push_back(pool_results(reduced));
  print_report(cluster_report(outcome), globals);
}

}  // namespace

void add_eval_cluster(CLI::App& eval, GlobalOptions& options) {
  CLI::App* command =
      eval.add_subcommand("cluster", "Agreement of k-means on an embedding with the classes");
  const auto chosen = std::make_shared<EvalClusterOptions>();
  add_embedding_options(*command, chosen->embedding);
  command
      ->add_option("--pca", chosen->pca,
                   "Reduce rows to K principal components before; best: the better of none and 64 "
                   "by accuracy, which looks at the labels; default none")
      ->type_name("K|none|best");
  command->add_option("--k", chosen->k, "How many clusters; default as many as there are classes")
      ->type_name("K")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--seeds", chosen->seeds,
                   "Runs of k-means per embedding, with seeds from --seed on; default 5")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      evaluate(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
