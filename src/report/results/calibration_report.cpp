#include "report/calibration_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "creg/learn/metrics.h"
#include "report/results/calibration_records.h"

namespace creg {
namespace {

std::string in_brackets(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{:.4f}, {:.4f}]", interval->low, interval->high) : "";
}

/// A figure over the runs for people, one number for one run.
Field pooled(const std::string& label, const std::vector<double>& values, std::string note = {}) {
  return {.value = values.size() == 1 ? Value(values.front()) : Value(Sample{values}),
          .label = label,
          .unit = Unit::decimal,
          .note = std::move(note)};
}

/// What people read of all runs together, by its sections.
class PooledSections {
 public:
  explicit PooledSections(const CalibrationOutcome& outcome) : outcome_(outcome) {
    for (const CalibratedRun& run : outcome.runs) figures_.push_back(figures_of(run.embedding));
  }

  /// The values that a figure has over the runs; empty where it is missing.
  std::vector<double> values_of(const CalibrationKey& key) const {
    std::vector<double> values;
    for (const CalibrationFigures& one : figures_) {
      if (one.*key.member) values.push_back(*(one.*key.member));
    }
    return values;
  }

  Field without_labels() const {
    return section("without labels",
                   {figure("mean_sigma_random", pairs().mean_sigma_random_interval),
                    figure("mean_sigma_positive"), figure("norm_mean"), figure("norm_variance")});
  }

  Field against_labels() const {
    using Intervals = LabelledPairs::Intervals;
    const auto with = [&](std::string_view name, PairInterval which) {
      return figure(name, interval_of(*pairs().labelled, which));
    };
    std::vector<double> uniform;
    for (const CalibratedRun& run : outcome_.runs) {
      if (run.embedding.pairs.labelled) uniform.push_back(run.embedding.pairs.labelled->q_uniform);
    }
    return section(
        "against the labels",
        {with("ece", &Intervals::ece), with("ece_positive", &Intervals::ece_positive),
         with("ece_negative", &Intervals::ece_negative), with("q_positive", &Intervals::q_positive),
         with("q_negative", &Intervals::q_negative), pooled("  by class shares", uniform),
         figure("ece_reformulated", "appendix A.1: as if sigma knew nothing of the label"),
         figure("binned_ece", fmt::format("{} bins of equal width", outcome_.options.bins)),
         figure("binned_ece_equal_mass"), figure("mce", "the largest gap of a bin"),
         figure("brier")});
  }

  Field moments() const {
    return section("moments of the classes, by their shares",
                   {figure("sigma_max_mean"), figure("norm_squared_mean"), figure("s_f", "exact"),
                    figure("s_f_bound", "s_f is at most this")});
  }

  Field classifier() const {
    std::vector<double> accuracy;
    std::vector<double> confidence;
    std::vector<double> ece;
    std::vector<double> scaled;
    std::vector<double> temperature;
    bool at_limit = false;
    for (const CalibratedRun& run : outcome_.runs) {
      if (!run.classifier) return words("no downstream classifier: " + run.no_classifier);
      accuracy.push_back(run.classifier->test.accuracy);
      confidence.push_back(run.classifier->test.mean_confidence);
      ece.push_back(run.classifier->test.ece);
      if (!run.classifier->after) continue;
      scaled.push_back(run.classifier->after->test.ece);
      temperature.push_back(run.classifier->after->fit.temperature);
      at_limit = at_limit || run.classifier->after->fit.at_limit;
    }
    return section(
        fmt::format("logistic regression on the embedding ({}, test nodes)", outcome_.protocol),
        {pooled("accuracy", accuracy), pooled("mean confidence", confidence), pooled("ECE", ece),
         pooled("temperature by the val nodes", temperature,
                at_limit ? "at the limit: the val nodes are all right, or hopelessly wrong" : ""),
         pooled("ECE at that temperature", scaled),
         words(scaled.empty() ? "no temperature: " + outcome_.runs.front().classifier->no_after
                              : "")});
  }

 private:
  static Field section(std::string title, Record rows) {
    return {.value = std::move(rows), .label = std::move(title)};
  }

  Field figure(std::string_view name, std::string note = {}) const {
    const auto keys = calibration_keys();
    const auto key = std::ranges::find(keys, name, &CalibrationKey::name);
    return pooled(std::string(name), values_of(*key), std::move(note));
  }

  /// An interval is one run's.
  Field figure(std::string_view name, const std::optional<Interval>& interval) const {
    return figure(name, outcome_.runs.size() == 1 ? in_brackets(interval) : "");
  }

