#include "report/calibration_report.h"

#include <fmt/format.h>

#include "core/text.h"
#include "creg/learn/metrics.h"
#include "report/summary_report.h"

namespace creg {
namespace {

using Json = nlohmann::ordered_json;

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return Json::array({interval->low, interval->high});
}

Json bins_json(const std::vector<ReliabilityBin>& bins) {
  Json out = Json::array();
  for (const ReliabilityBin& bin : bins) {
    out.push_back({{"low", bin.low},
                   {"high", bin.high},
                   {"weight", bin.weight},
                   {"mean_chance", bin.mean_chance},
                   {"frequency", bin.frequency}});
  }
  return out;
}

/// The four parts of the pair ECE, which add up to it.
struct EceParts {
  explicit EceParts(const PairEce& ece)
      : true_positive(ece.r_positive * ece.positive.same_part),
        false_positive(ece.r_positive * ece.positive.different_part),
        false_negative((1 - ece.r_positive) * ece.negative.same_part),
        true_negative((1 - ece.r_positive) * ece.negative.different_part) {}

  double true_positive;
  double false_positive;
  double false_negative;
  double true_negative;
};

Json labelled_json(const LabelledPairs& pairs) {
  const EceParts parts(pairs.ece);
  const auto& intervals = pairs.intervals;
  const auto interval = [&](Interval LabelledPairs::Intervals::*member) {
    return intervals ? interval_json((*intervals).*member) : Json(nullptr);
  };
  return {{"positive_pairs", pairs.positive_pairs},
          {"negative_pairs", pairs.negative_pairs},
          {"parts",
           {{"true_positive", parts.true_positive},
            {"false_positive", parts.false_positive},
            {"false_negative", parts.false_negative},
            {"true_negative", parts.true_negative}}},
          {"intervals",
           {{"ece", interval(&LabelledPairs::Intervals::ece)},
            {"ece_positive", interval(&LabelledPairs::Intervals::ece_positive)},
            {"ece_negative", interval(&LabelledPairs::Intervals::ece_negative)},
            {"q_positive", interval(&LabelledPairs::Intervals::q_positive)},
            {"q_negative", interval(&LabelledPairs::Intervals::q_negative)}}},
          {"q_uniform", pairs.q_uniform},
          {"reformulated",
           {{"ece", pairs.reformulated.ece},
            {"positive_gap", pairs.reformulated.positive_gap},
            {"negative_gap", pairs.reformulated.negative_gap},
            {"sigma_positive_same", pairs.ece.positive.sigma_same},
            {"sigma_positive_different", pairs.ece.positive.sigma_different},
            {"sigma_negative_same", pairs.ece.negative.sigma_same},
            {"sigma_negative_different", pairs.ece.negative.sigma_different}}},
          {"reliability",
           {{"equal_width", bins_json(pairs.equal_width)},
            {"equal_mass", bins_json(pairs.equal_mass)},
            {"mce_equal_mass", largest_gap(pairs.equal_mass)}}}};
}

Json confidence_json(const ConfidenceFigures& figures) {
  return {{"nodes", figures.nodes},
          {"accuracy", figures.accuracy},
          {"mean_confidence", figures.mean_confidence},
          {"ece", figures.ece},
          {"ece_equal_mass", figures.ece_equal_mass},
          {"mce", figures.mce},
          {"brier", figures.brier},
          {"nll", figures.nll},
          {"reliability", bins_json(figures.bins)}};
}

Json classifier_json(const CalibratedRun& run) {
  if (!run.classifier) return {{"test", nullptr}, {"reason", run.no_classifier}};
  const ClassifierCalibration& found = *run.classifier;
  Json out = {{"train", found.train}, {"test", confidence_json(found.test)}, {"after", nullptr}};
  if (found.after) {
    out["after"] = {{"temperature", found.after->fit.temperature},
                    {"at_limit", found.after->fit.at_limit},
                    {"test", confidence_json(found.after->test)}};
  } else {
    out["reason"] = found.no_after;
  }
  return out;
}

Json bound_json(const std::optional<BoundResult>& found) {
  if (!found) return nullptr;
  if (!found->bound) return {{"terms", nullptr}, {"reason", found->reason}};
  Json terms = Json::array();
  for (const BoundTerm* term : found->bound->terms()) {
    terms.push_back(
        {{"name", term->name},
         {"value", term->value ? Json(*term->value) : Json(nullptr)},
         {"known", std::string(knowledge_name(term->knowledge))},
         {"standard_error", term->standard_error ? Json(*term->standard_error) : Json(nullptr)},
         {"words", term->words}});
  }
  return {{"terms", terms},
          {"left_is_below", found->bound->left_is_below},
          {"collision_holds", found->bound->collision_holds},
          {"delta", found->bound->delta},
          {"samples", found->bound->samples}};
}

Json direction_json(const CalibratedRun& run) {
  if (!run.direction) return {{"share_above", nullptr}, {"reason", run.no_direction}};
  const DirectionStatistics& found = *run.direction;
  Json above = nullptr;
  if (found.above) {
    above = {{"draws", found.above->draws},
             {"draws_fallen", found.above->draws_fallen},
             {"variance_before", found.above->variance_before},
             {"variance_after", found.above->variance_after}};
  }
  return {{"draws", found.draws},
          {"share_above", found.share_above},
          {"step_mean", found.step_mean},
          {"step_largest", found.step_largest},
          {"step_is_small", found.step_is_small},
          {"variance_before", found.variance_before},
          {"variance_after", found.variance_after},
          {"above", above}};
}

Json classes_json(const std::optional<ClassSpectrum>& spectrum) {
  if (!spectrum) return nullptr;
  Json out = Json::array();
  for (const ClassMoments& one : spectrum->classes) {
    out.push_back({{"label", one.label},
                   {"nodes", one.nodes},
                   {"share", one.share},
                   {"sigma_max", one.sigma_max},
                   {"norm_squared_mean", one.norm_squared_mean}});
  }
  return out;
}

Json run_json(const CalibratedRun& run) {
  const PairCalibration& pairs = run.embedding.pairs;
  Json out = {{"file", run.file}};
  out.update(calibration_figures(run.embedding));
  out["positive_pairs"] = pairs.positive_pairs;
  out["negative_pairs"] = pairs.negative_pairs;
  out["mean_sigma_random_interval"] = interval_json(pairs.mean_sigma_random_interval);
  out["labelled"] = pairs.labelled ? labelled_json(*pairs.labelled) : Json(nullptr);
  out["classifier"] = classifier_json(run);
  out["theorem_1"] = bound_json(run.bound);
  out["theorem_2"] = direction_json(run);
  out["classes"] = classes_json(run.embedding.spectrum);
  return out;
}

/// The values that a figure has over the runs; empty where it is null.
std::vector<double> values_of(const std::vector<Json>& figures, const std::string& name) {
  std::vector<double> values;
  for (const Json& one : figures) {
    if (one.at(name).is_number()) values.push_back(one.at(name).get<double>());
  }
  return values;
}

std::vector<Json> figures_of_runs(const CalibrationReport& report) {
  std::vector<Json> figures;
  for (const CalibratedRun& run : report.runs) {
    figures.push_back(calibration_figures(run.embedding));
  }
  return figures;
}

std::string row(const std::string& label, const std::vector<double>& values,
                const std::string& note = {}) {
  if (values.empty()) return {};
  const Summary summary = summarise(values);
  std::string text = fmt::format("  {:<34} {:>9.4f}", label, summary.mean);
  if (values.size() > 1) text += fmt::format(" +- {:.4f}", summary.std);
  return text + (note.empty() ? "" : "  " + note) + "\n";
}

std::string in_brackets(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{:.4f}, {:.4f}]", interval->low, interval->high) : "";
}

