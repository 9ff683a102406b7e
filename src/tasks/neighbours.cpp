#include "creg/tasks/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/memory_limits.h"
#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "tasks/embedding_rows.h"
#include "tasks/neighbours/exact_search.h"
#include "tasks/neighbours/index.h"

namespace creg {
namespace {

using tasks::ExactSearch;
using tasks::Found;

// Lists of all nodes at a time up to here: one pass then meets each pair once. Beyond, nodes come
// some at a time, and meet all others.
constexpr std::int64_t most_list_bytes = std::int64_t{1} << 30;
constexpr std::int64_t list_place_bytes = sizeof(std::int32_t) + sizeof(float);
constexpr std::int64_t nodes_at_once_cpu = 2048;
constexpr std::int64_t nodes_at_once_gpu = 32768;
constexpr std::int64_t places_at_once = std::int64_t{1} << 24;
// What a first block has: nodes that meet each other, or nodes per thread that meet all.
constexpr std::int64_t block_nodes = 4096;
constexpr std::int64_t round_nodes = 128;
constexpr std::int64_t mark_grain = 64;
// What the index is to find of the neighbours of some nodes; others then tell what it does find.
constexpr double wanted_recall = 0.95;
constexpr std::int64_t tuning_nodes = 200;
constexpr std::int64_t judged_nodes = 500;
// Of one as similar as the last exact neighbour, in another order of summation.
constexpr float same_score = 1e-5F;

/// The `wide` most similar others of these nodes.
using Search = std::function<Found(std::span<const std::int32_t> nodes, std::int64_t wide)>;

bool joined(const Graph& graph, std::int32_t u, std::int32_t v) {
  const auto lists = [&](std::int32_t from, std::int32_t to) {
    const auto row = graph.adjacency.row(from);
    return std::find(row.begin(), row.end(), to) != row.end();
  };
  return lists(u, v) || lists(v, u);
}

void check_k(std::int64_t k, std::int64_t nodes) {
  if (k >= 1 && k < nodes) return;
  fail_input({.what = "k, the number of neighbours, is out of range",
              .found = std::to_string(k),
              .expected = nodes > 1 ? fmt::format("1 to {}, all other nodes", nodes - 1)
                                    : "an embedding of more nodes"});
}

void check(const Graph* graph, const DenseMatrix& embedding, const NeighbourOptions& options) {
  if (graph != nullptr) tasks::check_rows(*graph, embedding);
  if (graph == nullptr && options.graph_neighbours == GraphNeighbours::exclude) {
    fail_input({.what = "neighbours in the graph can only be left out where there is a graph",
                .expected = "the dataset that the embedding was made of"});
  }
  check_k(options.k, embedding.rows);
}

/// Turns what a search found into lists: marks what the graph joins, or leaves it out and asks for
/// more where too few remain.
class Lists {
 public:
  Lists(const Context& context, const Graph* graph, std::int64_t others,
        const NeighbourOptions& options)
      : context_(context), graph_(graph), others_(others), options_(options) {}

  /// How much to ask for at first.
  std::int64_t width() const { return excludes() ? std::min(2 * options_.k, others_) : options_.k; }

