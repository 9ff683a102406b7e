#include "report/results/calibration_records.h"

#include <fmt/format.h>

#include "core/text.h"

namespace creg {
namespace {

Value interval_value(const std::optional<Interval>& interval) {
  if (!interval) return {};
  return List{interval->low, interval->high};
}

Record confidence_record(const ConfidenceFigures& figures) {
  return {{"nodes", figures.nodes},
          {"accuracy", figures.accuracy},
          {"mean_confidence", figures.mean_confidence},
          {"ece", figures.ece},
          {"ece_equal_mass", figures.ece_equal_mass},
          {"mce", figures.mce},
          {"brier", figures.brier},
          {"nll", figures.nll},
          {"reliability", bins_table(figures.bins)}};
}

Record classifier_record(const CalibratedRun& run) {
  if (!run.classifier) return {{"test", nullptr}, {"reason", run.no_classifier}};
  const ClassifierCalibration& found = *run.classifier;
  Record out = {{"train", found.train}, {"test", confidence_record(found.test)}};
  if (!found.after) {
    out.push_back({"after", nullptr});
    out.push_back({"reason", found.no_after});
    return out;
  }
  out.push_back({"after", Record{{"temperature", found.after->fit.temperature},
                                 {"at_limit", found.after->fit.at_limit},
                                 {"test", confidence_record(found.after->test)}}});
  return out;
}

Value classes_value(const std::optional<ClassSpectrum>& spectrum) {
  if (!spectrum) return {};
  Table table{.columns = {{"label"}, {"nodes"}, {"share"}, {"sigma_max"}, {"norm_squared_mean"}}};
  for (const ClassMoments& one : spectrum->classes) {
    table.rows.push_back({one.label, one.nodes, one.share, one.sigma_max, one.norm_squared_mean});
  }
  return table;
}

}  // namespace

std::optional<Interval> interval_of(const LabelledPairs& pairs, PairInterval which) {
  if (!pairs.intervals) return std::nullopt;
  return (*pairs.intervals).*which;
}

Record labelled_record(const LabelledPairs& pairs) {
  using Intervals = LabelledPairs::Intervals;
  const PairEce& ece = pairs.ece;
  const double positive = ece.r_positive;
  const double negative = 1 - ece.r_positive;
  const auto interval = [&](PairInterval which) {
    return interval_value(interval_of(pairs, which));
  };
  const auto sigmas = [](const auto& side) {
    return fmt::format("E[sigma] {:.3f} for one label, {:.3f} for two", side.sigma_same,
                       side.sigma_different);
  };
  const Unit unit = Unit::decimal;
  return {{"positive_pairs", pairs.positive_pairs},
          {"negative_pairs", pairs.negative_pairs},
          {"parts",
           Record{{"true_positive", positive * ece.positive.same_part, "true positives", unit,
                   "same label, confidence below 1"},
                  {"false_positive", positive * ece.positive.different_part, "false positives",
                   unit, "taken for similar, two labels"},
                  {"false_negative", negative * ece.negative.same_part, "false negatives", unit,
                   "drawn at random, yet one label"},
                  {"true_negative", negative * ece.negative.different_part, "true negatives", unit,
                   "two labels, confidence above 0"}},
           "parts of the ECE"},
          {"intervals", Record{{"ece", interval(&Intervals::ece)},
                               {"ece_positive", interval(&Intervals::ece_positive)},
                               {"ece_negative", interval(&Intervals::ece_negative)},
                               {"q_positive", interval(&Intervals::q_positive)},
                               {"q_negative", interval(&Intervals::q_negative)}}},
          {"q_uniform", pairs.q_uniform},
          {"reformulated",
           Record{{"ece", pairs.reformulated.ece},
                  {"positive_gap", pairs.reformulated.positive_gap, "positives", unit,
                   sigmas(ece.positive)},
                  {"negative_gap", pairs.reformulated.negative_gap, "negatives", unit,
                   sigmas(ece.negative)},
                  {"sigma_positive_same", ece.positive.sigma_same},
                  {"sigma_positive_different", ece.positive.sigma_different},
                  {"sigma_negative_same", ece.negative.sigma_same},
                  {"sigma_negative_different", ece.negative.sigma_different}},
           "what ece_reformulated leaves out"},
          {"reliability", Record{{"equal_width", bins_table(pairs.equal_width)},
                                 {"equal_mass", bins_table(pairs.equal_mass)},
                                 {"mce_equal_mass", largest_gap(pairs.equal_mass)}}}};
}

Value bound_value(const std::optional<BoundResult>& found) {
  if (!found) return {};
  if (!found->bound) {
    return Record{
        {"terms", nullptr}, {"reason", found->reason}, words("Theorem 1: " + found->reason)};
  }
  Table terms{.columns = {{"name", "term"},
                          {"value", "value", Unit::decimal},
                          {"known", "known"},
                          {"standard_error"},
                          {"words", "what it is"}}};
  for (const BoundTerm* term : found->bound->terms()) {
    terms.rows.push_back({term->name, term->value, knowledge_name(term->knowledge),
                          term->standard_error, term->words});
  }
  return Record{{"terms", std::move(terms), "Theorem 1, term by term"},
                {"left_is_below", found->bound->left_is_below},
                {"collision_holds", found->bound->collision_holds},
                {"delta", found->bound->delta},
                {"samples", found->bound->samples},
                words(fmt::format("the left side is {} what is known of the right side",
                                  found->bound->left_is_below ? "below" : "above"))};
}

Record direction_record(const CalibratedRun& run) {
  if (!run.direction) {
    return {{"share_above", nullptr},
            {"reason", run.no_direction},
            words(run.no_direction.empty() ? "" : "Theorem 2: " + run.no_direction)};
  }
  const DirectionStatistics& found = *run.direction;
  const Unit unit = Unit::decimal;
  Value above;
  if (found.above) {
    above = Record{{"draws", found.above->draws},
                   {"draws_fallen", found.above->draws_fallen},
                   {"variance_before", found.above->variance_before, "variance before", unit},
                   {"variance_after", found.above->variance_after, "variance after", unit,
                    fmt::format("falls in {} of {}", found.above->draws_fallen,
                                counted(found.above->draws, "draw"))}};
  }
  return {{"draws", found.draws},
          {"share_above", found.share_above, "share of nodes with h·Wr > 1.5", unit},
          {"step_mean", found.step_mean, "beta |Wr|², mean", unit,
           found.step_is_small ? "at most 1 in all draws, as the theorem asks"
                               : fmt::format("above 1 in a draw: {:.3f}", found.step_largest)},
          {"step_largest", found.step_largest},
          {"step_is_small", found.step_is_small},
          {"variance_before", found.variance_before, "variance of |h|", unit},
          {"variance_after", found.variance_after, "  after a step of Contrast-Reg", unit},
          {"above", above, "of the nodes with h·Wr > 1.5"}};
}

Record run_record(const CalibratedRun& run) {
  const PairCalibration& pairs = run.embedding.pairs;
  Record out = calibration_figures(run.embedding);
  out.insert(out.begin(), {"file", run.file});
  append(out, {{"positive_pairs", pairs.positive_pairs},
               {"negative_pairs", pairs.negative_pairs},
               {"mean_sigma_random_interval", interval_value(pairs.mean_sigma_random_interval)},
               {"labelled", pairs.labelled ? Value(labelled_record(*pairs.labelled)) : Value()},
               {"classifier", classifier_record(run)},
               {"theorem_1", bound_value(run.bound)},
               {"theorem_2", direction_record(run)},
               {"classes", classes_value(run.embedding.spectrum)}});
  return out;
}

Record calibration_figures(const EmbeddingCalibration& found) {
  const CalibrationFigures figures = figures_of(found);
  Record out;
  for (const CalibrationKey& key : calibration_keys()) {
    out.push_back({std::string(key.name), figures.*key.member});
  }
  return out;
}

}  // namespace creg
