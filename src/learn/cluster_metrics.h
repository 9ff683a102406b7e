// How well clusters agree with classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace creg {

/// All are 1 when clusters and classes are the same partition, whatever the numbers.
struct ClusterAgreement {
  /// The fraction of items whose cluster is paired with their class, for the pairing of clusters
  /// and classes, one to one, that makes it largest.
  double accuracy = 0;
  /// Mutual information over the mean of both entropies.
  double nmi = 0;
  /// The mean of the F1 scores of all labels, once every cluster bears the name of its paired
  /// class. A class without a cluster counts 0, and so does a cluster without a class: it is a
  /// label of its own.
  double f1 = 0;
  /// Rand's index, adjusted for chance: 0 on average for random clusters, at times below.
  double ari = 0;
};

/// Both give a number per item; items of a negative class (unlabelled) do not count, and without
/// any other item all is 0. Numbers need not be consecutive. The degenerate cases are
/// scikit-learn's: nmi and ari of one cluster and one class are 1, nmi is 0 when only one of the
/// two is a single group, and nothing is ever NaN.
ClusterAgreement cluster_agreement(std::span<const std::int32_t> clusters,
                                   std::span<const std::int32_t> classes);

}  // namespace creg
