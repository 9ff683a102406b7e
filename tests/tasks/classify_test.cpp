#include "creg/tasks/classify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "creg/core/random.h"
#include "creg/graph/splits.h"
#include "creg/io/dataset.h"
#include "graph/normalise.h"
#include "learn/logistic_regression.h"
#include "learn/softmax_probe.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/recording_log.h"
#include "support/test_data.h"

namespace creg::classify_test {
namespace {

using Nodes = std::vector<std::int32_t>;

struct Example {
  Graph graph;
  DenseMatrix embedding;
};

// A path whose nodes' classes take turns, and an embedding that shows the classes through noise.
Example example(std::int32_t nodes, std::int32_t classes, double noise, std::uint64_t seed = 5) {
  Example made;
  made.graph = test::path_graph(nodes);
  made.graph.name = "example";
  const std::int64_t dim = 6;
  RandomStream stream(seed, Purpose::test);
  Nodes labels;
  std::vector<float> values;
  for (std::int32_t i = 0; i < nodes; ++i) {
    labels.push_back(i % classes);
    for (std::int64_t k = 0; k < dim; ++k) {
      values.push_back(
          static_cast<float>((k == i % classes ? 2.0 : 0.0) + noise * stream.normal()));
    }
  }
  made.graph.labels = labels;
  made.embedding = {.rows = nodes, .cols = dim, .values = std::move(values)};
  return made;
}

TEST(Classify, EvaluatesTwentySplitsOfASeededProtocol) {
  const Example made = example(300, 3, 1);
  const ClassifyResult result =
      classify(Context(), made.graph, made.embedding, {.protocol = "per-class-20-30"});
  EXPECT_EQ(result.protocol, "per-class-20-30");
  EXPECT_EQ(result.classifier, "logistic-regression");
  EXPECT_EQ(result.normalize, Normalize::none);
  EXPECT_EQ(result.splits, 20);
  EXPECT_EQ(result.train, 60);
  EXPECT_EQ(result.val, 90);
  EXPECT_EQ(result.test, 150);
  ASSERT_EQ(result.accuracy.size(), 20U);
  ASSERT_EQ(result.val_accuracy.size(), 20U);
  // Split by split what its parts give.
  for (int i = 0; i < 20; ++i) {
    const Split split = make_split(Context(), made.graph, "per-class-20-30", 0, i);
    const auto rows = [&](const Array<std::int32_t>& part) {
      return LabelledRows{.values = made.embedding, .rows = part, .labels = made.graph.labels};
    };
    const LinearModel model = fit_logistic_regression(Context(), rows(split.train)).model;
    EXPECT_EQ(result.accuracy[static_cast<std::size_t>(i)],
              accuracy(Context(), model, rows(split.test)));
    EXPECT_EQ(result.val_accuracy[static_cast<std::size_t>(i)],
              accuracy(Context(), model, rows(split.val)));
  }
  const Summary summary = summarise(result.accuracy);
  EXPECT_GT(summary.mean, 0.6);
  EXPECT_LT(summary.mean, 0.99);
  EXPECT_GT(summary.std, 0);
}

TEST(Classify, SplitsAreThoseOfTheSeedAndNeverDependOnThreads) {
  const Example made = example(300, 3, 1);
  const ClassifyOptions options{.protocol = "random-60-20-20", .splits = 5};
  const ClassifyResult one = classify(Context({.threads = 1}), made.graph, made.embedding, options);
  const ClassifyResult four =
      classify(Context({.threads = 4, .seed = 99}), made.graph, made.embedding, options);
  EXPECT_EQ(one.accuracy, four.accuracy);
  EXPECT_EQ(one.val_accuracy, four.val_accuracy);

  const ClassifyResult third =
      classify(Context(), made.graph, made.embedding, {.protocol = "random-60-20-20", .split = 3});
  ASSERT_EQ(third.accuracy.size(), 1U);
  EXPECT_EQ(third.accuracy[0], one.accuracy[3]);
  const ClassifyResult other = classify(Context(), made.graph, made.embedding,
                                        {.protocol = "random-60-20-20", .splits = 5, .seed = 1});
  EXPECT_NE(other.accuracy, one.accuracy);
}

TEST(Classify, StoredSplitsAreAllEvaluatedAndChosenByDefault) {
  Example made = example(60, 2, 0.1);
  made.graph.splits = {
      {.name = "public-0", .train = Nodes{0, 1}, .val = Nodes{2, 3}, .test = Nodes{4, 5, 6}},
      {.name = "public-1", .train = Nodes{8, 9}, .val = Nodes{2, 3}, .test = Nodes{4, 5, 6}}};
  EXPECT_EQ(default_protocol(made.graph), "public");
  const ClassifyResult result = classify(Context(), made.graph, made.embedding);
  EXPECT_EQ(result.protocol, "public");
  EXPECT_EQ(result.accuracy, (std::vector<double>{1, 1}));
  EXPECT_EQ(result.test, 3);
  test::expect_error([&] { classify(Context(), made.graph, made.embedding, {.splits = 3}); },
                     {"0 to 1"});

  made.graph.splits.clear();
  EXPECT_EQ(default_protocol(made.graph), "per-class-20-30-keep-small");
  EXPECT_EQ(classify(Context(), made.graph, made.embedding, {.splits = 2}).protocol,
            "per-class-20-30-keep-small");
}

TEST(Classify, AGivenSplitStandsForItself) {
  const Example made = example(60, 2, 0.1);
  Split split{.name = "by hand", .train = Nodes{0, 1}, .val = Nodes{}, .test = Nodes{4, 5, 6, 7}};
  const ClassifyResult result = classify(Context(), made.graph, made.embedding, {.given = split});
  EXPECT_EQ(result.protocol, "by hand");
  EXPECT_EQ(result.accuracy, std::vector<double>{1});
  EXPECT_TRUE(result.val_accuracy.empty()) << "there is no val part";
  split.name = "";
  EXPECT_EQ(classify(Context(), made.graph, made.embedding, {.given = split}).protocol, "given");
  split.name = "random-10-90-ovr";
  split.train = Nodes{0, 1, 2, 3, 8, 9, 10, 11, 12, 13};
  EXPECT_EQ(classify(Context(), made.graph, made.embedding, {.given = split}).classifier,
            "one-vs-rest");
}

TEST(Classify, EachProtocolHasItsClassifier) {
  const Example made = example(600, 3, 0.6);
  const ClassifyResult probe =
      classify(Context(), made.graph, made.embedding, {.protocol = "random-10-10-80", .splits = 2});
  EXPECT_EQ(probe.classifier, "softmax-adam");
  EXPECT_EQ(probe.normalize, Normalize::none);
  EXPECT_EQ(probe.val_accuracy.size(), 2U);
  EXPECT_GT(probe.accuracy[0], 0.85);

  const ClassifyResult ovr = classify(Context(), made.graph, made.embedding,
                                      {.protocol = "random-10-90-ovr", .splits = 2});
  EXPECT_EQ(ovr.classifier, "one-vs-rest");
  EXPECT_EQ(ovr.normalize, Normalize::l2) << "part of that protocol";
  EXPECT_TRUE(ovr.val_accuracy.empty());
  EXPECT_EQ(ovr.val, 0);
  EXPECT_GT(ovr.accuracy[0], 0.85);
  EXPECT_EQ(classify(Context(), made.graph, made.embedding,
                     {.protocol = "random-10-90-ovr", .splits = 1, .normalize = Normalize::none})
                .normalize,
            Normalize::none);
}

/// Node i is in part part_of(i): 0 train, 1 val, 2 test of the stored split.
template <class PartOf>
Split store_split(Example& made, const PartOf& part_of) {
  Nodes parts[3];
  const auto nodes = static_cast<std::int32_t>(made.graph.nodes());
  for (std::int32_t i = 0; i < nodes; ++i) parts[part_of(i)].push_back(i);
  made.graph.splits = {{.name = "public", .train = parts[0], .val = parts[1], .test = parts[2]}};
  return made.graph.splits.front();
}

LabelledRows rows_of(const Example& made, const Array<std::int32_t>& nodes) {
  return {.values = made.embedding, .rows = nodes, .labels = made.graph.labels.span()};
}

/// GraphMAE's classifier: Adam at 0.01 for 300 epochs, the weight decay and the epoch by
/// validation.
TEST(Classify, TheProbeOfStoredSplitsChoosesItsWeightDecayOnValidationNodes) {
  std::array<int, 3> chosen{};
  int ties = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Example made = example(3000, 3, 3, seed);
    const Split split = store_split(made, [](std::int32_t i) { return i < 60 ? 0 : 1 + i % 2; });
    const ClassifyResult probe =
        classify(Context(), made.graph, made.embedding, {.protocol = "public-probe"});
    EXPECT_EQ(probe.classifier, "softmax-adam-decayed");
    std::vector<double> found;
    std::vector<double> on_test;
    for (const double decay : {1e-4, 5e-4, 1e-2}) {
      const ProbeFit fit = fit_softmax_probe(Context(), rows_of(made, split.train), split.val,
                                             {.learning_rate = 0.01,
                                              .epochs = 300,
                                              .weight_decay = decay,
                                              .evaluate_every = 1,
                                              .latest_of_equal = true});
      found.push_back(fit.val_accuracy.value());
      on_test.push_back(accuracy(Context(), fit.model, rows_of(made, split.test)));
    }
    const auto best = std::max_element(found.begin(), found.end()) - found.begin();
    ++chosen[static_cast<std::size_t>(best)];
    ties += std::count(found.begin(), found.end(), found[static_cast<std::size_t>(best)]) > 1;
    EXPECT_EQ(probe.val_accuracy.at(0), found[static_cast<std::size_t>(best)]) << seed;
    EXPECT_EQ(probe.accuracy.at(0), on_test[static_cast<std::size_t>(best)]) << seed;
    const ClassifyResult first = classify(Context(), made.graph, made.embedding,
                                          {.protocol = "public-probe", .weight_decay = 1e-4});
    EXPECT_EQ(first.val_accuracy.at(0), found[0]) << "the one that is asked for";
    EXPECT_EQ(first.weight_decay, 1e-4);
  }
  for (const int times : chosen) EXPECT_GT(times, 0) << "every decay is to be the best one once";
  EXPECT_GT(ties, 0) << "a case of two equal ones";
}

/// GDCL's classifier: Adam at 0.005 for 700 epochs, the highest test accuracy of all of them.
TEST(Classify, APeekTakesTheBestEpochOnTheTestNodes) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Example made = example(240, 3, 2, seed);
    const Split split = store_split(made, [](std::int32_t i) { return i / 3 % 3; });
    const ClassifyResult peek =
        classify(Context(), made.graph, made.embedding, {.protocol = "public-test-peek"});
    EXPECT_EQ(peek.classifier, "softmax-adam-best-on-test");
    const auto fit = [&](const Array<std::int32_t>& chosen_on, int epochs) {
      return fit_softmax_probe(Context(), rows_of(made, split.train), chosen_on,
                               {.learning_rate = 5e-3, .epochs = epochs, .evaluate_every = 1});
    };
    const ProbeFit best = fit(split.test, 700);
    EXPECT_EQ(peek.accuracy.at(0), best.val_accuracy.value());
    EXPECT_EQ(peek.val_accuracy.at(0), accuracy(Context(), best.model, rows_of(made, split.val)));
    const LinearModel honest = fit(split.val, 700).model;
    EXPECT_GE(peek.accuracy.at(0), accuracy(Context(), honest, rows_of(made, split.test)));
  }
}