  const PairCalibration& pairs() const { return outcome_.runs.front().embedding.pairs; }

  const CalibrationOutcome& outcome_;
  std::vector<CalibrationFigures> figures_;
};

std::string pair_words(const PairOptions& pairs) {
  switch (pairs.source) {
    case PairSource::neighbours:
      return fmt::format("the {} graph neighbours with the largest dot product (LC's own)",
                         pairs.k);
    case PairSource::propagation:
      return "the node itself one propagation deeper (ML's own: always of one label)";
    case PairSource::edges:
      return fmt::format("{} graph neighbours at random (GCN-neg's own)", pairs.k);
    case PairSource::top_k:
      break;
  }
  return fmt::format("the {} most similar of all nodes by {}, {}", pairs.k,
                     name_of(pairs.similarity),
                     pairs.self == SelfPairs::include ? "itself included" : "itself left out");
}

std::string about_words(const CalibrationOutcome& outcome) {
  const PairCalibration& pairs = outcome.runs.front().embedding.pairs;
  return fmt::format(
      "{}: calibration of {}\npositives: {}\n{} of {} are anchors{}; {} positive and {} negative "
      "pairs, of weight {:.2g} and {:.2g}",
      outcome.dataset,
      outcome.runs.size() == 1 ? "an embedding" : fmt::format("{} embeddings", outcome.runs.size()),
      pair_words(outcome.pairs), with_commas(pairs.anchors), counted(outcome.nodes, "node"),
      pairs.anchors < outcome.nodes ? ", drawn at random" : "", with_commas(pairs.positive_pairs),
      with_commas(pairs.negative_pairs), outcome.options.r_positive,
      1 - outcome.options.r_positive);
}

using Bins = std::vector<ReliabilityBin>;

/// Bins over seeds are those of the same place: of one width by where they begin, of one mass by
/// their number. Where seeds have other numbers of these, there is no such place.
struct PooledBins {
  Bins bins;
  std::vector<double> spreads;
};

void add_pooled(PooledBins& pooled, const Bins& of_seeds) {
  ReliabilityBin mean;
  std::vector<double> frequencies;
  const auto count = static_cast<double>(of_seeds.size());
  for (const ReliabilityBin& bin : of_seeds) {
    mean.low += bin.low / count;
    mean.high += bin.high / count;
    mean.weight += bin.weight;
    mean.mean_chance += bin.weight * bin.mean_chance;
    mean.frequency += bin.weight * bin.frequency;
    frequencies.push_back(bin.frequency);
  }
  mean.mean_chance = std::clamp(mean.mean_chance / mean.weight, 0.0, 1.0);
  mean.frequency = std::clamp(mean.frequency / mean.weight, 0.0, 1.0);
  mean.high = std::clamp(mean.high, mean.low, 1.0);
  pooled.bins.push_back(mean);
  pooled.spreads.push_back(summarise(frequencies).std);
}

std::optional<PooledBins> pool_bins(const std::vector<Bins>& seeds, Binning binning) {
  PooledBins pooled;
  if (binning == Binning::equal_mass) {
    for (const Bins& bins : seeds) {
      if (bins.size() != seeds.front().size()) return std::nullopt;
    }
    for (std::size_t i = 0; i < seeds.front().size(); ++i) {
      Bins same;
      for (const Bins& bins : seeds) same.push_back(bins[i]);
      add_pooled(pooled, same);
    }
    return pooled;
  }
  std::map<double, Bins> places;
  for (const Bins& bins : seeds) {
    for (const ReliabilityBin& bin : bins) places[bin.low].push_back(bin);
  }
  for (const auto& [low, same] : places) add_pooled(pooled, same);
  return pooled;
}

ReliabilityDiagram diagram_of(std::string title, std::string error_name,
                              const std::vector<Bins>& seeds, Binning binning) {
  ReliabilityDiagram diagram{.title = std::move(title), .bins = seeds.front()};
  diagram.error_name = std::move(error_name);
  if (seeds.size() == 1) return diagram;
  std::optional<PooledBins> pooled = pool_bins(seeds, binning);
  if (!pooled) {
    diagram.note = fmt::format("of the first of {} seeds", seeds.size());
    return diagram;
  }
  diagram.bins = std::move(pooled->bins);
  diagram.spreads = std::move(pooled->spreads);
  std::vector<double> gaps;
  for (const Bins& bins : seeds) gaps.push_back(expected_gap(bins));
  const Summary gap = summarise(gaps);
  diagram.scores = fmt::format("{} {:.4f} ± {:.4f}", diagram.error_name, gap.mean, gap.std);
  diagram.note =
      fmt::format("mean over {} seeds; whiskers: ± one standard deviation", seeds.size());
  return diagram;
}

std::vector<Chart> reliability_charts(const CalibrationOutcome& outcome) {
  std::vector<Chart> charts;
  // Of pairs, "ECE" is the paper's, which has no bins; of a classifier the word means bins.
  const auto add = [&](std::string name, std::string_view title, std::string error_name,
                       Binning binning, const auto& bins_of) {
    std::vector<Bins> seeds;
    for (const CalibratedRun& run : outcome.runs) {
      if (const Bins* const bins = bins_of(run)) seeds.push_back(*bins);
    }
    // All of them, or it is no mean over the seeds.
    if (seeds.size() != outcome.runs.size()) return;
    charts.push_back({std::move(name), diagram_of(fmt::format("{}: {}", outcome.dataset, title),
                                                  std::move(error_name), seeds, binning)});
  };
  add("pairs", "pairs", "binned ECE", Binning::equal_width,
      [](const CalibratedRun& run) -> const Bins* {
        return run.embedding.pairs.labelled ? &run.embedding.pairs.labelled->equal_width : nullptr;
      });
  add("pairs-equal-mass", "pairs, bins of equal mass", "binned ECE", Binning::equal_mass,
      [](const CalibratedRun& run) -> const Bins* {
        return run.embedding.pairs.labelled ? &run.embedding.pairs.labelled->equal_mass : nullptr;
      });
  add("classifier", "logistic regression", "ECE", Binning::equal_width,
      [](const CalibratedRun& run) -> const Bins* {
        return run.classifier ? &run.classifier->test.bins : nullptr;
      });
  add("classifier-scaled", "logistic regression at its temperature", "ECE", Binning::equal_width,
      [](const CalibratedRun& run) -> const Bins* {
        return run.classifier && run.classifier->after ? &run.classifier->after->test.bins
                                                       : nullptr;
      });
  return charts;
}

}  // namespace

