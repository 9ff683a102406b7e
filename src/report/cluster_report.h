// The result of clustering for machines and for people.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "creg/tasks/cluster.h"

namespace creg {

/// One way to cluster, or several of which the one of the highest mean accuracy is reported, the
/// first of equal ones. That choice looks at labels, and the reports say so.
struct ClusterReport {
  std::string dataset;
  std::vector<ClusterResult> alternatives;

  std::size_t best() const;
};

/// The object that `creg eval cluster --json` prints: rates as fractions, what does not exist as
/// null.
nlohmann::ordered_json cluster_json(const ClusterReport& report);

/// The same in percent.
std::string cluster_table(const ClusterReport& report);

}  // namespace creg
