#include "report/cluster_report.h"

#include <fmt/format.h>

#include "core/text.h"
#include "creg/learn/metrics.h"
#include "report/results/rows_words.h"

namespace creg {
namespace {

Record cluster_metrics(const ClusterResult& result) {
  return {{"accuracy", Sample{result.accuracy}, "accuracy", Unit::rate},
          {"nmi", Sample{result.nmi}, "NMI", Unit::rate},
          {"f1", Sample{result.f1}, "macro-F1", Unit::rate},
          {"ari", Sample{result.ari}, "ARI", Unit::rate}};
}

std::string pca_words(const ClusterResult& result) {
  return result.pca ? fmt::format("PCA {}", *result.pca) : "no PCA";
}

}  // namespace

std::size_t ClusterOutcome::best() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < alternatives.size(); ++i) {
    if (summarise(alternatives[i].accuracy).mean > summarise(alternatives[best].accuracy).mean) {
      best = i;
    }
  }
  return best;
}

Report cluster_report(const ClusterOutcome& outcome) {
  const std::size_t best = outcome.best();
  const ClusterResult& result = outcome.alternatives.at(best);
  const bool chosen = outcome.alternatives.size() > 1;
  List alternatives;
  Record others;
  for (std::size_t i = 0; i < outcome.alternatives.size(); ++i) {
    const ClusterResult& one = outcome.alternatives[i];
    alternatives.emplace_back(Record{
        {"pca", one.pca}, {"metrics", cluster_metrics(one)}, {"inertia", Sample{one.inertia}}});
    if (i != best) others.push_back({.value = cluster_metrics(one), .label = pca_words(one)});
  }
  std::string over =
      fmt::format("over {} of {}, the best of {} each", counted(result.seeds, "seed"),
                  counted(result.runs, "run"), counted(result.restarts, "start"));
  if (chosen) {
    over += fmt::format("\nbetter by mean accuracy: {} (a choice that looks at the labels)",
                        pca_words(result));
  }
  return {
      .body = {words(fmt::format(
                   "{}: k-means, {} for {}{}\n{}, {} of them labelled", outcome.dataset,
                   counted(result.k, "cluster"),
                   result.classes == 1 ? "1 class" : fmt::format("{} classes", result.classes),
                   rows_words(", ", result.smooth, result.normalize), counted(result.nodes, "node"),
                   with_commas(result.labelled))),
               {"task", "cluster"},
               {"protocol", chosen ? "k-means-best-pca" : "k-means"},
               {"dataset", outcome.dataset},
               {"normalize", normalize_name(result.normalize)},
               {"smooth", result.smooth},
               {"pca", result.pca},
               {"k", result.k},
               {"classes", result.classes},
               {"nodes", result.nodes},
               {"labelled", result.labelled},
               {"restarts", result.restarts},
               {"cluster_seed", result.seed},
               {"seeds", result.seeds},
               {"runs", result.runs},
               {"metrics", cluster_metrics(result), pca_words(result)},
               {"inertia", Sample{result.inertia}},
               {"chosen_by", chosen ? Value("mean accuracy, which looks at the labels") : Value()},
               {"alternatives", chosen ? Value(std::move(alternatives)) : Value()},
               {.value = std::move(others)},
               words(std::move(over))}};
}

}  // namespace creg
