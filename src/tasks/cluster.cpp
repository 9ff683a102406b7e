#include "creg/tasks/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "learn/cluster_metrics.h"
#include "learn/kmeans.h"
#include "learn/pca.h"
#include "tasks/embedding_rows.h"
#include "tasks/handed_in.h"
#include "tasks/pooling.h"

namespace creg {
namespace {

void check_options(const ClusterOptions& options) {
  const auto at_least_one = [](std::string_view flag, std::int64_t value) {
    if (value >= 1) return;
    fail_input({.what = "there is nothing to cluster by",
                .file = std::string(flag),
                .found = fmt::format("{}", value),
                .expected = "1 or more"});
  };
  at_least_one("--seeds", options.seeds);
  at_least_one("restarts", options.restarts);
  if (options.k != 0) at_least_one("--k", options.k);
}

// The rows that k-means sees.
DenseMatrix prepared_rows(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                          const ClusterOptions& options, const learn::EigenSolver& solver) {
  DenseMatrix rows =
      tasks::judged_rows(context, graph, embedding, options.smooth, options.normalize);
  if (!options.pca) return rows;
  return project(context, fit_pca(context, rows, *options.pca, solver), rows);
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

ClusterResult tasks::cluster_by(const learn::EigenSolver& solver, const Context& context,
                                const Graph& graph, const DenseMatrix& embedding,
                                const ClusterOptions& options) {
  check_options(options);
  tasks::check_embedding(graph, embedding, "judging clusters");
  std::set<std::int32_t> classes(graph.labels.begin(), graph.labels.end());
  classes.erase(unlabelled);
  if (classes.empty()) {
    fail_input(
        {.what = "no node has a label to compare clusters with", .file = tasks::subject(graph)});
  }
  const auto count = static_cast<std::size_t>(options.seeds);
  ClusterResult result{
      .normalize = options.normalize,
      .smooth = options.smooth,
      .pca = options.pca,
      .k = options.k > 0 ? options.k : static_cast<std::int64_t>(classes.size()),
      .classes = static_cast<std::int64_t>(classes.size()),
      .nodes = graph.nodes(),
      .labelled = graph.nodes() - std::count(graph.labels.begin(), graph.labels.end(), unlabelled),
      .restarts = options.restarts,
      .seed = options.seed,
      .seeds = options.seeds,
      .accuracy = std::vector<double>(count),
      .nmi = std::vector<double>(count),
      .f1 = std::vector<double>(count),
      .ari = std::vector<double>(count),
      .inertia = std::vector<double>(count)};
  const DenseMatrix rows = prepared_rows(context, graph, embedding, options, solver);

  ProgressTask progress(context, "clustering nodes",
                        static_cast<std::int64_t>(options.seeds) * options.restarts);
  // Side by side, like the restarts of each.
  parallel_tasks(context, options.seeds, [&](std::int64_t i) {
    const KMeansResult found = kmeans(context, rows, result.k,
                                      {.restarts = options.restarts,
                                       .seed = options.seed + static_cast<std::uint64_t>(i),
                                       .each_restart = [&] { progress.advance(); }});
    const ClusterAgreement agreement = cluster_agreement(found.labels, graph.labels);
    const auto at = static_cast<std::size_t>(i);
    result.accuracy[at] = agreement.accuracy;
    result.nmi[at] = agreement.nmi;
    result.f1[at] = agreement.f1;
    result.ari[at] = agreement.ari;
    result.inertia[at] = found.inertia;
  });
  progress.finish();
  return result;
}

ClusterResult pool_results(std::span<const ClusterResult> results) {
  invariant(!results.empty(), "there is a result to pool");
  ClusterResult pooled = results.front();
  for (const ClusterResult& result : results.subspan(1)) {
    tasks::require_same("normalisations", normalize_name(pooled.normalize),
                        normalize_name(result.normalize));
    tasks::require_same("smoothings", pooled.smooth, result.smooth);
    tasks::require_same("principal components", pooled.pca.value_or(0), result.pca.value_or(0));
    tasks::require_same("numbers of clusters", pooled.k, result.k);
    tasks::require_same("numbers of labelled nodes", pooled.labelled, result.labelled);
    tasks::require_same("numbers of restarts", pooled.restarts, result.restarts);
    tasks::require_same("seeds", pooled.seed, result.seed);
    tasks::require_same("numbers of seeds", pooled.seeds, result.seeds);
    pooled.runs += result.runs;
    append(pooled.accuracy, result.accuracy);
    append(pooled.nmi, result.nmi);
    append(pooled.f1, result.f1);
    append(pooled.ari, result.ari);
    append(pooled.inertia, result.inertia);
  }
  return pooled;
}

std::int64_t usual_components(const DenseMatrix& embedding) {
  return std::min<std::int64_t>({64, embedding.rows, embedding.cols});
}

}  // namespace creg
