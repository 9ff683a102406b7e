#include "bench/plain/plain_epoch.h"

#include <torch/optim/adam.h>
#include <torch/types.h>

#include <algorithm>
#include <string>
#include <utility>

#include "bench/plain/plain_similarity.h"
#include "creg/contrast/pairs.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "graph/normalise.h"
#include "methods/lc.h"
#include "ops/device.h"
#include "ops/random.h"
#include "ops/tensors.h"
#include "train/parameters.h"

namespace creg {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& found,
                         const std::string& expected) {
  fail_input({.what = "the plain baseline does not know this",
              .file = "--" + key,
              .found = found,
              .expected = expected,
              .hint = "drop --compare to time our epoch alone"});
}

/// Entries of a sparse matrix, row by row: one message each.
struct EdgeList {
  at::Tensor source;  // int64: columns
  at::Tensor target;  // int64: rows
  at::Tensor weight;  // [E, 1]; undefined: all ones

  EdgeList(const Context& context, const CsrMatrix& matrix)
      : source(as_tensor(context, matrix.columns).to(at::kLong)),
        target(at::repeat_interleave(at::arange(matrix.rows, options_on(context, at::kLong)),
                                     as_tensor(context, matrix.offsets).diff())) {
    if (!matrix.values.empty()) weight = as_tensor(context, matrix.values).clone().unsqueeze(1);
  }

  std::int64_t bytes() const {
    std::size_t bytes = source.nbytes() + target.nbytes();
    if (weight.defined()) bytes += weight.nbytes();
    return static_cast<std::int64_t>(bytes);
  }
};

at::Tensor dense_features(const Context& context, const Features& features) {
  return as_tensor(context, to_dense(features)).clone();
}

/// The rows of `matrix` that pairs name.
struct PlainPairs {
  at::Tensor anchors;    // undefined: all
  at::Tensor positives;  // [M, P]; undefined: row i itself
  at::Tensor negatives;  // [M, K]
};

at::Tensor scores(const at::Tensor& anchors, const at::Tensor& rows) {
  return (anchors * rows).sum(-1);
}

}  // namespace

void check_plain_epoch(const TrainConfig& config) {
  if (config.method != "ml" && config.method != "lc") {
    refuse("method", config.method, "ml or lc");
  }
  if (config.encoder.kind != EncoderKind::gcn) {
    refuse("encoder", name_of(config.encoder.kind), "gcn");
  }
  switch (config.encoder.activation) {
    case ActivationKind::prelu:
    case ActivationKind::prelu_shared:
    case ActivationKind::relu:
      break;
    default:
      refuse("activation", name_of(config.encoder.activation), "prelu, prelu-shared or relu");
  }
  const TrainConfig defaults;
  for (const char* key :
       {"hidden", "last_activation", "dropout", "channel_norm", "layer_norm", "propagation"}) {
    const Parameter& parameter = find_parameter(key);
    if (parameter.get(config) != parameter.get(defaults)) {
      refuse(parameter.flag().substr(2), parameter.get(config), parameter.get(defaults));
    }
  }
  if (config.method == "lc" && method_options(config).own.integer("curriculum") > 1) {
    refuse("curriculum", find_parameter("curriculum").get(config), "0: all nodes are seeds");
  }
}

class PlainEpoch::State {
 public:
  State(const Context& context, const Graph& graph, const TrainConfig& config,
        const std::vector<NamedTensor>& parameters)
      : context_(context),
        seed_(context.seed()),
        config_(config),
        nodes_(graph.nodes()),
        features_(dense_features(context, graph.features)),
        propagation_(context, gcn_normalised(context, graph.adjacency)),
        neighbours_(context, graph.adjacency),
        degrees_(as_tensor(context, graph.adjacency.offsets).diff()),
        first_entry_(as_tensor(context, graph.adjacency.offsets).narrow(0, 0, nodes_).clone()) {
    if (config.method == "lc") {
      const OwnSettings own = method_options(config).own;
      global_positives_ = own.choice<Positives>("positives") == Positives::global;
      k_ = own.integer("k");
    }
    if (global_positives_) {
      require_plain_similarity_memory(nodes_);
    }
    std::vector<at::Tensor> trained;
    for (const NamedTensor& parameter : parameters) {
      const at::Tensor copy = parameter.value.detach().clone().set_requires_grad(true);
      parameters_.push_back({parameter.name, copy});
      trained.push_back(copy);
    }
    optimiser_ = std::make_unique<torch::optim::Adam>(
        trained, torch::optim::AdamOptions(config.lr).weight_decay(effective_weight_decay(config)));
    with_neighbours_ = at::nonzero(degrees_ > 0).squeeze(1);
  }

