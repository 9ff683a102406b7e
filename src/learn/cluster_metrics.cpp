#include "learn/cluster_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "creg/core/error.h"
#include "learn/assignment.h"

namespace creg {
namespace {

// How many items of each cluster are of each class; both renumbered in ascending order.
struct Contingency {
  std::int64_t clusters = 0;
  std::int64_t classes = 0;
  double items = 0;
  std::vector<double> counts;  // clusters x classes
  std::vector<double> in_cluster;
  std::vector<double> in_class;

  double at(std::int64_t cluster, std::int64_t label) const {
    return counts[static_cast<std::size_t>(cluster * classes + label)];
  }
};

std::vector<std::int32_t> distinct_values(std::vector<std::int32_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Contingency contingency(std::span<const std::int32_t> clusters,
                        std::span<const std::int32_t> classes) {
  std::vector<std::int32_t> cluster_of;
  std::vector<std::int32_t> class_of;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] < 0) continue;
    cluster_of.push_back(clusters[i]);
    class_of.push_back(classes[i]);
  }
  const std::vector<std::int32_t> cluster_names = distinct_values(cluster_of);
  const std::vector<std::int32_t> class_names = distinct_values(class_of);
  Contingency table{.clusters = static_cast<std::int64_t>(cluster_names.size()),
                    .classes = static_cast<std::int64_t>(class_names.size()),
                    .items = static_cast<double>(class_of.size()),
                    .counts = std::vector<double>(cluster_names.size() * class_names.size()),
                    .in_cluster = std::vector<double>(cluster_names.size()),
                    .in_class = std::vector<double>(class_names.size())};
  for (std::size_t i = 0; i < class_of.size(); ++i) {
    const auto place = [](const std::vector<std::int32_t>& names, std::int32_t name) {
      return static_cast<std::size_t>(std::lower_bound(names.begin(), names.end(), name) -
                                      names.begin());
    };
    const std::size_t cluster = place(cluster_names, cluster_of[i]);
    const std::size_t label = place(class_names, class_of[i]);
    ++table.counts[cluster * class_names.size() + label];
    ++table.in_cluster[cluster];
    ++table.in_class[label];
  }
  return table;
}

void add_paired(const Contingency& table, ClusterAgreement& agreement) {
  std::vector<double> costs = table.counts;
  for (double& cost : costs) cost = -cost;
  const std::vector<std::int32_t> class_of =
      least_cost_assignment(costs, table.clusters, table.classes);
  double right = 0;
  double f1 = 0;
  for (std::int64_t i = 0; i < table.clusters; ++i) {
    const std::int32_t label = class_of[static_cast<std::size_t>(i)];
    if (label < 0) continue;
    const double both = table.at(i, label);
    right += both;
    f1 += 2 * both /
          (table.in_cluster[static_cast<std::size_t>(i)] +
           table.in_class[static_cast<std::size_t>(label)]);
  }
  agreement.accuracy = right / table.items;
  // Every pair is one label, and so is whatever has no partner.
  agreement.f1 = f1 / static_cast<double>(std::max(table.clusters, table.classes));
}

double entropy(std::span<const double> counts, double items) {
  double sum = 0;
  for (const double count : counts) sum -= count / items * std::log(count / items);
  return sum;
}

double normalised_mutual_information(const Contingency& table) {
  if (table.clusters == 1 && table.classes == 1) return 1;
  if (table.clusters == 1 || table.classes == 1) return 0;
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  double information = 0;
  for (std::int64_t i = 0; i < table.clusters; ++i) {
    for (std::int64_t j = 0; j < table.classes; ++j) {
      const double both = table.at(i, j);
      if (both == 0) continue;
      const double by_chance = table.in_cluster[static_cast<std::size_t>(i)] *
                               table.in_class[static_cast<std::size_t>(j)] / table.items;
      information += both / table.items * std::log(both / by_chance);
    }
  }
  if (information <= rounding) return 0;
  const double entropies =
      (entropy(table.in_cluster, table.items) + entropy(table.in_class, table.items)) / 2;
  return std::min(1.0, information / entropies);
}

double adjusted_rand_index(const Contingency& table) {
  // Ordered pairs of items: together in both, and in each of the two.
  double both = -table.items;
  double in_clusters = -table.items;
  double in_classes = -table.items;
  for (const double count : table.counts) both += count * count;
  for (const double count : table.in_cluster) in_clusters += count * count;
  for (const double count : table.in_class) in_classes += count * count;
  if (both == in_clusters && both == in_classes) return 1;
  const double pairs = table.items * (table.items - 1);
  const double only_clusters = in_clusters - both;
  const double only_classes = in_classes - both;
  const double apart = pairs - both - only_clusters - only_classes;
  return 2 * (both * apart - only_clusters * only_classes) /
         ((both + only_classes) * (only_classes + apart) +
          (both + only_clusters) * (only_clusters + apart));
}

}  // namespace

ClusterAgreement cluster_agreement(std::span<const std::int32_t> clusters,
                                   std::span<const std::int32_t> classes) {
  invariant(clusters.size() == classes.size(), "as many clusters as labels");
  const Contingency table = contingency(clusters, classes);
  if (table.items == 0) return {};
  ClusterAgreement agreement{.nmi = normalised_mutual_information(table),
                             .ari = adjusted_rand_index(table)};
  add_paired(table, agreement);
  return agreement;
}

}  // namespace creg
