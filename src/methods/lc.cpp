// LC: the positive of a node is one of its most similar neighbours, or the mean of the most similar
// nodes of all. A curriculum may start with the nodes whose similarities are clearest.
#include <torch/types.h>

#include "contrast/curriculum.h"
#include "core/text.h"
#include "creg/contrast/pairs.h"
#include "creg/core/error.h"
#include "creg/methods/method.h"
#include "methods/kept_state.h"
#include "methods/lc.h"
#include "ops/similarity.h"

namespace creg {
namespace {

class Lc final : public Method {
 public:
  Lc(const MethodOptions& options, ParameterList& parameters)
      : options_(options.contrast),
        positives_(options.own.choice<Positives>("positives")),
        k_(options.own.integer("k")),
        rounds_(static_cast<int>(options.own.integer("curriculum"))),
        epochs_(options.epochs),
        nodes_(options.nodes),
        score_(options.contrast.score, options.dim, parameters) {}

  EpochLoss loss(EpochPass& pass) override {
    const std::int64_t nodes = pass.inputs().nodes;
    const at::Tensor positives = select(pass);
    const NegativeRows others = pass.negatives(options_.negatives);
    const Pairs pairs = anchored_pairs(positives, others.negatives, anchors_of(pass.inputs()));
    const std::int64_t anchors = pairs.positives.size(0);
    // Those of others may have some; where nobody has any there is no edge, which is told before.
    const bool batch = pass.inputs().batch || pass.inputs().part != nullptr;
    if (anchors == 0 && pass.inputs().batch) return {pass.embedding().sum() * 0};
    if (anchors == 0 && !batch) {
      fail_input({.what = "no node has a neighbour, so LC has no pairs",
                  .file = "positives",
                  .found = name_of(positives_),
                  .hint = "take positives from all nodes: --positives global"});
    }
    if (!told_ && !batch && !seeds_.defined() && anchors < nodes) {
      told_ = true;
      pass.context().log().write(
          LogLevel::info,
          with_commas(nodes - anchors) + " nodes without neighbours are left out of the loss");
    }
    const PairLoss result = pair_loss(score_.anchors(pass.nodes()), others.rows, pairs,
                                      1 / options_.temperature, options_.log);
    return {pass.share(result.loss, anchors), pass.share(result.positive_sigma, anchors),
            pass.share(result.negative_sigma, anchors), anchors};
  }

  bool sees_neighbours() const override { return positives_ == Positives::neighbours; }

  bool needs_edges() const override { return sees_neighbours(); }

  double rate(int epoch) const override {
    return round_of(epoch, epochs_, rounds_, nodes_).number > 0 ? later_round_rate : 1;
  }

  bool starts_afresh(int epoch) const override {
    return rounds_ > 1 && epoch < epochs_ && round_of(epoch, epochs_, rounds_, nodes_).starts;
  }

  /// New seeds are looked at by the host.
  bool repeats(int epoch) const override { return !starts_afresh(epoch); }

  std::vector<NamedTensor> state() const override {
    if (!seeds_.defined()) return {};
    return {{"seeds", seeds_}};
  }

  bool steps_change_state() const override { return false; }

  void restore(const std::vector<NamedTensor>& state) override {
    if (state.empty()) return;
    const at::Tensor seeds = kept_tensor(state, "seeds", at::kInt, {-1});
    const bool some = seeds.numel() > 0 && seeds.numel() <= nodes_;
    if (!some || seeds.min().item<std::int32_t>() < 0 ||
        seeds.max().item<std::int32_t>() >= nodes_ || !seeds.diff().gt(0).all().item<bool>()) {
      fail_kept("seeds", "rising numbers of nodes");
    }
    take_seeds(seeds);
  }

 private:
  /// The positives of all nodes, from the embedding as it is; the seeds too where a round starts.
  at::Tensor select(EpochPass& pass) {
    const EpochPass::Settings& settings = pass.settings();
    const Context& context = pass.context();
    const std::int64_t nodes = pass.inputs().nodes;
    const at::Tensor h = pass.embedding().detach();
    const Round round = round_of(settings.epoch, epochs_, rounds_, nodes);
    const bool new_seeds = rounds_ > 1 && round.starts;
    at::Tensor positives;
    at::Tensor entropies;
    if (positives_ == Positives::global) {
      const SimilarityResult found =
          similarity_pass(context, pass.nodes().detach(),
                          {.k = std::min(k_, nodes), .entropies = new_seeds, .checked = new_seeds});
      positives = found.indices;
      entropies = found.entropies;
    } else {
      positives =
          draw_top_neighbour(context, h, pass.inputs().adjacency, static_cast<int>(k_),
                             Similarity::dot, settings.seed, settings.step, pass.inputs().numbers);
      if (new_seeds) entropies = row_entropies(context, h);
    }
    if (new_seeds) take_seeds(clearest_nodes(entropies, round.seeds));
    return positives;
  }

