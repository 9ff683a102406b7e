#include "graph/generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::generators_test {
namespace {

Graph make(const std::string& name, int threads = 2) {
  return generate(Context({.threads = threads}), parse_synthetic(name));
}

// Entries that are loops, repeats, out of order or lack their reverse.
std::int64_t flaws(const CsrMatrix& adjacency) {
  std::int64_t count = 0;
  for (std::int32_t u = 0; u < adjacency.rows; ++u) {
    std::int32_t last = -1;
    for (const std::int32_t v : adjacency.row(u)) {
      const auto back = adjacency.row(v);
      if (v == u || v <= last || !std::binary_search(back.begin(), back.end(), u)) ++count;
      last = v;
    }
  }
  return count;
}

double homophily(const Graph& graph) {
  std::int64_t same = 0;
  for (std::int64_t u = 0; u < graph.nodes(); ++u) {
    for (const std::int32_t v : graph.adjacency.row(u)) {
      same += graph.labels[u] == graph.labels[v] ? 1 : 0;
    }
  }
  return static_cast<double>(same) / static_cast<double>(graph.adjacency.nonzeros());
}

std::vector<std::int64_t> degrees(const Graph& graph) {
  std::vector<std::int64_t> out;
  for (std::int64_t u = 0; u < graph.nodes(); ++u) {
    out.push_back(static_cast<std::int64_t>(graph.adjacency.row(u).size()));
  }
  return out;
}

// Every array of a graph in one list of bytes' hashes (FNV-1a): equal graphs, equal numbers.
class Fingerprint {
 public:
  template <class T>
  void add(const Array<T>& values) {
    const auto bytes = std::as_bytes(values.span());
    for (const std::byte b : bytes) {
      hash_ = (hash_ ^ static_cast<std::uint64_t>(b)) * 0x100000001b3ULL;
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

std::uint64_t fingerprint(const Graph& graph) {
  Fingerprint print;
  print.add(graph.adjacency.offsets);
  print.add(graph.adjacency.columns);
  print.add(graph.labels);
  if (const auto* sparse = std::get_if<CsrMatrix>(&graph.features)) {
    print.add(sparse->offsets);
    print.add(sparse->columns);
    print.add(sparse->values);
  } else {
    print.add(std::get<DenseMatrix>(graph.features).values);
  }
  for (const Split& split : graph.splits) {
    print.add(split.train);
    print.add(split.val);
    print.add(split.test);
  }
  return print.value();
}

TEST(ParseSynthetic, KnowsTheBenchmarksByTheirSizes) {
  struct Row {
    const char* name;
    std::int64_t nodes, edges, features;
    std::size_t classes;
  };
  for (const Row& row :
       {Row{"cora", 2'708, 5'278, 1'433, 7}, Row{"pubmed", 19'717, 44'324, 500, 3},
        Row{"arxiv", 169'343, 1'166'243, 128, 40}, Row{"products", 2'449'029, 61'859'140, 100, 47},
        Row{"reddit", 232'965, 57'307'946, 602, 41}}) {
    const GeneratorSpec spec = parse_synthetic("synthetic:" + std::string(row.name));
    EXPECT_EQ(spec.nodes, row.nodes) << row.name;
    EXPECT_EQ(spec.edges, row.edges) << row.name;
    EXPECT_EQ(spec.feature_count, row.features) << row.name;
    EXPECT_EQ(spec.class_shares.size(), row.classes) << row.name;
    EXPECT_EQ(spec.seed, 0U);
  }
  EXPECT_EQ(synthetic_names().front(), "citation");
}

/// The published shares of edges within a class, and the sizes of the classes.
TEST(ParseSynthetic, KnowsTheClassesOfTheBenchmarks) {
  const auto spec = [](const std::string& name) { return parse_synthetic("synthetic:" + name); };
  EXPECT_EQ(spec("cora").class_shares, (std::vector<double>{351, 217, 418, 818, 426, 298, 180}));
  EXPECT_EQ(spec("pubmed").class_shares, (std::vector<double>{4'103, 7'739, 7'875}));
  EXPECT_EQ(spec("cora").homophily, 0.81);
  EXPECT_EQ(spec("pubmed").homophily, 0.80);
  EXPECT_EQ(spec("arxiv").homophily, 0.655);
  EXPECT_EQ(spec("products").homophily, 0.81);
  EXPECT_EQ(spec("reddit").homophily, 0.75);
}

TEST(ParseSynthetic, ScalesNodesAndEdges) {
  const GeneratorSpec tenth = parse_synthetic("synthetic:cora@0.1");
  EXPECT_EQ(tenth.nodes, 271);
  EXPECT_EQ(tenth.edges, 528);
  EXPECT_EQ(tenth.feature_count, 1'433);
  EXPECT_EQ(parse_synthetic("synthetic:arxiv@2.5").edges, 2'915'608);
  EXPECT_EQ(parse_synthetic("synthetic:cora@100").nodes, 270'800);
}

TEST(ParseSynthetic, SaysWhatIsWrong) {
  const auto fails = [](const char* text, std::initializer_list<std::string> parts) {
    test::expect_error([&] { parse_synthetic(text); }, parts);
  };
  fails("synthetic:core", {"unknown synthetic dataset", "'core'", "citation, cora, pubmed, arxiv",
                           "did you mean cora"});
  fails("synthetic:", {"unknown synthetic dataset", "products or reddit"});
  fails("cora", {"not a synthetic dataset", "synthetic:NAME@scale"});
  for (const char* scale : {"0", "-1", "100.5", "nan", "inf", "", "x", "0.5x", "1e999"}) {
    fails(("synthetic:cora@" + std::string(scale)).c_str(),
          {"synthetic:cora", "scale", "out of range", "above 0 and at most 100"});
  }
  fails("synthetic:cora@0.001", {"synthetic:cora@0.001", "too few nodes", "found 3", "56 or more"});
  fails("synthetic:reddit@0.002",
        {"cannot have that many distinct edges", "found 114,616", "larger scale"});
}

TEST(Generate, RefusesSpecsThatMeanNothing) {
  GeneratorSpec spec = parse_synthetic("synthetic:cora@0.1");
  spec.homophily = 1.5;
  test::expect_error([&] { generate(Context(), spec); }, {"homophily", "found 1.5", "0 to 1"});
  spec = parse_synthetic("synthetic:cora@0.1");
  spec.class_shares.clear();
  test::expect_error([&] { generate(Context(), spec); }, {"no classes"});
  spec = parse_synthetic("synthetic:cora@0.1");
  spec.degree_exponent = std::nan("");
  test::expect_error([&] { generate(Context(), spec); }, {"degree_exponent", "out of range"});
}

TEST(Generate, MeetsItsPromisesOnEveryName) {
  for (const char* name :
       {"synthetic:citation", "synthetic:cora", "synthetic:pubmed@0.2", "synthetic:arxiv@0.02",
        "synthetic:products@0.001", "synthetic:reddit@0.005", "synthetic:cora@3"}) {
    SCOPED_TRACE(name);
    const GeneratorSpec spec = parse_synthetic(name);
    const Graph graph = make(name);
    EXPECT_NO_THROW(validate(graph, name));
    EXPECT_EQ(graph.name, name);
    EXPECT_FALSE(graph.directed);
    EXPECT_EQ(graph.nodes(), spec.nodes);
    EXPECT_EQ(graph.adjacency.nonzeros(), 2 * spec.edges);
    EXPECT_EQ(flaws(graph.adjacency), 0);
    EXPECT_EQ(feature_cols(graph.features), spec.feature_count);
    EXPECT_EQ(graph.classes(), static_cast<std::int32_t>(spec.class_shares.size()));
    EXPECT_TRUE(std::none_of(graph.labels.begin(), graph.labels.end(),
                             [](std::int32_t label) { return label == unlabelled; }));
    const std::vector<std::int64_t> degree = degrees(graph);
    EXPECT_GE(*std::min_element(degree.begin(), degree.end()), 1) << "an isolated node";
  }
}

TEST(Generate, IsTheSameForAnyNumberOfThreads) {
  for (const char* name : {"synthetic:citation", "synthetic:pubmed@0.1", "synthetic:arxiv@0.02"}) {
    const std::uint64_t one = fingerprint(make(name, 1));
    EXPECT_EQ(one, fingerprint(make(name, 2))) << name;
    EXPECT_EQ(one, fingerprint(make(name, 5))) << name;
  }
}

TEST(Generate, TheSpecsSeedDecidesNotTheRuns) {
  const Context context({.threads = 1, .seed = 1});
  GeneratorSpec spec = parse_synthetic("synthetic:citation");
  const std::uint64_t zero = fingerprint(generate(context, spec));
  EXPECT_EQ(zero, fingerprint(generate(context.with_seed(2), spec)));
  spec.seed = 1;
  const Graph other = generate(context, spec);
  EXPECT_NE(zero, fingerprint(other));
  EXPECT_EQ(other.adjacency.nonzeros(), 2 * spec.edges);
}

TEST(Generate, TheDefaultDatasetNeverChanges) {
  // Every published figure on it would change too.
  EXPECT_EQ(fingerprint(make("synthetic:citation")), 0x2af6f26414ef55afULL);
}

TEST(Generate, DegreesHaveAHeavyTail) {
  for (const char* name : {"synthetic:citation", "synthetic:pubmed@0.3", "synthetic:arxiv@0.05"}) {
    SCOPED_TRACE(name);
    std::vector<std::int64_t> degree = degrees(make(name));
    std::sort(degree.begin(), degree.end());
    const double mean = static_cast<double>(std::accumulate(degree.begin(), degree.end(), 0LL)) /
                        static_cast<double>(degree.size());
    EXPECT_GT(static_cast<double>(degree.back()), 8 * mean);
    EXPECT_LT(static_cast<double>(degree[degree.size() / 2]), mean);
    // Hill's estimate of the tail's exponent over the top 2 %: a power law, not an exponential
    // (whose estimate grows with the threshold: here it would be well above 5).
    const std::size_t top = degree.size() / 50;
    const auto threshold = static_cast<double>(degree[degree.size() - top - 1]);
    double sum = 0;
    for (std::size_t i = degree.size() - top; i < degree.size(); ++i) {
      sum += std::log(static_cast<double>(degree[i]) / threshold);
    }
    EXPECT_GT(static_cast<double>(top) / sum, 0.8);
    EXPECT_LT(static_cast<double>(top) / sum, 4.0);
  }
}

TEST(Generate, HomophilyIsNearItsTarget) {
  for (const char* name : {"synthetic:citation", "synthetic:cora", "synthetic:pubmed@0.2",
                           "synthetic:arxiv@0.05", "synthetic:products@0.002"}) {
    EXPECT_NEAR(homophily(make(name)), parse_synthetic(name).homophily, 0.05) << name;
  }
  GeneratorSpec spec = parse_synthetic("synthetic:cora");
  spec.label_noise = 0;
  spec.homophily = 1;
  EXPECT_EQ(homophily(generate(Context(), spec)), 1);
  spec.homophily = 0;
  EXPECT_EQ(homophily(generate(Context(), spec)), 0);
}

TEST(Generate, ClassesHaveTheirShares) {
  GeneratorSpec spec = parse_synthetic("synthetic:cora");
  spec.label_noise = 0;
  const Graph graph = generate(Context(), spec);
  std::vector<std::int64_t> sizes(7, 0);
  for (const std::int32_t label : graph.labels) ++sizes[static_cast<std::size_t>(label)];
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{351, 217, 418, 818, 426, 298, 180}));
}

TEST(Generate, WordsAreBinaryOrWeighted) {
  const Graph cora = make("synthetic:cora");
  const auto& words = std::get<CsrMatrix>(cora.features);
  EXPECT_TRUE(words.values.empty());
  EXPECT_NEAR(static_cast<double>(words.nonzeros()) / 2708, 18, 0.7);
  const Graph pubmed = make("synthetic:pubmed@0.1");
  const auto& weights = std::get<CsrMatrix>(pubmed.features);
  EXPECT_NEAR(static_cast<double>(weights.nonzeros()) / static_cast<double>(pubmed.nodes()), 48, 2);
  ASSERT_EQ(weights.values.size(), weights.nonzeros());
  EXPECT_TRUE(std::all_of(weights.values.begin(), weights.values.end(),
                          [](float x) { return x > 0 && x < 10; }));
  for (const CsrMatrix* matrix : {&words, &weights}) {
    for (std::int64_t r = 0; r < matrix->rows; ++r) {
      const auto row = matrix->row(r);
      ASSERT_FALSE(row.empty());
      ASSERT_EQ(std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()), row.end());
    }
  }
}

// Share of test nodes nearest (by cosine) to the mean features of their class's training nodes.
double centroid_accuracy(const Graph& graph) {
  const DenseMatrix x = to_dense(graph.features);
  const auto cols = static_cast<std::size_t>(x.cols);
  std::vector<std::vector<double>> centres(static_cast<std::size_t>(graph.classes()),
                                           std::vector<double>(cols, 0));
  const Split& split = graph.splits.front();
  for (const std::int32_t node : split.train) {
    for (std::size_t c = 0; c < cols; ++c) {
      centres[static_cast<std::size_t>(graph.labels[node])][c] += x.row(node)[c];
    }
  }
  int right = 0;
  for (const std::int32_t node : split.test) {
    std::vector<double> score;
    for (const auto& centre : centres) {
      double dot = 0;
      double norm = 1e-9;
      for (std::size_t c = 0; c < cols; ++c) {
        dot += centre[c] * x.row(node)[c];
        norm += centre[c] * centre[c];
      }
      score.push_back(dot / std::sqrt(norm));
    }
    const auto best = std::max_element(score.begin(), score.end()) - score.begin();
    right += best == graph.labels[node] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(split.test.size());
}

TEST(Generate, FeaturesTellOfTheClassButNotAll) {
  for (const char* name : {"synthetic:citation", "synthetic:pubmed@0.1", "synthetic:arxiv@0.02"}) {
    const double accuracy = centroid_accuracy(make(name));
    EXPECT_GT(accuracy, 0.4) << name;
    EXPECT_LT(accuracy, 0.85) << name;
  }
}

TEST(Generate, TheStoredSplitIsTheBenchmarksKind) {
  const Graph citation = make("synthetic:citation");
  ASSERT_EQ(citation.splits.size(), 1U);
  const Split& split = citation.splits[0];
  EXPECT_EQ(split.name, "public");
  EXPECT_EQ(split.val.size(), 500);
  EXPECT_EQ(split.test.size(), 1000);
  std::map<std::int32_t, int> train;
  for (const std::int32_t node : split.train) ++train[citation.labels[node]];
  ASSERT_EQ(train.size(), 7U);
  for (const auto& [label, count] : train) EXPECT_EQ(count, 20) << label;

  const Graph small = make("synthetic:cora@0.1");
  const Split& fractions = small.splits[0];
  EXPECT_EQ(fractions.train.size() + fractions.val.size() + fractions.test.size(), 271);
  EXPECT_NEAR(static_cast<double>(fractions.train.size()), 271 * 0.2, 7);
  EXPECT_NEAR(static_cast<double>(fractions.val.size()), 271 * 0.3, 7);

  const Graph arxiv = make("synthetic:arxiv@0.01");  // 1,693 nodes
  EXPECT_EQ(arxiv.splits[0].name, "public");
  EXPECT_EQ(arxiv.splits[0].train.size(), 914);
  EXPECT_EQ(arxiv.splits[0].val.size(), 304);
  EXPECT_EQ(arxiv.splits[0].test.size(), 475);
}

}  // namespace
}  // namespace creg::generators_test