Report calibration_report(const CalibrationOutcome& outcome) {
  const CalibratedRun& first = outcome.runs.front();
  const PairCalibration& pairs = first.embedding.pairs;
  Record body = {words(about_words(outcome)),
                 {"task", "calibrate"},
                 {"dataset", outcome.dataset},
                 {"nodes", outcome.nodes},
                 {"labelled", outcome.labelled},
                 {"anchors", pairs.anchors},
                 {"sampled", pairs.anchors < outcome.nodes},
                 {"positives", name_of(outcome.pairs.source)},
                 {"k", outcome.pairs.k},
                 {"similarity", name_of(outcome.pairs.similarity)},
                 {"self", name_of(outcome.pairs.self)},
                 {"r_positive", outcome.options.r_positive},
                 {"r_negative", 1 - outcome.options.r_positive},
                 {"bins", outcome.options.bins},
                 {"resamples", outcome.options.resamples},
                 {"runs", outcome.runs.size()}};
  const PooledSections sections(outcome);
  Record metrics;
  for (const CalibrationKey& key : calibration_keys()) {
    const std::vector<double> values = sections.values_of(key);
    const std::string name(key.name);
    body.push_back({name, values.empty() ? Value() : Value(summarise(values).mean)});
    metrics.push_back({name, Sample{values}});
  }
  body.push_back({"metrics", std::move(metrics)});
  List each;
  for (const CalibratedRun& run : outcome.runs) each.emplace_back(run_record(run));
  body.push_back({"each", std::move(each)});

  const bool one = outcome.runs.size() == 1;
  body.push_back(sections.without_labels());
  if (pairs.labelled) {
    body.push_back(sections.against_labels());
    if (one) body.push_back({.value = labelled_record(*pairs.labelled)});
    body.push_back(sections.moments());
    body.push_back(sections.classifier());
    if (one) body.push_back({.value = bound_value(first.bound)});
  } else {
    body.push_back(
        words("no pair has two labels: ECE, q, the classes' moments and the bound need "
              "them; name a dataset with labels"));
  }
  if (one) {
    body.push_back({.value = direction_record(first),
                    .label = first.direction
                                 ? fmt::format("Theorem 2, over {}",
                                               counted(first.direction->draws, "direction"))
                                 : ""});
  }
  return {.body = std::move(body), .charts = reliability_charts(outcome)};
}

}  // namespace creg
