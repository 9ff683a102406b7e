#include "graph/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "graph/synthetic/synthetic_blocks.h"
#include "graph/synthetic/synthetic_edges.h"
#include "graph/synthetic/synthetic_features.h"

namespace creg {
namespace {

constexpr std::string_view prefix = "synthetic:";
constexpr double largest_scale = 100;
constexpr std::int64_t fewest_nodes_per_class = 8;

using Nodes = std::vector<std::int32_t>;

// Class sizes that fall off as in the large benchmarks.
std::vector<double> falling_shares(int classes) {
  std::vector<double> shares;
  for (int c = 0; c < classes; ++c) shares.push_back(std::pow(c + 2.0, -0.8));
  return shares;
}

// Tuned so that methods differ on synthetic:citation (seed 0) as they do on Cora. Test accuracy on
// the public split, logistic regression with C = 1 on: raw features X, Â X, Â² X, and embeddings of
// a one-layer GCN of width 512 trained for 300 epochs, dot score, with and without Contrast-Reg:
//              X     Â X   Â² X   ML          ML + reg    LC          LC + reg    DGI
//   Cora       57.5  78.5  82.8   69.1 ± 2.6  82.8 ± 0.4  74.6 ± 0.9  83.3 ± 0.1  81.8 ± 0.6
//   citation   57.3  80.8  85.4   74.8 ± 2.8  84.8 ± 0.8  77.4 ± 2.9  84.7 ± 0.0  85.5 ± 0.2
// The knobs were searched (about 1,100 settings) for the first three columns on this very split and
// mostly this seed, so that match is fitted, not found: seeds 1 and 2 give X 54.2 and 59.0. Unlike
// on Cora, DGI comes out slightly above ML + reg. ML has 3 runs, LC and DGI have 2.
// What each knob does: sharp communities and weak classes make single documents hard to tell and
// keep Â² X from being easy; label noise makes whole neighbourhoods disagree with a label, as
// Cora's do (12 % of its nodes have mostly unlike neighbours); small communities give triangles
// (transitivity 0.09 in both).
GeneratorSpec citation_like() {
  GeneratorSpec spec;
  spec.homophily = 0.81;
  spec.community_share = 0.95;
  spec.community_nodes = 50;
  spec.degree_exponent = 1.4;
  spec.degree_cap = 200;
  spec.label_noise = 0.1;
  spec.features = SyntheticFeatures::bag_of_words;
  spec.words = 18;
  spec.background_share = 0.1;
  spec.class_sharpness = 0.84;
  spec.community_sharpness = 1.76;
  spec.off_topic = 0.1;
  return spec;
}

GeneratorSpec dense_like() {
  GeneratorSpec spec;
  spec.features = SyntheticFeatures::dense;
  spec.label_noise = 0.05;
  spec.class_sharpness = 0.25;
  spec.community_sharpness = 0.25;
  spec.off_topic = 0.1;
  spec.split = SyntheticSplit::random_54_18_28;
  return spec;
}

std::vector<GeneratorSpec> presets() {
  std::vector<GeneratorSpec> all;
  const auto add = [&all](std::string name, GeneratorSpec spec) -> GeneratorSpec& {
    spec.name = std::move(name);
    all.push_back(std::move(spec));
    return all.back();
  };
  {
    GeneratorSpec& spec = add("citation", citation_like());
    spec.nodes = 2'800;
    spec.edges = 5'600;
    spec.class_shares = {30, 16, 15, 13, 11, 8, 7};
    spec.feature_count = 1'400;
  }
  {
    GeneratorSpec& spec = add("cora", citation_like());
    spec.nodes = 2'708;
    spec.edges = 5'278;
    spec.class_shares = {351, 217, 418, 818, 426, 298, 180};
    spec.feature_count = 1'433;
  }
  {
    GeneratorSpec& spec = add("pubmed", citation_like());
    spec.nodes = 19'717;
    spec.edges = 44'324;
    spec.class_shares = {4'103, 7'739, 7'875};
    spec.feature_count = 500;
    spec.features = SyntheticFeatures::tf_idf;
    spec.homophily = 0.80;
    spec.words = 48;
    spec.community_nodes = 200;
    spec.class_sharpness = 0.7;
    spec.community_sharpness = 1.5;
    spec.off_topic = 0.15;
  }
  {
    GeneratorSpec& spec = add("arxiv", dense_like());
    spec.nodes = 169'343;
    spec.edges = 1'166'243;
    spec.class_shares = falling_shares(40);
    spec.feature_count = 128;
    spec.homophily = 0.655;
    spec.label_noise = 0.18;
    spec.class_sharpness = 0.3;
    spec.community_nodes = 400;
    spec.degree_exponent = 1.3;
    spec.degree_cap = 900;
  }
  {
    GeneratorSpec& spec = add("products", dense_like());
    spec.nodes = 2'449'029;
    spec.edges = 61'859'140;
    spec.class_shares = falling_shares(47);
    spec.feature_count = 100;
    spec.homophily = 0.81;
    spec.label_noise = 0.09;
    spec.community_nodes = 1'000;
    spec.degree_exponent = 1.5;
    spec.degree_cap = 340;
  }
  {
    GeneratorSpec& spec = add("reddit", dense_like());
    spec.nodes = 232'965;
    spec.edges = 57'307'946;
    spec.class_shares = falling_shares(41);
    spec.feature_count = 602;
    spec.homophily = 0.75;
    spec.community_share = 0.6;
    spec.community_nodes = 3'000;
    spec.degree_exponent = 1.5;
    spec.degree_cap = 45;
  }
  return all;
}

double parse_scale(std::string_view text, std::string_view scale) {
  double value = 0;
  const auto [end, error] = std::from_chars(scale.data(), scale.data() + scale.size(), value);
  const bool number = error == std::errc() && end == scale.data() + scale.size();
  if (!number || !(value > 0) || value > largest_scale) {
    fail_input({.what = "the scale of a synthetic dataset is out of range",
                .file = std::string(text.substr(0, text.find('@'))),
                .found = in_quotes(scale),
                .expected =
                    fmt::format("a number above 0 and at most {:g}, such as @0.1", largest_scale)});
  }
  return value;
}

std::string dataset_name(const GeneratorSpec& spec) {
  return std::string(prefix) + spec.name;
}

void check(const GeneratorSpec& spec) {
  const auto fail = [&](std::string what, std::string found, std::string expected,
                        std::string hint = {}) {
    fail_input({.what = std::move(what),
                .file = dataset_name(spec),
                .found = std::move(found),
                .expected = std::move(expected),
                .hint = std::move(hint)});
  };
  const auto classes = static_cast<std::int64_t>(spec.class_shares.size());
  if (classes < 1) fail("a synthetic graph has no classes", "0", "1 or more");
  const std::int64_t fewest = std::max<std::int64_t>(2, fewest_nodes_per_class * classes);
  if (spec.nodes < fewest) {
    fail("too few nodes for the classes of this synthetic graph", with_commas(spec.nodes),
         fmt::format("{} or more ({} for each of {} classes)", with_commas(fewest),
                     fewest_nodes_per_class, classes),
         "take a larger scale");
  }
  if (spec.nodes > max_nodes) {
    fail("too many nodes", with_commas(spec.nodes), "at most " + with_commas(max_nodes));
  }
  const std::int64_t pairs = spec.nodes * (spec.nodes - 1) / 2;
  if (spec.edges < 0 || spec.edges > pairs) {
    fail("a synthetic graph cannot have that many distinct edges", with_commas(spec.edges),
         fmt::format("0 to {}, the pairs of {} nodes", with_commas(pairs), with_commas(spec.nodes)),
         "take a larger scale");
  }
  const auto in_range = [&](std::string_view what, double value, double low, double high) {
    const bool inside = value >= low && value <= high;  // false for NaN too
    if (!inside) {
      fail(fmt::format("{} is out of range", what), fmt::format("{:g}", value),
           fmt::format("{:g} to {:g}", low, high));
    }
  };
  for (const double share : spec.class_shares) in_range("a class share", share, 1e-6, 1e12);
  in_range("homophily", spec.homophily, 0, 1);
  in_range("community_share", spec.community_share, 0, 1);
  in_range("community_nodes", static_cast<double>(spec.community_nodes), 1, 1e9);
  in_range("degree_exponent", spec.degree_exponent, 0.1, 10);
  in_range("degree_cap", spec.degree_cap, 1, 1e5);
  in_range("label_noise", spec.label_noise, 0, 0.9);
  in_range("feature_count", static_cast<double>(spec.feature_count), 1, 1e6);
  in_range("words", spec.words, 1, 1e5);
  in_range("background_share", spec.background_share, 0, 1);
  in_range("class_sharpness", spec.class_sharpness, 0, 10);
  in_range("community_sharpness", spec.community_sharpness, 0, 10);
  in_range("off_topic", spec.off_topic, 0, 1);
}

Split sorted_split(Nodes train, Nodes val, Nodes test) {
  for (Nodes* part : {&train, &val, &test}) std::sort(part->begin(), part->end());
  return {
      .name = "public", .train = std::move(train), .val = std::move(val), .test = std::move(test)};
}

Split random_split(std::span<const std::int32_t> order) {
  const std::size_t n_train = order.size() * 54 / 100;
  const std::size_t n_val = order.size() * 18 / 100;
  const auto val = order.begin() + static_cast<std::ptrdiff_t>(n_train);
  const auto test = val + static_cast<std::ptrdiff_t>(n_val);
  return sorted_split({order.begin(), val}, {val, test}, {test, order.end()});
}

Split planetoid_split(std::span<const std::int32_t> order, std::span<const std::int32_t> labels,
                      std::size_t classes) {
  constexpr std::size_t train_per_class = 20;
  constexpr std::size_t n_val = 500;
  constexpr std::size_t n_test = 1000;
  std::vector<Nodes> by_class(classes);
  for (const std::int32_t node : order) {
    by_class[static_cast<std::size_t>(labels[static_cast<std::size_t>(node)])].push_back(node);
  }
  const bool roomy = order.size() >= classes * train_per_class + n_val + n_test &&
                     std::all_of(by_class.begin(), by_class.end(), [](const Nodes& nodes) {
                       return nodes.size() >= 2 * train_per_class;
                     });
  Nodes train;
  Nodes val;
  Nodes test;
  if (roomy) {
    std::vector<std::size_t> taken(classes, 0);
    for (const std::int32_t node : order) {
      std::size_t& in_train =
          taken[static_cast<std::size_t>(labels[static_cast<std::size_t>(node)])];
      if (in_train < train_per_class) {
        train.push_back(node);
        ++in_train;
      } else if (val.size() < n_val) {
        val.push_back(node);
      } else if (test.size() < n_test) {
        test.push_back(node);
      }
    }
    return sorted_split(std::move(train), std::move(val), std::move(test));
  }
  for (const Nodes& nodes : by_class) {
    const std::size_t for_train = std::max<std::size_t>(1, nodes.size() / 5);
    const std::size_t for_val = std::max<std::size_t>(1, nodes.size() * 3 / 10);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      (i < for_train ? train : i < for_train + for_val ? val : test).push_back(nodes[i]);
    }
  }
  return sorted_split(std::move(train), std::move(val), std::move(test));
}

}  // namespace

std::vector<std::string> synthetic_names() {
  std::vector<std::string> names;
  for (const GeneratorSpec& spec : presets()) names.push_back(spec.name);
  return names;
}

GeneratorSpec parse_synthetic(std::string_view text) {
  const std::vector<std::string> names = synthetic_names();
  if (!text.starts_with(prefix)) {
    fail_input({.what = "this is not a synthetic dataset",
                .found = in_quotes(text),
                .expected = "synthetic:NAME or synthetic:NAME@scale, NAME one of " +
                            join_words(names, " or ")});
  }
  const std::string_view rest = text.substr(prefix.size());
  const std::size_t at = rest.find('@');
  const std::string_view name = rest.substr(0, at);
  std::vector<GeneratorSpec> all = presets();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const GeneratorSpec& spec) { return spec.name == name; });
  if (found == all.end()) {
    fail_input({.what = "unknown synthetic dataset",
                .found = in_quotes(name),
                .expected = join_words(names, " or "),
                .hint = suggestion(name, names)});
  }
  GeneratorSpec spec = std::move(*found);
  if (at != std::string_view::npos) {
    const double scale = parse_scale(text, rest.substr(at + 1));
    spec.nodes = std::llround(static_cast<double>(spec.nodes) * scale);
    spec.edges = std::llround(static_cast<double>(spec.edges) * scale);
    spec.name = std::string(rest);
  }
  check(spec);
  return spec;
}

Graph generate(const Context& context, const GeneratorSpec& spec) {
  check(spec);
  BlockModel blocks = make_blocks(context, spec);
  Graph graph;
  graph.name = dataset_name(spec);
  graph.adjacency = make_edges(context, spec, blocks);
  graph.features = make_features(context, spec, blocks);

  RandomStream stream(spec.seed, Purpose::node_split);
  const Nodes order = random_permutation(static_cast<std::int32_t>(spec.nodes), stream);
  graph.splits.push_back(spec.split == SyntheticSplit::planetoid
                             ? planetoid_split(order, blocks.labels, spec.class_shares.size())
                             : random_split(order));
  graph.labels = std::move(blocks.labels);
  return graph;
}

}  // namespace creg