std::string labelled_text(const CalibrationReport& report, const std::vector<Json>& figures) {
  const CalibratedRun& first = report.runs.front();
  const LabelledPairs& pairs = *first.embedding.pairs.labelled;
  const EceParts parts(pairs.ece);
  const bool one = report.runs.size() == 1;
  const auto with_interval = [&](const char* name, Interval LabelledPairs::Intervals::*member) {
    return row(name, values_of(figures, name),
               one && pairs.intervals ? in_brackets((*pairs.intervals).*member) : "");
  };
  std::string text = "\nagainst the labels\n";
  text += with_interval("ece", &LabelledPairs::Intervals::ece);
  text += with_interval("ece_positive", &LabelledPairs::Intervals::ece_positive);
  text += with_interval("ece_negative", &LabelledPairs::Intervals::ece_negative);
  text += with_interval("q_positive", &LabelledPairs::Intervals::q_positive);
  text += with_interval("q_negative", &LabelledPairs::Intervals::q_negative);
  text += row("  by class shares", {pairs.q_uniform});
  if (one) {
    text += "  parts of the ECE\n";
    text += row("  true positives", {parts.true_positive}, "same label, confidence below 1");
    text += row("  false positives", {parts.false_positive}, "taken for similar, two labels");
    text += row("  false negatives", {parts.false_negative}, "drawn at random, yet one label");
    text += row("  true negatives", {parts.true_negative}, "two labels, confidence above 0");
  }
  text += row("ece_reformulated", values_of(figures, "ece_reformulated"),
              "appendix A.1: as if sigma knew nothing of the label");
  if (one) {
    text += row("  what that leaves out, positives", {pairs.reformulated.positive_gap},
                fmt::format("E[sigma] {:.3f} for one label, {:.3f} for two",
                            pairs.ece.positive.sigma_same, pairs.ece.positive.sigma_different));
    text += row("  what that leaves out, negatives", {pairs.reformulated.negative_gap},
                fmt::format("E[sigma] {:.3f} for one label, {:.3f} for two",
                            pairs.ece.negative.sigma_same, pairs.ece.negative.sigma_different));
  }
  text += row("binned_ece", values_of(figures, "binned_ece"),
              fmt::format("{} bins of equal width", report.options.bins));
  text += row("binned_ece_equal_mass", values_of(figures, "binned_ece_equal_mass"));
  text += row("mce", values_of(figures, "mce"), "the largest gap of a bin");
  text += row("brier", values_of(figures, "brier"));
  return text;
}

