#include "creg/graph/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/log.h"
#include "creg/core/random.h"

namespace creg {
namespace {

using Nodes = std::vector<std::int32_t>;

constexpr std::int64_t train_per_class = 20;
constexpr std::int64_t val_per_class = 30;
constexpr std::int64_t largest_small_class = train_per_class + val_per_class;
constexpr std::int64_t val_in_all = 500;

struct Parts {
  Nodes train;
  Nodes val;
  Nodes test;
};

std::string subject(const Graph& graph) {
  return graph.name.empty() ? "the graph" : graph.name;
}

Nodes labelled_nodes(const Graph& graph) {
  Nodes nodes;
  for (std::int64_t i = 0; i < graph.labels.size(); ++i) {
    if (graph.labels[i] != unlabelled) nodes.push_back(static_cast<std::int32_t>(i));
  }
  return nodes;
}

// The first n_train nodes, the next n_val, the rest.
void deal(std::span<const std::int32_t> nodes, std::int64_t n_train, std::int64_t n_val,
          Parts& parts) {
  const auto train = nodes.subspan(0, static_cast<std::size_t>(n_train));
  const auto val =
      nodes.subspan(static_cast<std::size_t>(n_train), static_cast<std::size_t>(n_val));
  const auto test = nodes.subspan(static_cast<std::size_t>(n_train + n_val));
  parts.train.insert(parts.train.end(), train.begin(), train.end());
  parts.val.insert(parts.val.end(), val.begin(), val.end());
  parts.test.insert(parts.test.end(), test.begin(), test.end());
}

Parts random_parts(const Graph& graph, std::uint64_t seed, int index, std::int64_t train_percent,
                   std::int64_t val_percent) {
  Nodes nodes = labelled_nodes(graph);
  RandomStream stream(seed, Purpose::node_split, static_cast<std::uint32_t>(index), 0);
  shuffle(std::span<std::int32_t>(nodes), stream);
  const auto n = static_cast<std::int64_t>(nodes.size());
  Parts parts;
  deal(nodes, n * train_percent / 100, n * val_percent / 100, parts);
  return parts;
}

std::string class_label(const Graph& graph, std::size_t c) {
  return c < graph.class_names.size() ? in_quotes(graph.class_names[c]) : fmt::format("{}", c);
}

std::vector<Nodes> nodes_by_class(const Graph& graph) {
  std::vector<Nodes> by_class(static_cast<std::size_t>(graph.classes()));
  for (const std::int32_t node : labelled_nodes(graph)) {
    by_class[static_cast<std::size_t>(graph.labels[node])].push_back(node);
  }
  return by_class;
}

// Some of every class for training; of all others together 500 for validation.
Parts per_class_rest_parts(const Graph& graph, std::uint64_t seed, int index) {
  std::vector<Nodes> by_class = nodes_by_class(graph);
  Parts parts;
  Nodes rest;
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    Nodes& nodes = by_class[c];
    RandomStream stream(seed, Purpose::node_split, static_cast<std::uint32_t>(index), c);
    shuffle(std::span<std::int32_t>(nodes), stream);
    const auto n = static_cast<std::int64_t>(nodes.size());
    const std::int64_t n_train = std::min(train_per_class, (n + 1) / 2);
    parts.train.insert(parts.train.end(), nodes.begin(), nodes.begin() + n_train);
    rest.insert(rest.end(), nodes.begin() + n_train, nodes.end());
  }
  RandomStream stream(seed, Purpose::node_split, static_cast<std::uint32_t>(index),
                      by_class.size());
  shuffle(std::span<std::int32_t>(rest), stream);
  const std::int64_t n_val = std::min(val_in_all, static_cast<std::int64_t>(rest.size()) / 2);
  parts.val.assign(rest.begin(), rest.begin() + n_val);
  parts.test.assign(rest.begin() + n_val, rest.end());
  return parts;
}

Parts per_class_parts(const Context& context, const Graph& graph, std::string_view protocol,
                      std::uint64_t seed, int index, bool keep_small) {
  std::vector<Nodes> by_class = nodes_by_class(graph);
  Parts parts;
  std::vector<std::string> small;
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    Nodes& nodes = by_class[c];
    if (nodes.empty()) continue;
    const auto n = static_cast<std::int64_t>(nodes.size());
    const bool is_small = n <= largest_small_class;
    if (is_small) small.push_back(fmt::format("{} ({})", class_label(graph, c), n));
    if (is_small && !keep_small) continue;
    RandomStream stream(seed, Purpose::node_split, static_cast<std::uint32_t>(index), c);
    shuffle(std::span<std::int32_t>(nodes), stream);
    if (is_small) {
      const std::int64_t n_train = std::max<std::int64_t>(1, n / 5);
      const std::int64_t n_val = n - n_train >= 2 ? std::max<std::int64_t>(1, n * 3 / 10) : 0;
      deal(nodes, n_train, n_val, parts);
    } else {
      deal(nodes, train_per_class, val_per_class, parts);
    }
  }
  if (!small.empty()) {
    context.log().write(
        LogLevel::notice,
        fmt::format("{}: {} of {} nodes or fewer {}: {}", protocol,
                    small.size() == 1 ? "1 class" : fmt::format("{} classes", small.size()),
                    largest_small_class,
                    keep_small ? "split 20/30/50 % instead of 20 train, 30 val" : "left out",
                    join_words(small)));
  }
  return parts;
}