  void take_seeds(const at::Tensor& seeds) {
    seeds_ = seeds;
    joined_seeds_ = at::Tensor();
  }

  /// The nodes whose pairs count; undefined: all. A number comes to the host once per round.
  at::Tensor anchors_of(const GraphInputs& inputs) {
    const at::Tensor& joined = inputs.joined;
    if (positives_ == Positives::global || !joined.defined()) return seeds_;
    if (!seeds_.defined()) return joined;
    if (!joined_seeds_.defined()) {
      const at::Tensor is_joined = at::zeros({inputs.nodes}, joined.options().dtype(at::kBool))
                                       .index_fill(0, joined.to(at::kLong), true);
      joined_seeds_ = seeds_.masked_select(is_joined.index_select(0, seeds_));
    }
    return joined_seeds_;
  }

  ContrastOptions options_;
  Positives positives_;
  std::int64_t k_;
  int rounds_;  // of the curriculum; 0: none
  int epochs_;
  std::int64_t nodes_;
  PairScore score_;
  at::Tensor seeds_;         // undefined: all nodes
  at::Tensor joined_seeds_;  // those with a neighbour, once they have been looked for
  bool told_ = false;
};

void check_rounds(const MethodOptions& options) {
  const std::int64_t rounds = options.own.integer("curriculum");
  if (rounds > options.epochs) {
    fail_input({.what = "more rounds than epochs",
                .file = "curriculum",
                .found = std::to_string(rounds),
                .expected = "at most " + std::to_string(options.epochs)});
  }
  if (rounds > 1 && options.batch_size > 0) {
    fail_input({.what = "a curriculum ranks all nodes, which batches do not see together",
                .file = "curriculum",
                .found = std::to_string(rounds),
                .expected = "--curriculum 0, or --batch-size 0"});
  }
}

std::string parts_cannot(const MethodOptions& options, bool directed) {
  if (options.own.choice<Positives>("positives") == Positives::global) {
    return "compares all pairs of nodes with --positives global";
  }
  if (options.own.integer("curriculum") > 1) return "ranks all nodes with a --curriculum";
  return directed ? "takes positives at the other end of a directed edge, which is in another part"
                  : "";
}

MethodMemory memory_of_lc(const MethodOptions& options) {
  const bool all_pairs = options.own.choice<Positives>("positives") == Positives::global ||
                         options.own.integer("curriculum") > 1;
  if (!all_pairs) return {};
  constexpr std::int64_t blocks = std::int64_t{64} << 20;
  return {.more = {{"similarities, in blocks", 4 * options.nodes * options.dim +
                                                   options.nodes * options.own.integer("k") * 16 +
                                                   blocks}}};
}

}  // namespace

namespace methods {

MethodEntry lc() {
  return {
      .name = "lc",
      .about = "a node with its most similar neighbours (local clustering)",
      .encoders = all_graph_encoders(),
      .steps = StepsBy::neighbourhoods,
      .uses = {"score", "negatives", "temperature", "log"},
      .parameters = {own_choice("positives", Positives::neighbours,
                                "one of the k most similar graph neighbours, or the mean of the "
                                "k most similar nodes of all"),
                     own_integer("k", 5, 1, 1000, "how many most similar nodes"),
                     own_integer("curriculum", 0, 0, 1000,
                                 "rounds that take in more and more nodes, clearest first; 0: "
                                 "all from the start")},
      .in_batches = {{"curriculum", "0"}},
      .check = check_rounds,
      .memory = memory_of_lc,
      .pairs =
          [](const MethodOptions& options) {
            const bool global = options.own.choice<Positives>("positives") == Positives::global;
            return OwnPairs{global ? "top-k" : "neighbours", options.own.integer("k")};
          },
      .make = made_by<Lc>,
      .not_in_parts = parts_cannot};
}

}  // namespace methods
}  // namespace creg