std::string classifier_text(const CalibrationReport& report) {
  std::vector<double> accuracy;
  std::vector<double> confidence;
  std::vector<double> ece;
  std::vector<double> scaled;
  std::vector<double> temperature;
  bool at_limit = false;
  for (const CalibratedRun& run : report.runs) {
    if (!run.classifier) return "\nno downstream classifier: " + run.no_classifier + "\n";
    accuracy.push_back(run.classifier->test.accuracy);
    confidence.push_back(run.classifier->test.mean_confidence);
    ece.push_back(run.classifier->test.ece);
    if (!run.classifier->after) continue;
    scaled.push_back(run.classifier->after->test.ece);
    temperature.push_back(run.classifier->after->fit.temperature);
    at_limit = at_limit || run.classifier->after->fit.at_limit;
  }
  std::string text =
      fmt::format("\nlogistic regression on the embedding ({}, test nodes)\n", report.protocol);
  text += row("accuracy", accuracy) + row("mean confidence", confidence) + row("ECE", ece);
  text += row("temperature by the val nodes", temperature,
              at_limit ? "at the limit: the val nodes are all right, or hopelessly wrong" : "");
  text += row("ECE at that temperature", scaled);
  if (scaled.empty()) {
    text += "  no temperature: " + report.runs.front().classifier->no_after + "\n";
  }
  return text;
}

std::string bound_text(const CalibratedRun& run) {
  if (!run.bound) return {};
  if (!run.bound->bound) return "\nTheorem 1: " + run.bound->reason + "\n";
  std::string text = "\nTheorem 1, term by term\n";
  for (const BoundTerm* term : run.bound->bound->terms()) {
    const std::string value = term->value ? fmt::format("{:.4f}", *term->value) : "-";
    text += fmt::format("  {:<30} {:>12}  {:<9}  {}\n", term->name, value,
                        knowledge_name(term->knowledge), term->words);
  }
  text += fmt::format("  the left side is {} what is known of the right side\n",
                      run.bound->bound->left_is_below ? "below" : "above");
  return text;
}