// "60/20/20" -> {60, 20, 20}.
std::array<double, 3> parse_proportions(std::string_view text) {
  std::array<double, 3> shares{};
  std::string_view rest = text;
  double total = 0;
  bool good = true;
  for (std::size_t i = 0; i < shares.size() && good; ++i) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), shares[i],
                                              std::chars_format::fixed);
    good = error == std::errc() && std::isfinite(shares[i]) && shares[i] >= 0;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (i + 1 < shares.size()) {
      good = good && rest.starts_with('/');
      if (good) rest.remove_prefix(1);
    }
    total += shares[i];
  }
  if (!good || !rest.empty() || !(total > 0) || !std::isfinite(total)) {
    fail_input({.what = "the parts of a by-id split are not three numbers",
                .file = "--protocol",
                .found = in_quotes(text),
                .expected = "train/val/test in any unit, such as by-id:60/20/20"});
  }
  return shares;
}

Parts by_id_parts(const Graph& graph, const std::array<double, 3>& shares) {
  const Nodes nodes = labelled_nodes(graph);
  const auto n = static_cast<std::int64_t>(nodes.size());
  const double total = shares[0] + shares[1] + shares[2];
  const auto count = [&](double share) {
    // 0.55 of 20 must be 11 although the product may land a hair below.
    return static_cast<std::int64_t>(std::floor(static_cast<double>(n) * (share / total) + 1e-9));
  };
  Parts parts;
  deal(nodes, count(shares[0]), count(shares[1]), parts);
  return parts;
}

Split finish(const Graph& graph, std::string_view protocol, Parts parts, bool wants_val) {
  const auto missing = parts.train.empty()              ? "train"
                       : wants_val && parts.val.empty() ? "val"
                       : parts.test.empty()             ? "test"
                                                        : "";
  if (*missing != '\0') {
    fail_input({.what = fmt::format("the {} part of split '{}' would be empty", missing, protocol),
                .file = subject(graph),
                .found = fmt::format("{} labelled nodes in {} classes",
                                     with_commas(std::count_if(
                                         graph.labels.begin(), graph.labels.end(),
                                         [](std::int32_t label) { return label != unlabelled; })),
                                     graph.classes()),
                .expected = "enough labelled nodes for every part"});
  }
  for (Nodes* part : {&parts.train, &parts.val, &parts.test}) std::sort(part->begin(), part->end());
  return {.name = std::string(protocol),
          .train = std::move(parts.train),
          .val = std::move(parts.val),
          .test = std::move(parts.test)};
}

std::vector<const Split*> stored_splits(const Graph& graph, std::string_view name) {
  std::vector<const Split*> found;
  for (const Split& split : graph.splits) {
    const std::string_view stored = split.name;
    if (stored == name || (stored.starts_with(name) && stored.substr(name.size()).starts_with('-')))
      found.push_back(&split);
  }
  // Files name their splits in their own ways: after a folder, a number, a file.
  if (found.empty() && (name == "public" || name == "ogb")) {
    for (const Split& split : graph.splits) found.push_back(&split);
  }
  return found;
}

std::string stored_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Split& split : graph.splits) names.push_back(in_quotes(split.name));
  return names.empty() ? "no stored split" : join_words(names);
}

