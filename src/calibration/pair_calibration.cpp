#include "calibration/pair_calibration.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "creg/graph/graph.h"

namespace creg {
namespace {

/// What one anchor brings along.
struct AnchorSums {
  PairSums positive;  // of labelled pairs
  PairSums negative;
  double random_sigma = 0;  // of all negatives
  double random_pairs = 0;

  AnchorSums& operator+=(const AnchorSums& other) {
    positive += other.positive;
    negative += other.negative;
    random_sigma += other.random_sigma;
    random_pairs += other.random_pairs;
    return *this;
  }
};

/// Pairs by number, with their labels.
class PairTruth {
 public:
  explicit PairTruth(std::span<const std::int32_t> labels) : labels_(labels) {}

  bool known(std::int32_t a, std::int32_t b) const {
    return !labels_.empty() && label(a) != unlabelled && label(b) != unlabelled;
  }
  bool same(std::int32_t a, std::int32_t b) const { return label(a) == label(b); }

 private:
  std::int32_t label(std::int32_t node) const { return labels_[static_cast<std::size_t>(node)]; }

  std::span<const std::int32_t> labels_;
};

/// Calls positive(place, anchor, other) and negative(…) for all pairs of anchor number i.
template <class Positive, class Negative>
void for_pairs(const PairSample& sample, std::size_t i, const Positive& positive,
               const Negative& negative) {
  const std::int32_t anchor = sample.anchors[i];
  for (std::int64_t p = sample.offsets[i]; p < sample.offsets[i + 1]; ++p) {
    positive(static_cast<std::size_t>(p), anchor, sample.positives[static_cast<std::size_t>(p)]);
  }
  const auto k = static_cast<std::size_t>(sample.k);
  for (std::size_t p = i * k; p < (i + 1) * k; ++p) negative(p, anchor, sample.negatives[p]);
}

std::vector<AnchorSums> sums_of_anchors(const PairSample& sample, const PairTruth& truth) {
  std::vector<AnchorSums> sums(sample.anchors.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for_pairs(
        sample, i,
        [&](std::size_t p, std::int32_t a, std::int32_t b) {
          if (truth.known(a, b)) sums[i].positive.add(sample.positive_sigma[p], truth.same(a, b));
        },
        [&](std::size_t p, std::int32_t a, std::int32_t b) {
          sums[i].random_sigma += sample.negative_sigma[p];
          sums[i].random_pairs += 1;
          if (truth.known(a, b)) sums[i].negative.add(sample.negative_sigma[p], truth.same(a, b));
        });
  }
  return sums;
}

std::vector<Forecast> forecasts_of(const PairSample& sample, const PairTruth& truth,
                                   const AnchorSums& total, double r_positive) {
  const double positive_weight = r_positive / total.positive.pairs;
  const double negative_weight = (1 - r_positive) / total.negative.pairs;
  std::vector<Forecast> forecasts;
  for (std::size_t i = 0; i < sample.anchors.size(); ++i) {
    for_pairs(
        sample, i,
        [&](std::size_t p, std::int32_t a, std::int32_t b) {
          if (!truth.known(a, b)) return;
          forecasts.push_back({sample.positive_sigma[p], truth.same(a, b), positive_weight});
        },
        [&](std::size_t p, std::int32_t a, std::int32_t b) {
          if (!truth.known(a, b)) return;
          forecasts.push_back({1 - sample.negative_sigma[p], !truth.same(a, b), negative_weight});
        });
  }
  return forecasts;
}

double share_of_equal_labels(std::span<const std::int32_t> labels) {
  std::map<std::int32_t, double> counts;
  double labelled = 0;
  for (const std::int32_t label : labels) {
    if (label == unlabelled) continue;
    counts[label] += 1;
    labelled += 1;
  }
  double share = 0;
  for (const auto& [label, count] : counts) share += count * count / (labelled * labelled);
  return share;
}

/// Sums over as many anchors as there are, drawn with replacement, once per resample.
std::vector<AnchorSums> resampled_sums(const Context& context, const std::vector<AnchorSums>& sums,
                                       int resamples) {
  std::vector<AnchorSums> totals(static_cast<std::size_t>(resamples));
  parallel_tasks(context, resamples, [&](std::int64_t r) {
    RandomStream stream(context.seed(), Purpose::bootstrap, 0, static_cast<std::uint64_t>(r));
    AnchorSums& total = totals[static_cast<std::size_t>(r)];
    for (std::size_t i = 0; i < sums.size(); ++i) total += sums[stream.below(sums.size())];
  });
  return totals;
}

std::optional<LabelledPairs::Intervals> labelled_intervals(const std::vector<AnchorSums>& totals,
                                                           double r_positive) {
  std::array<std::vector<double>, 5> values;
  for (const AnchorSums& total : totals) {
    // A resample without a labelled pair of some kind has nothing to say.
    if (total.positive.pairs == 0 || total.negative.pairs == 0) continue;
    const PairEce ece = pair_ece(total.positive, total.negative, r_positive);
    values[0].push_back(ece.ece());
    values[1].push_back(ece.positive.error());
    values[2].push_back(ece.negative.error());
    values[3].push_back(ece.positive.q);
    values[4].push_back(ece.negative.q);
  }
  if (values[0].empty()) return std::nullopt;
  return LabelledPairs::Intervals{middle_interval(values[0]), middle_interval(values[1]),
                                  middle_interval(values[2]), middle_interval(values[3]),
                                  middle_interval(values[4])};
}

}  // namespace

PairCalibration pair_calibration(const Context& context, const PairSample& sample,
                                 std::span<const std::int32_t> labels,
                                 const PairCalibrationOptions& options) {
  invariant(!sample.anchors.empty() && !sample.negatives.empty(), "there are pairs");
  const PairTruth truth(labels);
  const std::vector<AnchorSums> sums = sums_of_anchors(sample, truth);
  AnchorSums total;
  for (const AnchorSums& one : sums) total += one;

  PairCalibration out;
  out.anchors = static_cast<std::int64_t>(sample.anchors.size());
  out.positive_pairs = static_cast<std::int64_t>(sample.positives.size());
  out.negative_pairs = static_cast<std::int64_t>(sample.negatives.size());
  for (const double sigma : sample.positive_sigma) {
    out.mean_sigma_positive += sigma / static_cast<double>(sample.positive_sigma.size());
  }
  out.mean_sigma_random = total.random_sigma / total.random_pairs;
  const std::vector<AnchorSums> totals = resampled_sums(context, sums, options.resamples);
  if (!totals.empty()) {
    std::vector<double> means;
    for (const AnchorSums& one : totals) means.push_back(one.random_sigma / one.random_pairs);
    out.mean_sigma_random_interval = middle_interval(std::move(means));
  }
  if (total.positive.pairs == 0 || total.negative.pairs == 0) return out;

  LabelledPairs labelled;
  labelled.positive_pairs = static_cast<std::int64_t>(total.positive.pairs);
  labelled.negative_pairs = static_cast<std::int64_t>(total.negative.pairs);
  labelled.ece = pair_ece(total.positive, total.negative, options.r_positive);
  labelled.reformulated = reformulated_ece(labelled.ece);
  labelled.q_uniform = share_of_equal_labels(labels);
  const std::vector<Forecast> forecasts = forecasts_of(sample, truth, total, options.r_positive);
  labelled.equal_width = reliability_bins(forecasts, options.bins, Binning::equal_width);
  labelled.equal_mass = reliability_bins(forecasts, options.bins, Binning::equal_mass);
  labelled.brier = brier_score(forecasts);
  labelled.intervals = labelled_intervals(totals, options.r_positive);
  out.labelled = std::move(labelled);
  return out;
}

}  // namespace creg