  /// `found` are the first answers for these nodes, of width(); `more` has wider ones.
  NeighbourLists of(std::span<const std::int32_t> nodes, const Found& found,
                    const Search& more) const {
    NeighbourLists lists{.k = options_.k, .nodes = {nodes.begin(), nodes.end()}};
    const std::size_t places = nodes.size() * static_cast<std::size_t>(lists.k);
    lists.neighbours.assign(places, -1);
    lists.scores.assign(places, -std::numeric_limits<float>::infinity());
    if (graph_ != nullptr) lists.edges.assign(places, 0);
    std::vector<std::int64_t> rows(nodes.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<std::int64_t> open = fill(lists, rows, found);
    for (std::int64_t wide = found.wide; !open.empty();) {
      wide = std::min(4 * wide, others_);
      std::vector<std::int64_t> left;
      const std::size_t share =
          static_cast<std::size_t>(std::max<std::int64_t>(1, places_at_once / wide));
      for (std::size_t first = 0; first < open.size(); first += share) {
        const std::span<const std::int64_t> part =
            std::span(open).subspan(first, std::min(share, open.size() - first));
        std::vector<std::int32_t> asked;
        for (const std::int64_t i : part) asked.push_back(nodes[static_cast<std::size_t>(i)]);
        const std::vector<std::int64_t> again = fill(lists, part, more(asked, wide));
        left.insert(left.end(), again.begin(), again.end());
      }
      open = std::move(left);
    }
    return lists;
  }

 private:
  bool excludes() const { return options_.graph_neighbours == GraphNeighbours::exclude; }

  /// Fills these rows of the lists; returns those that want a wider search.
  std::vector<std::int64_t> fill(NeighbourLists& lists, std::span<const std::int64_t> rows,
                                 const Found& found) const {
    std::vector<std::uint8_t> is_short(rows.size(), 0);
    parallel_for(context_, 0, static_cast<std::int64_t>(rows.size()), mark_grain,
                 [&](std::int64_t first, std::int64_t last) {
                   for (std::int64_t i = first; i < last; ++i) {
                     const std::int64_t row = rows[static_cast<std::size_t>(i)];
                     const bool full = fill_row(lists, row, found, i);
                     is_short[static_cast<std::size_t>(i)] =
                         excludes() && !full && found.wide < others_ ? 1 : 0;
                   }
                 });
    std::vector<std::int64_t> open;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (is_short[i] != 0) open.push_back(rows[i]);
    }
    return open;
  }

  bool fill_row(NeighbourLists& lists, std::int64_t row, const Found& found,
                std::int64_t from) const {
    const std::int32_t node = lists.nodes[static_cast<std::size_t>(row)];
    std::int64_t place = 0;
    const std::int64_t begin = found.start + from * found.wide;
    for (std::int64_t j = begin; j < begin + found.wide && place < lists.k; ++j) {
      const std::int32_t other = found.neighbours[j];
      if (other < 0) break;
      const bool edge = graph_ != nullptr && joined(*graph_, node, other);
      if (edge && excludes()) continue;
      const std::size_t at = lists.at(row, place++);
      lists.neighbours[at] = other;
      lists.scores[at] = found.scores[j];
      if (edge) lists.edges[at] = 1;
    }
    return place == lists.k;
  }

