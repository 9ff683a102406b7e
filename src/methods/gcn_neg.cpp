// GCN-neg: both ends of every edge of the graph are pulled together, as many random pairs without
// an edge pushed apart.
#include <torch/types.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "creg/contrast/pairs.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "graph/part_non_edges.h"
#include "nn/part_exchange.h"
#include "ops/csr.h"
#include "ops/edge_loss.h"
#include "ops/pair_sources.h"
#include "ops/tensors.h"

namespace creg {
namespace {

[[noreturn]] void fail_no_edges() {
  fail_input({.what = "the graph has no edges, so gcn-neg has no pairs",
              .file = "method",
              .found = "gcn-neg",
              .hint = "--method lc --positives global needs none"});
}

/// What starts from the own nodes of a part: its edges, and non-edges drawn anew in every step.
class PartPairs {
 public:
  explicit PartPairs(const GraphInputs& inputs) : part_(*inputs.part) {
    const CsrMatrix adjacency = host_csr(inputs.adjacency);
    const auto numbers = host_array<std::int32_t>(inputs.numbers);
    CsrMatrix here{.rows = adjacency.rows, .cols = adjacency.cols};
    CsrMatrix everywhere{.rows = adjacency.rows, .cols = part_.nodes()};
    std::vector<std::int64_t> offsets = {0};
    std::vector<std::int32_t> columns;
    std::vector<std::int32_t> nodes;
    for (std::int64_t r = 0; r < adjacency.rows; ++r) {
      for (const std::int32_t c : adjacency.row(r)) {
        if (c == r) continue;
        columns.push_back(c);
        nodes.push_back(numbers[c]);
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
    here.offsets = everywhere.offsets = std::move(offsets);
    here.columns = std::move(columns);
    everywhere.columns = std::move(nodes);
    edges_ = csr_tensors(Context(Context::Options{.threads = 1}), here);
    const at::Tensor own = inputs.numbers.narrow(0, 0, adjacency.rows);
    non_edges_ = std::make_unique<PartNonEdges>(part_.nodes(), host_array<std::int32_t>(own),
                                                std::move(everywhere));
    entries_ = part_.ranks()
                   .gather(at::full({1}, edges_.nonzeros(), at::kLong))
                   .sum()
                   .item<std::int64_t>();
    check_non_edges();
  }

  const CsrTensors& edges() const { return edges_; }

  struct Apart {
    at::Tensor nodes;  ///< int32: numbers of those that pairs lead to
    CsrTensors pairs;  ///< [own, nodes]
  };
  /// `negatives` non-edges for every direction of every edge of the graph, of which these start
  /// here.
  Apart draw(const Context& context, int negatives, std::uint64_t seed, std::uint32_t step) {
    PartNonEdges::Draw draw{.key = {seed, Purpose::negatives, step},
                            .count = entries_ * negatives,
                            .attempts = PartNonEdges::usual_attempts(part_.nodes(), entries_)};
    for (;; draw.attempts *= 2) {
      const at::Tensor found = tensor_on(context, non_edges_->on_edges(context, draw));
      const auto all = host_array<std::int64_t>(std::get<0>(at::sort(part_.lists_of_all(found))));
      std::optional<CsrMatrix> pairs = non_edges_->pairs(context, draw, all.span());
      // All ranks look at the same blocks and find the same ones short.
      if (pairs) return by_distinct(context, std::move(*pairs));
    }
  }

 private:
  void check_non_edges() const {
    if (entries_ == 0) fail_no_edges();
    // One process lists the non-edges of a graph that is nearly complete, to draw from the list.
    const auto pairs = static_cast<double>(part_.nodes()) * static_cast<double>(part_.nodes() - 1);
    if (pairs - static_cast<double>(entries_) >= static_cast<double>(entries_)) return;
    fail_input({.what =
                    "more nodes are joined than not, so that ranks with a part each do not find "
                    "non-edges",
                .file = "method",
                .found = "gcn-neg",
                .hint = "such a graph is small: train it in one process"});
  }

  static Apart by_distinct(const Context& context, CsrMatrix pairs) {
    std::vector<std::int32_t> nodes(pairs.columns.begin(), pairs.columns.end());
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<std::int32_t> places;
    places.reserve(static_cast<std::size_t>(pairs.nonzeros()));
    for (const std::int32_t node : pairs.columns) {
      places.push_back(static_cast<std::int32_t>(
          std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin()));
    }
    pairs.cols = static_cast<std::int64_t>(nodes.size());
    pairs.columns = std::move(places);
    return {index_tensor(std::move(nodes)), csr_tensors(context, pairs)};
  }

  PartExchange& part_;
  CsrTensors edges_;
  std::unique_ptr<PartNonEdges> non_edges_;
  std::int64_t entries_ = 0;  // of the whole graph, without loops
};

class GcnNeg final : public Method {
 public:
  GcnNeg(const MethodOptions& options, ParameterList& parameters)
      : options_(options.contrast), score_(options.contrast.score, options.dim, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    // What is kept of the first step's graph serves all steps.
    invariant(!pass.inputs().batch, "gcn-neg is not trained in batches");
    if (pass.inputs().part) return part_loss(pass);
    if (!pairs_) look_at(pass);
    const at::Tensor& h = pass.embedding();
    const at::Tensor anchors = score_.anchors(h);
    const double scale = 1 / options_.temperature;
    const EdgeLoss joined = edge_loss(anchors, h, pairs_->edges(), 1, scale, options_.log);
    const EdgeLoss apart = edge_loss(anchors, h, draw(pass), -1, scale, options_.log);
    // The mean over all pairs together; with one non-edge per edge both halves count the same.
    const double share = 1.0 / (1 + options_.negatives);
    return {joined.loss * share + apart.loss * (1 - share), joined.sigma, apart.sigma,
            pass.inputs().nodes};
  }

  bool needs_edges() const override { return true; }

  bool repeats(int /*epoch*/) const override { return true; }

 private:
  /// Of the edges and non-edges that start from own nodes.
  EpochLoss part_loss(EpochPass& pass) {
    if (!part_) part_ = std::make_unique<PartPairs>(pass.inputs());
    const at::Tensor& h = pass.embedding();
    const at::Tensor own = pass.nodes();
    const at::Tensor anchors = score_.anchors(own);
    const double scale = 1 / options_.temperature;
    const double share = 1.0 / (1 + options_.negatives);
    const PartPairs::Apart drawn =
        part_->draw(pass.context(), options_.negatives, pass.settings().seed, pass.settings().step);
    const at::Tensor others = pass.inputs().part->rows_of(own, drawn.nodes);
    const EdgeLoss joined =
        part_edge_loss(pass, anchors, h, part_->edges(), {.target = 1, .scale = scale});
    const EdgeLoss apart =
        part_edge_loss(pass, anchors, others, drawn.pairs, {.target = -1, .scale = scale});
    return {joined.loss * share + apart.loss * (1 - share), joined.sigma, apart.sigma,
            pass.inputs().nodes};
  }

  struct Side {
    int target = 1;
    double scale = 1;
  };
  EdgeLoss part_edge_loss(const EpochPass& pass, const at::Tensor& anchors, const at::Tensor& rows,
                          const CsrTensors& pairs, const Side& side) const {
    EdgeLoss out;
    if (pairs.nonzeros() == 0) {
      // There is no mean of nothing; the other ranks' shares are larger for it.
      out = {at::zeros({}, anchors.options()), at::zeros({}, anchors.options().dtype(at::kDouble))};
    } else {
      out = edge_loss(anchors, rows, pairs, side.target, side.scale, options_.log);
    }
    return {pass.share(out.loss, pairs.nonzeros()), pass.share(out.sigma, pairs.nonzeros())};
  }

  void look_at(const EpochPass& pass) {
    pairs_ = make_non_edge_source(pass.context(), pass.inputs().adjacency);
    if (pairs_->edges().nonzeros() == 0) fail_no_edges();
  }

  /// `negatives` non-edges for every direction of every edge.
  CsrTensors draw(const EpochPass& pass) const {
    return pairs_->draw(pass.context(), pairs_->edges().nonzeros() * options_.negatives,
                        pass.settings().seed, pass.settings().step);
  }

  ContrastOptions options_;
  PairScore score_;
  std::unique_ptr<NonEdgeSource> pairs_;  // of the graph, once it has been seen
  std::unique_ptr<PartPairs> part_;       // of a part of it likewise
};

}  // namespace

namespace methods {

namespace {

std::string parts_cannot_draw(const MethodOptions& /*options*/, bool directed) {
  return directed ? "takes edges both ways, and a part of a directed graph has those to its nodes"
                  : "";
}

}  // namespace

MethodEntry gcn_neg() {
  return {.name = "gcn-neg",
          .about = "a node with all its neighbours, against random non-edges",
          .encoders = all_graph_encoders(),
          .uses = {"score", "negatives", "temperature", "log"},
          .memory =
              [](const MethodOptions& options) {
                // Gradients of edges and of non-edges.
                return MethodMemory{.numbers_per_node = static_cast<double>(options.dim)};
              },
          .pairs = [](const MethodOptions& /*options*/) { return OwnPairs{"edges"}; },
          .make = made_by<GcnNeg>,
          .not_in_parts = parts_cannot_draw};
}

}  // namespace methods
}  // namespace creg