std::string direction_text(const CalibratedRun& run) {
  if (!run.direction) {
    return run.no_direction.empty() ? "" : "\nTheorem 2: " + run.no_direction + "\n";
  }
  const DirectionStatistics& found = *run.direction;
  std::string text = fmt::format("\nTheorem 2, over {}\n", counted(found.draws, "direction"));
  text += row("share of nodes with h·Wr > 1.5", {found.share_above});
  text += row("beta |Wr|², mean", {found.step_mean},
              found.step_is_small ? "at most 1 in all draws, as the theorem asks"
                                  : fmt::format("above 1 in a draw: {:.3f}", found.step_largest));
  text += row("variance of |h|", {found.variance_before});
  text += row("  after a step of Contrast-Reg", {found.variance_after});
  if (found.above) {
    text += row("  of those nodes, before", {found.above->variance_before});
    text += row("  of those nodes, after", {found.above->variance_after},
                fmt::format("falls in {} of {}", found.above->draws_fallen,
                            counted(found.above->draws, "draw")));
  }
  return text;
}

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

}  // namespace

nlohmann::ordered_json calibration_figures(const EmbeddingCalibration& found) {
  const CalibrationFigures figures = figures_of(found);
  Json out;
  for (const CalibrationKey& key : calibration_keys()) {
    const std::optional<double>& value = figures.*key.member;
    out[std::string(key.name)] = value ? Json(*value) : Json(nullptr);
  }
  return out;
}

nlohmann::ordered_json calibration_json(const CalibrationReport& report) {
  const PairCalibration& first = report.runs.front().embedding.pairs;
  Json out = {{"task", "calibrate"},
              {"dataset", report.dataset},
              {"nodes", report.nodes},
              {"labelled", report.labelled},
              {"anchors", first.anchors},
              {"sampled", first.anchors < report.nodes},
              {"positives", name_of(report.pairs.source)},
              {"k", report.pairs.k},
              {"similarity", name_of(report.pairs.similarity)},
              {"self", name_of(report.pairs.self)},
              {"r_positive", report.options.r_positive},
              {"r_negative", 1 - report.options.r_positive},
              {"bins", report.options.bins},
              {"resamples", report.options.resamples},
              {"runs", report.runs.size()}};
  const std::vector<Json> figures = figures_of_runs(report);
  Json metrics;
  for (const auto& [name, value] : figures.front().items()) {
    const std::vector<double> values = values_of(figures, name);
    out[name] = values.empty() ? Json(nullptr) : Json(summarise(values).mean);
    metrics[name] = summary_json(values);
  }
  out["metrics"] = metrics;
  out["each"] = Json::array();
  for (const CalibratedRun& run : report.runs) out["each"].push_back(run_json(run));
  return out;
}

std::string calibration_text(const CalibrationReport& report) {
  const CalibratedRun& first = report.runs.front();
  const PairCalibration& pairs = first.embedding.pairs;
  const std::vector<Json> figures = figures_of_runs(report);
  std::string text = fmt::format(
      "{}: calibration of {}\npositives: {}\n{} of {} are anchors{}; {} positive and {} negative "
      "pairs, of weight {:.2g} and {:.2g}\n",
      report.dataset,
      report.runs.size() == 1 ? "an embedding" : fmt::format("{} embeddings", report.runs.size()),
      pair_words(report.pairs), with_commas(pairs.anchors), counted(report.nodes, "node"),
      pairs.anchors < report.nodes ? ", drawn at random" : "", with_commas(pairs.positive_pairs),
      with_commas(pairs.negative_pairs), report.options.r_positive, 1 - report.options.r_positive);
  text += "\nwithout labels\n";
  text += row("mean_sigma_random", values_of(figures, "mean_sigma_random"),
              report.runs.size() == 1 ? in_brackets(pairs.mean_sigma_random_interval) : "");
  text += row("mean_sigma_positive", values_of(figures, "mean_sigma_positive"));
  text += row("norm_mean", values_of(figures, "norm_mean"));
  text += row("norm_variance", values_of(figures, "norm_variance"));
  if (!pairs.labelled) {
    text +=
        "\nno pair has two labels: ECE, q, the classes' moments and the bound need them; name a "
        "dataset with labels\n";
    return text + direction_text(first);
  }
  text += labelled_text(report, figures);
  text += "\nmoments of the classes, by their shares\n";
  text += row("sigma_max_mean", values_of(figures, "sigma_max_mean"));
  text += row("norm_squared_mean", values_of(figures, "norm_squared_mean"));
  text += row("s_f", values_of(figures, "s_f"), "exact");
  text += row("s_f_bound", values_of(figures, "s_f_bound"), "s_f is at most this");
  text += classifier_text(report);
  if (report.runs.size() == 1) text += bound_text(first) + direction_text(first);
  return text;
}

}  // namespace creg