// A stored split as it is, less nodes that turn out to have no label.
Split stored_split(const Context& context, const Graph& graph, std::string_view name, int index) {
  const std::vector<const Split*> found = stored_splits(graph, name);
  if (found.empty()) {
    fail_input({.what = fmt::format("there is no stored split '{}'", name),
                .file = subject(graph),
                .found = stored_names(graph),
                .hint = "choose a seeded protocol, such as per-class-20-30 or random-10-10-80"});
  }
  if (static_cast<std::size_t>(index) >= found.size()) {
    fail_input({.what = fmt::format("there is no stored split '{}' with this index", name),
                .file = subject(graph),
                .found = fmt::format("{}", index),
                .expected = fmt::format("0 to {}", found.size() - 1)});
  }
  Split split = *found[static_cast<std::size_t>(index)];
  if (!graph.has_labels()) return split;
  std::int64_t dropped = 0;
  for (Array<std::int32_t>* part : {&split.train, &split.val, &split.test}) {
    const auto has_label = [&](std::int32_t node) { return graph.labels[node] != unlabelled; };
    if (std::all_of(part->begin(), part->end(), has_label)) continue;
    Nodes kept;
    std::copy_if(part->begin(), part->end(), std::back_inserter(kept), has_label);
    dropped += part->size() - static_cast<std::int64_t>(kept.size());
    *part = std::move(kept);
  }
  if (dropped > 0) {
    context.log().write(LogLevel::notice,
                        fmt::format("split '{}': {} nodes without a label are in no part",
                                    split.name, with_commas(dropped)));
  }
  return split;
}

}  // namespace

std::vector<std::string> split_protocols() {
  return {"public",
          "ogb",
          "per-class-20-30",
          "per-class-20-30-keep-small",
          "per-class-20-500-ovr",
          "random-10-10-80",
          "random-60-20-20",
          "random-10-90-ovr",
          "by-id"};
}

std::optional<int> fixed_split_count(const Graph& graph, std::string_view protocol) {
  if (protocol == "by-id" || protocol.starts_with("by-id:")) return 1;
  const std::vector<std::string> known = split_protocols();
  const bool stored = protocol == "public" || protocol == "ogb" ||
                      std::find(known.begin(), known.end(), protocol) == known.end();
  const std::size_t count = stored ? stored_splits(graph, protocol).size() : 0;
  if (count == 0) return std::nullopt;
  return static_cast<int>(count);
}

Split make_split(const Context& context, const Graph& graph, std::string_view protocol,
                 std::uint64_t seed, int index) {
  if (index < 0) {
    fail_input({.what = "the index of a split is negative",
                .file = "--split",
                .found = fmt::format("{}", index),
                .expected = "0 or more"});
  }
  if (protocol == "public" || protocol == "ogb") {
    return stored_split(context, graph, protocol, index);
  }

  constexpr std::string_view by_id = "by-id";
  const bool is_by_id = protocol == by_id || protocol.starts_with("by-id:");
  const std::vector<std::string> known = split_protocols();
  if (!is_by_id && std::find(known.begin(), known.end(), protocol) == known.end()) {
    if (!stored_splits(graph, protocol).empty()) {
      return stored_split(context, graph, protocol, index);
    }
    std::vector<std::string> candidates = known;
    for (const Split& split : graph.splits) {
      if (std::ranges::find(known, split.name) == known.end()) candidates.push_back(split.name);
    }
    fail_input({.what = "unknown split protocol",
                .file = "--protocol",
                .found = in_quotes(protocol),
                .hint = suggestion(protocol, candidates)});
  }
  if (!graph.has_labels()) {
    fail_input({.what = fmt::format("split '{}' needs labels", protocol),
                .file = subject(graph),
                .found = "a graph without labels"});
  }

  if (is_by_id) {
    const auto shares = protocol == by_id ? std::array<double, 3>{1, 1, 1}
                                          : parse_proportions(protocol.substr(by_id.size() + 1));
    return finish(graph, protocol, by_id_parts(graph, shares), shares[1] > 0);
  }
  if (protocol == "random-10-10-80") {
    return finish(graph, protocol, random_parts(graph, seed, index, 10, 10), true);
  }
  if (protocol == "random-60-20-20") {
    return finish(graph, protocol, random_parts(graph, seed, index, 60, 20), true);
  }
  if (protocol == "random-10-90-ovr") {
    return finish(graph, protocol, random_parts(graph, seed, index, 10, 0), false);
  }
  if (protocol == "per-class-20-500-ovr") {
    return finish(graph, protocol, per_class_rest_parts(graph, seed, index), true);
  }
  const bool keep_small = protocol == "per-class-20-30-keep-small";
  return finish(graph, protocol, per_class_parts(context, graph, protocol, seed, index, keep_small),
                true);
}

}  // namespace creg
