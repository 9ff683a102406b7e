#include "creg/tasks/classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/graph/splits.h"
#include "learn/logistic_regression.h"
#include "learn/one_vs_rest.h"
#include "learn/softmax_probe.h"
#include "tasks/embedding_rows.h"
#include "tasks/pooling.h"

namespace creg {
namespace {

constexpr int default_splits = 20;

enum class Classifier {
  logistic_regression,
  softmax_adam,
  decayed_softmax,
  one_vs_rest,
  test_peek
};

constexpr std::string_view probing_protocol = "public-probe";
constexpr std::string_view peeking_protocol = "public-test-peek";

/// GraphMAE's published classifier; its weight decay differs by dataset.
constexpr int decayed_epochs = 300;
constexpr std::array candidate_decays = {1e-4, 5e-4, 1e-2};

/// GDCL's published classifier.
constexpr int peek_epochs = 700;
constexpr double peek_rate = 5e-3;

Classifier classifier_of(std::string_view protocol) {
  if (protocol == probing_protocol) return Classifier::decayed_softmax;
  if (protocol == peeking_protocol) return Classifier::test_peek;
  if (protocol == "random-10-10-80") return Classifier::softmax_adam;
  if (protocol == "random-10-90-ovr" || protocol == "per-class-20-500-ovr") {
    return Classifier::one_vs_rest;
  }
  return Classifier::logistic_regression;
}

std::string_view classifier_name(Classifier classifier) {
  switch (classifier) {
    case Classifier::softmax_adam:
      return "softmax-adam";
    case Classifier::decayed_softmax:
      return "softmax-adam-decayed";
    case Classifier::one_vs_rest:
      return "one-vs-rest";
    case Classifier::test_peek:
      return "softmax-adam-best-on-test";
    case Classifier::logistic_regression:
      break;
  }
  return "logistic-regression";
}

// Steps of work that one split takes at most.
std::int64_t steps_of(Classifier classifier) {
  switch (classifier) {
    case Classifier::softmax_adam:
      return ProbeOptions{}.epochs;
    case Classifier::decayed_softmax:
      return decayed_epochs * static_cast<std::int64_t>(candidate_decays.size());
    case Classifier::test_peek:
      return peek_epochs;
    case Classifier::one_vs_rest:
      return OneVsRestSearch{}.fits();
    case Classifier::logistic_regression:
      break;
  }
  return LogisticOptions{}.max_iterations;
}

std::vector<Split> splits_of(const Context& context, const Graph& graph,
                             const std::string& protocol, const ClassifyOptions& options) {
  if (options.given) return {*options.given};
  const bool stored = protocol == probing_protocol || protocol == peeking_protocol;
  const std::string split_protocol = stored ? "public" : protocol;
  int count = 1;
  if (!options.split) {
    const std::optional<int> fixed = fixed_split_count(graph, split_protocol);
    count = options.splits > 0 ? options.splits : fixed.value_or(default_splits);
    // An unknown protocol, and more splits than are stored, are make_split's to refuse.
  }
  const int first = options.split.value_or(0);
  // What the first split has to say holds for all.
  const Context silent({.threads = 1});
  std::vector<Split> splits;
  for (int i = first; i < first + count; ++i) {
    splits.push_back(
        make_split(i == first ? context : silent, graph, split_protocol, options.seed, i));
  }
  return splits;
}

struct SplitAccuracy {
  double test = 0;
  std::optional<double> val;
};

/// The weight decay, and with it the epoch, of the highest validation accuracy.
LinearModel fit_decayed_softmax(const Context& context, const LabelledRows& train,
                                const Array<std::int32_t>& val, std::span<const double> decays,
                                ProbeOptions options) {
  options.epochs = decayed_epochs;
  options.evaluate_every = 1;
  options.latest_of_equal = true;
  std::optional<ProbeFit> best;
  for (const double decay : decays) {
    options.weight_decay = decay;
    ProbeFit found = fit_softmax_probe(context, train, val, options);
    if (!best || found.val_accuracy > best->val_accuracy) best = std::move(found);
  }
  return std::move(best->model);
}

LinearModel fit(const Context& context, const LabelledRows& train, const Split& split,
                Classifier classifier, const ClassifyOptions& options, std::uint64_t index,
                const std::function<void()>& tick) {
  const std::uint64_t seed = options.seed;
  switch (classifier) {
    case Classifier::softmax_adam:
      return fit_softmax_probe(context, train, split.val,
                               {.seed = seed, .item = index, .each_epoch = tick})
          .model;
    case Classifier::decayed_softmax:
      return fit_decayed_softmax(context, train, split.val,
                                 options.weight_decay
                                     ? std::span<const double>(&*options.weight_decay, 1)
                                     : std::span<const double>(candidate_decays),
                                 {.seed = seed, .item = index, .each_epoch = tick});
    case Classifier::test_peek:
      return fit_softmax_probe(context, train, split.test,
                               {.learning_rate = peek_rate,
                                .epochs = peek_epochs,
                                .evaluate_every = 1,
                                .seed = seed,
                                .item = index,
                                .each_epoch = tick})
          .model;
    case Classifier::one_vs_rest:
      return choose_one_vs_rest(context, train, {.each_fit = tick}).model;
    case Classifier::logistic_regression:
      break;
  }
  return fit_logistic_regression(context, train, {.each_iteration = tick}).model;
}

std::string protocol_of(const Graph& graph, const ClassifyOptions& options) {
  if (!options.protocol.empty()) return options.protocol;
  if (options.given) return options.given->name.empty() ? "given" : options.given->name;
  return default_protocol(graph);
}

/// A result with everything but the accuracies.
ClassifyResult result_of(std::string protocol, std::string_view classifier, Normalize normalize,
                         const std::vector<Split>& splits, const ClassifyOptions& options) {
  return {.protocol = std::move(protocol),
          .classifier = std::string(classifier),
          .normalize = normalize,
          .weight_decay = options.weight_decay,
          .split_seed = options.seed,
          .splits = static_cast<std::int64_t>(splits.size()),
          .train = splits.front().train.size(),
          .val = splits.front().val.size(),
          .test = splits.front().test.size()};
}

void add_accuracies(ClassifyResult& result, const std::vector<SplitAccuracy>& found) {
  const bool has_val = std::all_of(found.begin(), found.end(),
                                   [](const SplitAccuracy& one) { return one.val.has_value(); });
  for (const SplitAccuracy& one : found) {
    result.accuracy.push_back(one.test);
    if (has_val) result.val_accuracy.push_back(*one.val);
  }
}

}  // namespace

Normalize parse_normalize(std::string_view text) {
  if (text == "none") return Normalize::none;
  if (text == "l2") return Normalize::l2;
  if (text == "spread") return Normalize::spread;
  fail_input({.what = "unknown normalisation",
              .file = "--normalize",
              .found = in_quotes(text),
              .expected = "none, l2 or spread"});
}

std::string_view normalize_name(Normalize normalize) {
  switch (normalize) {
    case Normalize::none:
      return "none";
    case Normalize::l2:
      return "l2";
    case Normalize::spread:
      return "spread";
  }
  throw Bug("a normalisation without a name");
}

std::string default_protocol(const Graph& graph) {
  return graph.splits.empty() ? "per-class-20-30-keep-small" : "public";
}

ClassifyResult classify(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                        const ClassifyOptions& options) {
  if (options.splits < 0) {
    fail_input({.what = "the number of splits is negative",
                .file = "--splits",
                .found = fmt::format("{}", options.splits),
                .expected = "1 or more"});
  }
  tasks::check_embedding(graph, embedding, "node classification");
  const std::string protocol = protocol_of(graph, options);
  const Classifier classifier = classifier_of(protocol);
  if (options.weight_decay && classifier != Classifier::decayed_softmax) {
    fail_input({.what = fmt::format("the classifier of {} has no weight decay", protocol),
                .file = "--weight-decay",
                .hint = fmt::format("--protocol {} has one", probing_protocol)});
  }
  const std::vector<Split> splits = splits_of(context, graph, protocol, options);
  for (const Split& split : splits) tasks::check_split(graph, split);
  const bool ovr = classifier == Classifier::one_vs_rest;
  const Normalize normalize = options.normalize.value_or(ovr ? Normalize::l2 : Normalize::none);
  const DenseMatrix values =
      tasks::judged_rows(context, graph, embedding, options.smooth, normalize);

  const auto count = static_cast<std::int64_t>(splits.size());
  const std::int64_t steps = steps_of(classifier);
  ProgressTask progress(context, "classifying nodes", count * steps);
  std::vector<SplitAccuracy> found(splits.size());
  // Side by side; a fit shares its own work among threads that have no split left.
  parallel_tasks(context, count, [&](std::int64_t i) {
    const Split& split = splits[static_cast<std::size_t>(i)];
    const auto rows = [&](const Array<std::int32_t>& part) {
      return LabelledRows{.values = values, .rows = part, .labels = graph.labels};
    };
    std::atomic<std::int64_t> left = steps;
    const auto index = static_cast<std::uint64_t>(options.split.value_or(0) + i);
    const LinearModel model =
        fit(context, rows(split.train), split, classifier, options, index, [&] {
          progress.advance();
          --left;
        });
    SplitAccuracy& result = found[static_cast<std::size_t>(i)];
    result.test = accuracy(context, model, rows(split.test));
    if (!split.val.empty()) result.val = accuracy(context, model, rows(split.val));
    progress.advance(std::max<std::int64_t>(0, left));
  });
  progress.finish();

  ClassifyResult result =
      result_of(protocol, classifier_name(classifier), normalize, splits, options);
  result.smooth = options.smooth;
  add_accuracies(result, found);
  return result;
}

ClassifyResult classify_scores(const Context& context, const Graph& graph,
                               const DenseMatrix& scores, const ClassifyOptions& options) {
  tasks::check_embedding(graph, scores, "node classification");
  const std::string protocol = protocol_of(graph, options);
  const std::vector<Split> splits = splits_of(context, graph, protocol, options);
  const auto share_right = [&](const Array<std::int32_t>& nodes) {
    std::int64_t right = 0;
    for (const std::int32_t node : nodes) {
      const auto row = scores.row(node);
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      if (best == graph.labels[node]) ++right;
    }
    return static_cast<double>(right) / static_cast<double>(nodes.size());
  };
  std::vector<SplitAccuracy> found;
  for (const Split& split : splits) {
    tasks::check_split(graph, split);
    SplitAccuracy& one = found.emplace_back();
    one.test = share_right(split.test);
    if (!split.val.empty()) one.val = share_right(split.val);
  }
  ClassifyResult result = result_of(protocol, "own", Normalize::none, splits, options);
  add_accuracies(result, found);
  return result;
}

ClassifyResult pool_results(std::span<const ClassifyResult> results) {
  invariant(!results.empty(), "there is a result to pool");
  ClassifyResult pooled = results.front();
  for (const ClassifyResult& result : results.subspan(1)) {
    tasks::require_same("protocols", pooled.protocol, result.protocol);
    tasks::require_same("classifiers", pooled.classifier, result.classifier);
    tasks::require_same("normalisations", normalize_name(pooled.normalize),
                        normalize_name(result.normalize));
    tasks::require_same("smoothings", pooled.smooth, result.smooth);
    invariant(pooled.weight_decay == result.weight_decay, "results of one weight decay are pooled");
    tasks::require_same("split seeds", pooled.split_seed, result.split_seed);
    tasks::require_same("numbers of splits", pooled.splits, result.splits);
    tasks::require_same("numbers of val nodes", pooled.val, result.val);
    pooled.runs += result.runs;
    pooled.accuracy.insert(pooled.accuracy.end(), result.accuracy.begin(), result.accuracy.end());
    pooled.val_accuracy.insert(pooled.val_accuracy.end(), result.val_accuracy.begin(),
                               result.val_accuracy.end());
  }
  return pooled;
}

}  // namespace creg