  double run(int epoch_number) {
    const auto epoch = static_cast<std::uint32_t>(epoch_number);
    const at::Tensor hidden = encode(features_);
    const at::Tensor h = finished(hidden);
    at::Tensor loss = config_.method == "ml" ? ml_loss(hidden, h, epoch) : lc_loss(h, epoch);
    if (config_.regulariser.contrast)
      loss = loss + contrast_reg(h, epoch) * config_.regulariser.ratio;
    const double value = loss.item<double>();
    loss.backward();
    optimiser_->step();
    for (NamedTensor& parameter : parameters_) parameter.value.mutable_grad().reset();
    return value;
  }

  const std::vector<NamedTensor>& parameters() const { return parameters_; }

  std::int64_t resident_bytes() const {
    std::int64_t numbers = 0;
    for (const NamedTensor& parameter : parameters_) numbers += parameter.value.numel();
    // Parameters and two moments.
    return static_cast<std::int64_t>(features_.nbytes()) + propagation_.bytes() +
           neighbours_.bytes() + 3 * 8 * nodes_ + 3 * 4 * numbers;
  }

 private:
  const at::Tensor& parameter(const std::string& name) const {
    for (const NamedTensor& candidate : parameters_) {
      if (candidate.name == name) return candidate.value;
    }
    throw Bug("the model has no parameter " + name);
  }

  at::Tensor propagate(const at::Tensor& x) const {
    const at::Tensor messages = propagation_.weight * x.index_select(0, propagation_.source);
    return at::zeros({nodes_, x.size(1)}, x.options()).index_add_(0, propagation_.target, messages);
  }

  at::Tensor encode(const at::Tensor& features) const {
    at::Tensor x = features;
    for (int l = 0; l < config_.encoder.layers; ++l) {
      const std::string layer = "encoder." + std::to_string(l) + ".";
      x = propagate(at::mm(x, parameter(layer + "weight"))) + parameter(layer + "bias");
      x = config_.encoder.activation == ActivationKind::relu
              ? at::relu(x)
              : at::prelu(x, parameter(layer + "slope"));
    }
    return x;
  }

  at::Tensor finished(const at::Tensor& rows) const {
    if (!config_.regulariser.l2norm) return rows;
    return rows / rows.norm(2, 1, true).clamp_min(1e-12);
  }

  /// -log sigma of the scores.
  at::Tensor surprise(const at::Tensor& s) const {
    if (config_.contrast.log == LogForm::naive) return -at::log(at::sigmoid(s) + 1e-15);
    return -at::log_sigmoid(s);
  }
  /// -log(1 - sigma).
  at::Tensor other_surprise(const at::Tensor& s) const {
    if (config_.contrast.log == LogForm::naive) return -at::log(1 - at::sigmoid(s) + 1e-15);
    return -at::log_sigmoid(-s);
  }

  at::Tensor negatives(std::uint32_t epoch) const {
    return draw_negatives(context_, nodes_, config_.contrast.negatives, seed_, epoch).to(at::kLong);
  }

  at::Tensor ml_loss(const at::Tensor& hidden, const at::Tensor& h, std::uint32_t epoch) const {
    return pair_loss(finished(propagate(hidden)), h, {{}, {}, negatives(epoch)});
  }

  at::Tensor lc_loss(const at::Tensor& h, std::uint32_t epoch) const {
    if (global_positives_) {
      const std::int64_t k = std::min(k_, nodes_);
      const at::Tensor most_similar = plain_similarity(h.detach(), k, false).indices.to(at::kLong);
      return pair_loss(h, h, {{}, most_similar, negatives(epoch)});
    }
    PlainPairs pairs{{}, top_neighbours(h.detach(), epoch).unsqueeze(1), negatives(epoch)};
    if (with_neighbours_.numel() < nodes_) {
      pairs.anchors = with_neighbours_;
      pairs.negatives = pairs.negatives.index_select(0, with_neighbours_);
    }
    return pair_loss(h, h, pairs);
  }

  /// Of each node that has neighbours one of its k nearest by dot product: all edges scored, then
  /// sorted by node and score.
  at::Tensor top_neighbours(const at::Tensor& h, std::uint32_t epoch) const {
    const at::NoGradGuard no_grad;
    const std::int64_t k = k_;
    const at::Tensor& nodes = neighbours_.target;
    const at::Tensor& others = neighbours_.source;
    at::Tensor score = scores(h.index_select(0, nodes), h.index_select(0, others));
    // A node with no more than k neighbours draws from its list as it is.
    const at::Tensor position = at::arange(score.numel(), score.options());
    score = at::where(degrees_.index_select(0, nodes) > k, score, -position);
    const at::Tensor by_score = std::get<1>(at::sort(score, true, std::int64_t{0}, true));
    const at::Tensor by_node =
        std::get<1>(at::sort(nodes.index_select(0, by_score), true, std::int64_t{0}, false));
    const at::Tensor ranked = others.index_select(0, by_score.index_select(0, by_node));
    return ranked.index_select(0,
                               (first_entry_ + draws(k, epoch)).index_select(0, with_neighbours_));
  }