/// Two classes on a line, at 3 and 4 and at 5 and 6: from the weights of this seed every step
/// brings the border between them a little further up. Nodes that lie close together show where it
/// has come to.
TEST(Classify, ClassifiersHaveThePublishedRatesAndLengths) {
  Example made;
  made.graph = test::path_graph(10'004);
  std::vector<float> values = {3, 4, 5, 6};
  Nodes labels(10'004, 0);
  labels[2] = labels[3] = 1;
  Nodes dense;
  for (std::int32_t i = 4; i < 10'004; ++i) {
    values.push_back(static_cast<float>(3.5 + 1e-4 * i));
    dense.push_back(i);
  }
  made.graph.labels = labels;
  made.embedding = {.rows = 10'004, .cols = 1, .values = std::move(values)};
  const Split split{.name = "line", .train = Nodes{0, 1, 2, 3}, .val = dense, .test = dense};
  struct Published {
    const char* protocol;
    double rate;
    int epochs;
    double decay;
  };
  // GCA's, GraphMAE's with the decay that lets the border move furthest, and GDCL's.
  for (const Published& one :
       {Published{"random-10-10-80", 0.01, 3000, 0}, Published{"public-probe", 0.01, 300, 1e-4},
        Published{"public-test-peek", 5e-3, 700, 0}}) {
    const LinearModel model =
        fit_softmax_probe(
            Context(), rows_of(made, split.train), {},
            {.learning_rate = one.rate, .epochs = one.epochs, .weight_decay = one.decay, .seed = 2})
            .model;
    const double border = -model.intercepts[0] / model.weights[0];
    ASSERT_GT(border, 4);
    ASSERT_LT(border, 4.5);
    std::int64_t below = 0;
    for (const std::int32_t node : dense) below += made.embedding.row(node)[0] < border ? 1 : 0;
    const ClassifyResult found = classify(Context(), made.graph, made.embedding,
                                          {.protocol = one.protocol, .given = split, .seed = 2});
    EXPECT_EQ(found.accuracy.at(0), static_cast<double>(below) / 10'000) << one.protocol;
  }
}

TEST(Classify, ProtocolsOfOneVsRestHaveTheSameClassifier) {
  const Example made = example(1200, 3, 0.6);
  const ClassifyResult ovr = classify(Context(), made.graph, made.embedding,
                                      {.protocol = "per-class-20-500-ovr", .splits = 1});
  EXPECT_EQ(ovr.classifier, "one-vs-rest");
  EXPECT_EQ(ovr.normalize, Normalize::l2);
  EXPECT_EQ(ovr.train, 60);
  EXPECT_EQ(ovr.val, 500);
  EXPECT_EQ(ovr.test, 640);
  EXPECT_GT(ovr.accuracy[0], 0.85);
}

TEST(Classify, L2MakesTheScaleOfRowsIrrelevant) {
  const Example made = example(300, 3, 1);
  std::vector<float> scaled(made.embedding.values.begin(), made.embedding.values.end());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= (i / 6) % 2 == 0 ? 4.0F : 0.25F;
  for (std::size_t k = 0; k < 6; ++k) scaled[6 * 7 + k] = 0;  // a row of zeros is no accident
  std::vector<float> zeroed(made.embedding.values.begin(), made.embedding.values.end());
  for (std::size_t k = 0; k < 6; ++k) zeroed[6 * 7 + k] = 0;
  const DenseMatrix a{.rows = 300, .cols = 6, .values = std::move(scaled)};
  const DenseMatrix b{.rows = 300, .cols = 6, .values = std::move(zeroed)};
  const ClassifyOptions l2{.protocol = "per-class-20-30", .splits = 3, .normalize = Normalize::l2};
  EXPECT_EQ(classify(Context(), made.graph, a, l2).accuracy,
            classify(Context(), made.graph, b, l2).accuracy);
  const ClassifyOptions none{.protocol = "per-class-20-30", .splits = 3};
  EXPECT_NE(classify(Context(), made.graph, a, none).accuracy,
            classify(Context(), made.graph, b, none).accuracy);
}

TEST(Classify, WhatASplitHasToSayIsSaidOnce) {
  Example made = example(300, 3, 1);
  Nodes labels(made.graph.labels.begin(), made.graph.labels.end());
  labels[0] = 3;  // a class of one node
  made.graph.labels = labels;
  const auto log = std::make_shared<test::RecordingLog>();
  classify(Context({.log = log}), made.graph, made.embedding,
           {.protocol = "per-class-20-30", .splits = 4});
  EXPECT_EQ(log->messages(LogLevel::notice).size(), 1U);
}

TEST(Classify, ScoresOfAClassifierCountTheirHighestClass) {
  const Example made = example(60, 3, 0);
  // The first three columns of a noiseless embedding are 2 at the class and 0 elsewhere.
  std::vector<float> scores;
  for (std::int64_t i = 0; i < 60; ++i) {
    for (std::int64_t k = 0; k < 3; ++k) scores.push_back(made.embedding.row(i)[k]);
  }
  const Split split{
      .name = "mine", .train = Nodes{0}, .val = Nodes{1, 2}, .test = Nodes{3, 4, 5, 6}};
  scores[3 * 4 + 0] = 9;  // node 4 is of class 1
  scores[3 * 1 + 2] = 9;  // and so is node 1
  const DenseMatrix given{.rows = 60, .cols = 3, .values = std::move(scores)};
  const ClassifyResult result = classify_scores(Context(), made.graph, given, {.given = split});
  EXPECT_EQ(result.classifier, "own");
  EXPECT_EQ(result.protocol, "mine");
  ASSERT_EQ(result.accuracy.size(), 1);
  EXPECT_EQ(result.accuracy[0], 0.75);
  EXPECT_EQ(result.val_accuracy.at(0), 0.5);
  EXPECT_EQ(result.test, 4);
}

TEST(Classify, PoolsRuns) {
  const Example a = example(300, 3, 1);
  const Example b = example(300, 3, 2);
  const ClassifyOptions options{.protocol = "per-class-20-30", .splits = 3};
  const std::vector<ClassifyResult> results = {classify(Context(), a.graph, a.embedding, options),
                                               classify(Context(), b.graph, b.embedding, options)};
  const ClassifyResult pooled = pool_results(results);
  EXPECT_EQ(pooled.runs, 2);
  EXPECT_EQ(pooled.splits, 3);
  ASSERT_EQ(pooled.accuracy.size(), 6U);
  EXPECT_EQ(pooled.accuracy[4], results[1].accuracy[1]);
  EXPECT_EQ(pooled.val_accuracy[2], results[0].val_accuracy[2]);

  std::vector<ClassifyResult> mixed = results;
  mixed[1].protocol = "public";
  test::expect_error([&] { pool_results(mixed); }, {"different protocols", "per-class-20-30"});
}

TEST(Classify, SaysWhatIsWrong) {
  const Example made = example(60, 2, 0.1);
  Graph bare = made.graph;
  bare.labels = {};
  const auto run = [](const Graph& graph, const DenseMatrix& embedding,
                      const ClassifyOptions& options = {}) {
    return [=] { classify(Context(), graph, embedding, options); };
  };
  test::expect_error(run(bare, made.embedding), {"needs labels", "example"});
  const DenseMatrix shorter{.rows = 59, .cols = 6, .values = std::vector<float>(59 * 6)};
  test::expect_error(run(made.graph, shorter), {"59 rows", "60, one per node"});
  std::vector<float> broken(made.embedding.values.begin(), made.embedding.values.end());
  broken[6 * 4 + 2] = std::numeric_limits<float>::quiet_NaN();
  const DenseMatrix diverged{.rows = 60, .cols = 6, .values = std::move(broken)};
  test::expect_error(run(made.graph, diverged), {"not finite", "row 4, column 3", "diverged"});
  test::expect_error(run(made.graph, made.embedding, {.protocol = "per-clas-20-30"}),
                     {"unknown split protocol", "per-class-20-30"});
  test::expect_error(run(made.graph, made.embedding, {.protocol = "public"}), {"no stored split"});
  test::expect_error(run(made.graph, made.embedding, {.splits = -1}), {"--splits", "1 or more"});
  Split split{.name = "s", .train = Nodes{0, 60}, .val = Nodes{}, .test = Nodes{1}};
  test::expect_error(run(made.graph, made.embedding, {.given = split}),
                     {"node 60 in its train part", "0 to 59"});
  split.train = Nodes{};
  test::expect_error(run(made.graph, made.embedding, {.given = split}), {"no train nodes"});
  split.train = Nodes{0};
  Graph partly = made.graph;
  Nodes labels(partly.labels.begin(), partly.labels.end());
  labels[1] = unlabelled;
  partly.labels = labels;
  test::expect_error(run(partly, made.embedding, {.given = split}),
                     {"without a label", "node 1 in its test part"});
  test::expect_error([] { parse_normalize("L2"); }, {"none, l2 or spread"});
  EXPECT_EQ(parse_normalize(normalize_name(Normalize::l2)), Normalize::l2);
  EXPECT_EQ(parse_normalize(normalize_name(Normalize::none)), Normalize::none);
}

DenseMatrix propagate(const CsrMatrix& matrix, const DenseMatrix& values) {
  std::vector<double> sums(static_cast<std::size_t>(values.rows * values.cols), 0.0);
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    for (std::int64_t e = matrix.offsets[i]; e < matrix.offsets[i + 1]; ++e) {
      const auto row = values.row(matrix.columns[e]);
      for (std::int64_t k = 0; k < values.cols; ++k) {
        sums[static_cast<std::size_t>(i * values.cols + k)] +=
            static_cast<double>(matrix.value(e)) *
            static_cast<double>(row[static_cast<std::size_t>(k)]);
      }
    }
  }
  return {.rows = values.rows,
          .cols = values.cols,
          .values = std::vector<float>(sums.begin(), sums.end())};
}

// Correct nodes of scikit-learn 1.2.1 on the public splits, printed by make_planetoid_golden.py.
TEST(Classify, RealGraphsGiveWhatScikitLearnGives) {
  CREG_REQUIRE_REAL_DATA(data);
  struct Expected {
    const char* name;
    std::array<double, 2> raw;       // test, val
    std::array<double, 2> smoothed;  // by Â twice
    std::array<double, 2> unit;      // and then made of length 1
  };
  for (const Expected& expected : {Expected{"cora", {575, 261}, {828, 394}, {815, 393}},
                                   Expected{"citeseer", {592, 280}, {715, 359}, {711, 354}}}) {
    const Context context;
    const Graph graph = prepare_graph(context, open_dataset(context, expected.name, data));
    const DenseMatrix raw = to_dense(graph.features);
    const CsrMatrix smooth = gcn_normalised(context, graph.adjacency);
    const DenseMatrix twice = propagate(smooth, propagate(smooth, raw));
    const auto check = [&](const DenseMatrix& values, Normalize normalize,
                           const std::array<double, 2>& counts) {
      const ClassifyResult result =
          classify(context, graph, values, {.protocol = "public", .normalize = normalize});
      ASSERT_EQ(result.accuracy.size(), 1U);
      EXPECT_NEAR(result.accuracy[0] * 1000, counts[0], 1.01) << expected.name;
      EXPECT_NEAR(result.val_accuracy[0] * 500, counts[1], 1.01) << expected.name;
    };
    check(raw, Normalize::none, expected.raw);
    check(twice, Normalize::none, expected.smoothed);
    check(twice, Normalize::l2, expected.unit);
  }
}

}  // namespace
}  // namespace creg::classify_test