  const Context& context_;
  const Graph* graph_;
  std::int64_t others_;
  const NeighbourOptions& options_;
};

/// The index has the rows once more, and a number for each.
void check_memory_of_index(const DenseMatrix& embedding) {
  const std::int64_t bytes =
      embedding.rows * (embedding.cols * std::int64_t{sizeof(float)} + std::int64_t{8});
  const MemoryLimit left = memory_left();
  if (bytes <= left.bytes) return;
  fail_environment(
      {.what = "an index of the embedding needs more memory than there is",
       .found = human_bytes(bytes),
       .expected = fmt::format("{} at most, by {}", human_bytes(left.bytes), left.name),
       .hint = "--exact needs none: it compares all nodes with all"});
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// At most `count` of n nodes, evenly spaced, the first of them `part` of such a space behind 0.
std::vector<std::int32_t> spaced_nodes(std::int64_t n, std::int64_t count, double part) {
  count = std::min(n, count);
  std::vector<std::int32_t> nodes;
  for (std::int64_t i = 0; i < count; ++i) {
    nodes.push_back(static_cast<std::int32_t>((static_cast<double>(i) + part) *
                                              static_cast<double>(n) / static_cast<double>(count)));
  }
  return nodes;
}

/// All nodes, some at a time.
class AllNodes {
 public:
  AllNodes(const Context& context, const Graph* graph, const DenseMatrix& embedding,
           const NeighbourOptions& options, const std::function<void(const NeighbourLists&)>& take)
      : context_(context),
        quiet_({.device = context.device(),
                .precision = context.precision(),
                .threads = context.threads(),
                .seed = context.seed(),
                .log = context.options().log,
                .stop = context.options().stop}),
        embedding_(embedding),
        n_(embedding.rows),
        options_(options),
        take_(take),
        exact_(context, embedding, options.similarity),
        lists_(context, graph, n_ - 1, options),
        more_([this](std::span<const std::int32_t> nodes, std::int64_t wide) {
          return exact_.of_nodes(quiet_, nodes, wide);
        }) {}

  NeighbourSummary exactly() const {
    const bool gpu = context_.device().type == DeviceType::cuda;
    const bool at_once = !gpu && n_ * lists_.width() * list_place_bytes <= most_list_bytes;
    say(fmt::format("the exact neighbours of {} take about {}", counted(n_, "node"),
                    human_seconds(at_once ? seconds_at_once() : seconds_in_rounds(gpu))));
    if (at_once) {
      const Found found = exact_.of_all(lists_.width());
      for_rounds("", nodes_at_once_cpu, [&](std::span<const std::int32_t> nodes) {
        Found part = found;
        part.start = nodes.front() * found.wide;
        return part;
      });
    } else {
      for_rounds("most similar nodes", gpu ? nodes_at_once_gpu : nodes_at_once_cpu,
                 [&](std::span<const std::int32_t> nodes) { return more_(nodes, lists_.width()); });
    }
    return {};
  }

  NeighbourSummary by_index() const {
    check_memory_of_index(embedding_);
    say(fmt::format("making an index of {}", counted(n_, "node")));
    tasks::NeighbourIndex index(context_, embedding_, options_.similarity);
    tune(index);
    const std::vector<std::int32_t> nodes = spaced_nodes(n_, judged_nodes, 0.5);
    const Found truth = more_(nodes, options_.k);
    const Stopwatch watch;
    const Found found = search(index, nodes, lists_.width());
    const double all =
        watch.seconds() * static_cast<double>(n_) / static_cast<double>(nodes.size());
    const double recall = recall_of(found, truth);
    say(fmt::format(
        "the index finds {:.1f} % of the exact neighbours of {}, evenly spaced; all take about {}",
        100 * recall, counted(static_cast<std::int64_t>(nodes.size()), "node"),
        human_seconds(all)));
    for_rounds("most similar nodes", nodes_at_once_cpu, [&](std::span<const std::int32_t> round) {
      return search(index, round, lists_.width());
    });
    return {.approximate = true,
            .recall = recall,
            .recall_nodes = static_cast<std::int64_t>(nodes.size())};
  }

 private:
  void say(const std::string& line) const { context_.log().write(LogLevel::info, line); }

  /// What a pass over all pairs will take, by one over those of some nodes.
  double seconds_at_once() const {
    const std::vector<std::int32_t> nodes =
        spaced_nodes(n_, std::min(block_nodes, std::max(n_ / 4, options_.k + 1)), 0);
    std::vector<float> values;
    for (const std::int32_t node : nodes) {
      const auto row = embedding_.row(node);
      values.insert(values.end(), row.begin(), row.end());
    }
    const auto count = static_cast<std::int64_t>(nodes.size());
    const DenseMatrix rows{.rows = count, .cols = embedding_.cols, .values = std::move(values)};
    const ExactSearch some(quiet_, rows, options_.similarity);
    const double share = static_cast<double>(n_) / static_cast<double>(count);
    return share * share * second_time([&] {
             static_cast<void>(some.of_all(std::min(lists_.width(), count - 1)));
           });
  }

  /// What comparing all nodes with all will take, by comparing some.
  double seconds_in_rounds(bool gpu) const {
    const std::vector<std::int32_t> nodes =
        spaced_nodes(n_, gpu ? nodes_at_once_gpu : round_nodes * context_.threads(), 0);
    return static_cast<double>(n_) / static_cast<double>(nodes.size()) *
           second_time([&] { static_cast<void>(more_(nodes, lists_.width())); });
  }

  /// The first time wakes threads up and takes memory.
  template <class Work>
  static double second_time(const Work& work) {
    work();
    const Stopwatch watch;
    work();
    return watch.seconds();
  }

  /// Hands over the lists of all nodes. Without a label nothing is shown: the work is done.
  template <class First>
  void for_rounds(const std::string& label, std::int64_t most, const First& first_of) const {
    const std::int64_t at_once =
        std::max<std::int64_t>(1, std::min(most, places_at_once / lists_.width()));
    const Context& shown = label.empty() ? quiet_ : context_;
    ProgressTask progress(shown, label, n_, "nodes");
    std::vector<std::int32_t> nodes;
    for (std::int64_t first = 0; first < n_; first += at_once) {
      nodes.resize(static_cast<std::size_t>(std::min(at_once, n_ - first)));
      std::iota(nodes.begin(), nodes.end(), static_cast<std::int32_t>(first));
      take_(lists_.of(nodes, first_of(std::span<const std::int32_t>(nodes)), more_));
      progress.advance(static_cast<std::int64_t>(nodes.size()));
    }
    progress.finish();
  }

  static Found search(const tasks::NeighbourIndex& index, std::span<const std::int32_t> nodes,
                      std::int64_t wide) {
    const std::int64_t places = static_cast<std::int64_t>(nodes.size()) * wide;
    Buffer<std::int32_t> neighbours(places);
    Buffer<float> scores(places);
    index.search(nodes, wide, neighbours.data(), scores.data());
    return {.wide = wide, .neighbours = std::move(neighbours), .scores = std::move(scores)};
  }

  /// Twice as many lists, until enough is found.
  void tune(tasks::NeighbourIndex& index) const {
    const std::vector<std::int32_t> nodes = spaced_nodes(n_, tuning_nodes, 0);
    const Found truth = more_(nodes, options_.k);
    for (std::int64_t lists = 1;; lists *= 2) {
      context_.throw_if_stopped();
      index.look_through(std::min(lists, index.lists()));
      if (lists >= index.lists() ||
          recall_of(search(index, nodes, options_.k), truth) >= wanted_recall) {
        return;
      }
    }
  }

  /// Of the first options.k places.
  double recall_of(const Found& found, const Found& truth) const {
    const std::int64_t count = truth.neighbours.size() / truth.wide;
    std::int64_t hits = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const float last = truth.scores[i * truth.wide + options_.k - 1];
      const float least = last - same_score * std::max(1.0F, std::abs(last));
      for (std::int64_t j = i * found.wide; j < i * found.wide + options_.k; ++j) {
        if (found.neighbours[j] >= 0 && found.scores[j] >= least) ++hits;
      }
    }
    return static_cast<double>(hits) / static_cast<double>(count * options_.k);
  }

  const Context& context_;
  Context quiet_;
  const DenseMatrix& embedding_;
  std::int64_t n_;
  const NeighbourOptions& options_;
  const std::function<void(const NeighbourLists&)>& take_;
  ExactSearch exact_;
  Lists lists_;
  Search more_;
};

bool by_index(const Context& context, const DenseMatrix& embedding, NeighbourSearch search) {
  if (search == NeighbourSearch::approximate && !tasks::has_neighbour_index()) {
    fail_input({.what = "this build has no index of neighbours: it was made without faiss",
                .file = "--approximate",
                .expected = "a build with Debian's libfaiss-dev and libtorch-dev",
                .hint = "creg info tells what is in; without the flag the search is exact"});
  }
  return search == NeighbourSearch::approximate ||
         (search == NeighbourSearch::automatic && tasks::has_neighbour_index() &&
          context.device().type == DeviceType::cpu && embedding.rows > most_exact_nodes);
}

}  // namespace

NeighbourLists neighbours(const Context& context, const Graph* graph, const DenseMatrix& embedding,
                          std::span<const std::int32_t> nodes, const NeighbourOptions& options) {
  check(graph, embedding, options);
  for (const std::int32_t node : nodes) {
    if (node >= 0 && node < embedding.rows) continue;
    fail_input({.what = "there is no such node",
                .found = std::to_string(node),
                .expected = fmt::format("0 to {}", embedding.rows - 1)});
  }
  const Lists lists(context, graph, embedding.rows - 1, options);
  if (nodes.empty()) return lists.of(nodes, {.wide = lists.width()}, nullptr);
  const ExactSearch exact(context, embedding, options.similarity);
  const Search search = [&](std::span<const std::int32_t> some, std::int64_t wide) {
    return exact.of_nodes(context, some, wide);
  };
  return lists.of(nodes, search(nodes, lists.width()), search);
}

NeighbourSummary all_neighbours(const Context& context, const Graph* graph,
                                const DenseMatrix& embedding, const NeighbourOptions& options,
                                const std::function<void(const NeighbourLists&)>& take) {
  check(graph, embedding, options);
  const bool approximate = by_index(context, embedding, options.search);
  const AllNodes all(context, graph, embedding, options, take);
  return approximate ? all.by_index() : all.exactly();
}

}  // namespace creg