  /// Which of its first min(k, degree) neighbours each node takes.
  at::Tensor draws(std::int64_t k, std::uint32_t epoch) const {
    std::vector<std::int64_t> out(static_cast<std::size_t>(nodes_), 0);
    const auto degrees = host_array<std::int64_t>(degrees_);
    for (std::int64_t i = 0; i < nodes_; ++i) {
      const std::int64_t choices = std::min(degrees[i], k);
      if (choices < 2) continue;
      RandomStream stream(seed_, Purpose::positive_neighbour, epoch, static_cast<std::uint64_t>(i));
      out[static_cast<std::size_t>(i)] =
          static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(choices)));
    }
    return tensor_on(context_, std::move(out));
  }

  at::Tensor pair_loss(const at::Tensor& left, const at::Tensor& rows,
                       const PlainPairs& pairs) const {
    at::Tensor anchors = left;
    if (config_.contrast.score == Score::bilinear) {
      anchors = at::mm(anchors, parameter("score.weight").t());
    }
    if (pairs.anchors.defined()) anchors = anchors.index_select(0, pairs.anchors);
    const double scale = 1 / config_.contrast.temperature;
    at::Tensor positive = scores(anchors, positive_rows(rows, pairs.positives));
    at::Tensor negative = negative_scores(anchors, rows, pairs.negatives);
    if (scale != 1) {
      positive = positive * scale;
      negative = negative * scale;
    }
    const double count = static_cast<double>(anchors.size(0));
    return surprise(positive).mean() + other_surprise(negative).sum() / count;
  }

  static at::Tensor positive_rows(const at::Tensor& rows, const at::Tensor& positives) {
    if (!positives.defined()) return rows;
    const at::Tensor gathered = rows.index_select(0, positives.reshape({-1}));
    if (positives.size(1) == 1) return gathered;
    return gathered.reshape({positives.size(0), positives.size(1), -1}).mean(1);
  }

  static at::Tensor negative_scores(const at::Tensor& anchors, const at::Tensor& rows,
                                    const at::Tensor& negatives) {
    const at::Tensor gathered = rows.index_select(0, negatives.reshape({-1}));
    if (negatives.size(1) == 1) return scores(anchors, gathered);
    return scores(anchors.unsqueeze(1),
                  gathered.reshape({negatives.size(0), negatives.size(1), -1}));
  }

  at::Tensor direction(const at::Tensor& h, std::uint32_t epoch) const {
    if (config_.regulariser.r == Direction::summary) return at::sigmoid(h.mean(0));
    return draw_uniform(h.device(), 1, h.size(1), static_cast<float>(config_.regulariser.r_scale),
                        RandomKey{seed_, Purpose::direction, epoch})
        .squeeze(0);
  }

  at::Tensor contrast_reg(const at::Tensor& h, std::uint32_t epoch) const {
    const at::Tensor order =
        draw_permutation(h.device(), nodes_, {seed_, Purpose::corruption, epoch});
    const at::Tensor corrupted = finished(encode(features_.index_select(0, order)));
    const at::Tensor u = at::mv(parameter("regulariser.weight"), direction(h, epoch));
    return surprise(at::mv(h, u)).mean() + other_surprise(at::mv(corrupted, u)).mean();
  }

  Context context_;
  std::uint64_t seed_;
  TrainConfig config_;
  bool global_positives_ = false;  // of LC
  std::int64_t k_ = 0;
  std::int64_t nodes_;
  at::Tensor features_;
  EdgeList propagation_;
  EdgeList neighbours_;
  at::Tensor degrees_;
  at::Tensor first_entry_;
  at::Tensor with_neighbours_;
  std::vector<NamedTensor> parameters_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
};

PlainEpoch::PlainEpoch(const Context& context, const Graph& graph, const TrainConfig& config,
                       const std::vector<NamedTensor>& parameters)
    : state_(std::make_unique<State>(context, graph, config, parameters)) {}
PlainEpoch::~PlainEpoch() = default;

double PlainEpoch::run(int epoch) {
  return state_->run(epoch);
}
std::vector<NamedTensor> PlainEpoch::parameters() const {
  return state_->parameters();
}
std::int64_t PlainEpoch::resident_bytes() const {
  return state_->resident_bytes();
}

}  // namespace creg
