// The result of clustering as a report.
#pragma once

#include <string>
#include <vector>

#include "creg/tasks/cluster.h"
#include "report/document.h"

namespace creg {

/// One way to cluster, or several of which the one of the highest mean accuracy is reported, the
/// first of equal ones. That choice looks at labels, and the reports say so.
struct ClusterOutcome {
  std::string dataset;
  std::vector<ClusterResult> alternatives;

  std::size_t best() const;
};

Report cluster_report(const ClusterOutcome& outcome);

}  // namespace creg
