#include "report/cluster_report.h"

#include <fmt/format.h>

#include "core/text.h"
#include "creg/learn/metrics.h"
#include "report/summary_report.h"

namespace creg {
namespace {

nlohmann::ordered_json pca_json(const ClusterResult& result) {
  if (result.pca) return *result.pca;
  return nullptr;
}

nlohmann::ordered_json metrics_json(const ClusterResult& result) {
  return {{"accuracy", summary_json(result.accuracy)},
          {"nmi", summary_json(result.nmi)},
          {"f1", summary_json(result.f1)},
          {"ari", summary_json(result.ari)}};
}

std::string pca_words(const ClusterResult& result) {
  return result.pca ? fmt::format("PCA {}", *result.pca) : "no PCA";
}

std::string metric_rows(const ClusterResult& result) {
  return percent_header() + percent_row("accuracy", result.accuracy) +
         percent_row("NMI", result.nmi) + percent_row("macro-F1", result.f1) +
         percent_row("ARI", result.ari);
}

}  // namespace

std::size_t ClusterReport::best() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < alternatives.size(); ++i) {
    if (summarise(alternatives[i].accuracy).mean > summarise(alternatives[best].accuracy).mean) {
      best = i;
    }
  }
  return best;
}

nlohmann::ordered_json cluster_json(const ClusterReport& report) {
  const ClusterResult& result = report.alternatives.at(report.best());
  const bool chosen = report.alternatives.size() > 1;
  nlohmann::ordered_json object = {{"task", "cluster"},
                                   {"protocol", chosen ? "k-means-best-pca" : "k-means"},
                                   {"dataset", report.dataset},
                                   {"normalize", std::string(normalize_name(result.normalize))},
                                   {"smooth", result.smooth},
                                   {"pca", pca_json(result)},
                                   {"k", result.k},
                                   {"classes", result.classes},
                                   {"nodes", result.nodes},
                                   {"labelled", result.labelled},
                                   {"restarts", result.restarts},
                                   {"cluster_seed", result.seed},
                                   {"seeds", result.seeds},
                                   {"runs", result.runs},
                                   {"metrics", metrics_json(result)},
                                   {"inertia", summary_json(result.inertia)},
                                   {"chosen_by", nullptr},
                                   {"alternatives", nullptr}};
  if (!chosen) return object;
  object["chosen_by"] = "mean accuracy, which looks at the labels";
  object["alternatives"] = nlohmann::ordered_json::array();
  for (const ClusterResult& one : report.alternatives) {
    object["alternatives"].push_back({{"pca", pca_json(one)},
                                      {"metrics", metrics_json(one)},
                                      {"inertia", summary_json(one.inertia)}});
  }
  return object;
}

std::string cluster_table(const ClusterReport& report) {
  const std::size_t best = report.best();
  const ClusterResult& result = report.alternatives.at(best);
  std::string text =
      fmt::format("{}: k-means, {} for {}{}\n{}, {} of them labelled\n", report.dataset,
                  counted(result.k, "cluster"),
                  result.classes == 1 ? "1 class" : fmt::format("{} classes", result.classes),
                  rows_words(", ", result.smooth, result.normalize), counted(result.nodes, "node"),
                  with_commas(result.labelled));
  for (const ClusterResult& one : report.alternatives) {
    text += fmt::format("\n{}\n{}", pca_words(one), metric_rows(one));
  }
  text += fmt::format("\nover {} of {}, the best of {} each\n", counted(result.seeds, "seed"),
                      counted(result.runs, "run"), counted(result.restarts, "start"));
  if (report.alternatives.size() > 1) {
    text += fmt::format("better by mean accuracy: {} (a choice that looks at the labels)\n",
                        pca_words(result));
  }
  return text;
}

}  // namespace creg
