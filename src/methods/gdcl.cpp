// GDCL: starts as MVGRL; then the GCN of the diffusion learns to pull nodes of one cluster together
// and to push those of other clusters away, so that few negatives are of the node's own class.
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "creg/methods/method.h"
#include "learn/kmeans.h"
#include "methods/kept_state.h"
#include "methods/mvgrl.h"
#include "ops/device.h"
#include "ops/random.h"
#include "ops/tensors.h"

namespace creg {
namespace {

constexpr double negative_temperature = 0.5;
constexpr double clustering_weight = 1e-3;  // beta
constexpr double student_freedom = 1e-4;    // alpha of the soft assignment
constexpr std::int64_t hidden_columns = 200;

class Gdcl final : public Method {
 public:
  Gdcl(const MethodOptions& options, ParameterList& parameters)
      : warmup_(static_cast<int>(options.own.integer("warmup"))),
        interval_(static_cast<int>(options.own.integer("cluster_interval"))),
        positives_(options.own.integer("cluster_positives")),
        negatives_(options.own.integer("cluster_negatives")),
        rate_(options.own.real("later_rate")),
        clusters_(options.clusters > 0 ? options.clusters : options.classes),
        nodes_(options.nodes),
        dim_(options.dim),
        views_(options, parameters) {
    if (clusters_ < 2) {
      fail_input({.what = "gdcl needs to know how many clusters there are",
                  .file = "clusters",
                  .found = std::to_string(clusters_),
                  .expected = "--clusters 2 or more, or labels whose classes are counted"});
    }
  }

  EpochLoss loss(EpochPass& pass) override {
    const int epoch = pass.settings().epoch;
    if (epoch < warmup_) return views_.loss(pass);
    const DualEncoder& encoder = dual_encoder(pass);
    const GraphInputs& inputs = pass.inputs();
    const at::Tensor h =
        pass.finished(encoder.part(1, inputs.hops, pass.projected(), pass.encoder_pass(0)));
    if (looks(epoch)) look_for_clusters(pass, h.detach());
    const at::Tensor hidden = hidden_view(pass, encoder);
    return contrast(pass, h, hidden);
  }

  double rate(int epoch) const override { return epoch < warmup_ ? 1 : rate_; }
  bool starts_afresh(int epoch) const override { return epoch == warmup_; }
  bool sees_neighbours() const override { return false; }

  bool repeats(int epoch) const override { return epoch < warmup_ || !looks(epoch); }

  std::vector<NamedTensor> state() const override {
    if (!target_.defined()) return {};
    return {{"clusters.centres", centres_}, {"clusters.target", target_}};
  }
  bool steps_change_state() const override { return true; }
  void restore(const std::vector<NamedTensor>& state) override {
    if (state.empty()) return;
    const at::Tensor centres =
        kept_tensor(state, "clusters.centres", at::kFloat, {clusters_, dim_});
    const at::Tensor target =
        kept_tensor(state, "clusters.target", at::kFloat, {nodes_, clusters_});
    if (!centres.isfinite().all().item<bool>()) fail_kept("clusters.centres", "finite numbers");
    if (!target.isfinite().all().item<bool>()) fail_kept("clusters.target", "finite numbers");
    centres_ = centres.clone();
    target_ = target.clone();
    clustered_.clear();
  }

 private:
  bool looks(int epoch) const { return !target_.defined() || (epoch - warmup_) % interval_ == 0; }

  /// A cluster as the steps until the next look use it.
  struct Cluster {
    at::Tensor nodes;   // int64, rising
    at::Tensor inside;  // bool, of all nodes
    std::int64_t size = 0;
  };

  /// Student's t of the distances to the centres, each row scaled to sum 1.
  at::Tensor soft_assignment(const at::Tensor& h) const {
    const at::Tensor distances = (h * h).sum(1, true) + (centres_ * centres_).sum(1).unsqueeze(0) -
                                 2 * at::mm(h, centres_.t());
    const at::Tensor closeness =
        (1 + distances.clamp_min(0) / student_freedom).pow(-(student_freedom + 1) / 2);
    return closeness / closeness.sum(1, true);
  }

  void look_for_clusters(EpochPass& pass, const at::Tensor& h) {
    const DenseMatrix rows = as_dense(h);
    KMeansOptions options;
    options.seed = pass.settings().seed;
    const KMeansResult found =
        centres_.defined()
            ? kmeans_from(pass.context(), rows, host_array<double>(centres_.to(at::kDouble)).span(),
                          options)
            : kmeans(pass.context(), rows, clusters_, options);
    centres_ = tensor_on(pass.context(), found.centres).view({clusters_, h.size(1)}).to(at::kFloat);
    const at::Tensor q = soft_assignment(h);
    const at::Tensor sharper = q * q / q.sum(0, true);
    target_ = sharper / sharper.sum(1, true);
    clustered_.clear();
  }

  /// How many nodes a cluster has is asked for once per look, not in every step.
  const std::vector<Cluster>& clustered() {
    if (!clustered_.empty()) return clustered_;
    const at::Tensor cluster = target_.argmax(1);
    for (std::int64_t c = 0; c < clusters_; ++c) {
      Cluster found{.inside = cluster.eq(c)};
      found.nodes = found.inside.nonzero().squeeze(1);
      found.size = found.nodes.numel();
      clustered_.push_back(std::move(found));
    }
    return clustered_;
  }

  /// The embedding with some features of every node hidden, the same ones all the time.
  at::Tensor hidden_view(EpochPass& pass, const DualEncoder& encoder) {
    if (!hidden_) {
      const FeatureMatrix& features = pass.inputs().features;
      const double rate =
          std::min(0.5, static_cast<double>(hidden_columns) / static_cast<double>(features.cols()));
      const at::Tensor scale =
          at::full({features.cols()}, 1 - rate, options_on(pass.context(), at::kFloat));
      hidden_ =
          features.dropped(rate, {pass.settings().seed, Purpose::method_draw}).with_columns(scale);
    }
    const EncoderPass how = pass.encoder_pass(2);
    const Projected projected = encoder.project(*hidden_, pass.inputs().hops, how);
    return pass.finished(encoder.part(1, pass.inputs().hops, projected, how));
  }

  /// The `count` nodes of smallest draw among those that `among` (bool) lets in, of which there are
  /// as many at least.
  static at::Tensor some_of(const at::Tensor& among, std::int64_t count, const RandomKey& key) {
    const at::Tensor order = draw_permutation(among.device(), among.numel(), key).to(at::kLong);
    const at::Tensor taken = among.index_select(0, order);
    // Each to its place among those taken; the others, and those too many, to one place behind.
    const at::Tensor place = at::where(taken, taken.cumsum(0) - 1, count).clamp_max(count);
    return at::empty({count + 1}, order.options()).scatter(0, place, order).narrow(0, 0, count);
  }

  EpochLoss contrast(EpochPass& pass, const at::Tensor& h, const at::Tensor& hidden) {
    at::Tensor sum = at::zeros({}, h.options());
    at::Tensor chance = at::zeros({}, h.options().dtype(at::kDouble));
    RandomKey key{pass.settings().seed, Purpose::negatives, pass.settings().step};
    std::uint64_t number = 0;
    for (const Cluster& cluster : clustered()) {
      key.item = 2 * number++;
      const std::int64_t outside = h.size(0) - cluster.size;
      if (cluster.size == 0 || outside == 0) continue;
      const at::Tensor rows = h.index_select(0, cluster.nodes);
      const at::Tensor friends =
          h.index_select(0, some_of(cluster.inside, std::min(positives_, cluster.size), key));
      ++key.item;
      const at::Tensor strangers = h.index_select(
          0, some_of(cluster.inside.logical_not(), std::min(negatives_, outside), key));
      const at::Tensor itself = (rows * hidden.index_select(0, cluster.nodes)).sum(1, true);
      const at::Tensor near = at::logsumexp(at::cat({at::mm(rows, friends.t()), itself}, 1), 1);
      const at::Tensor far = at::logsumexp(at::mm(rows, strangers.t()) / negative_temperature, 1);
      // -log(near / (near + far)) of sums kept as logarithms.
      sum = sum + at::softplus(far - near).sum();
      chance += at::sigmoid((near - far).detach()).sum();
    }
    const auto nodes = static_cast<double>(h.size(0));
    const at::Tensor q = soft_assignment(h);
    const at::Tensor divergence = (target_ * ((target_ + 1e-12).log() - (q + 1e-12).log())).mean();
    const at::Tensor positive = chance / nodes;
    return {sum / nodes + divergence * clustering_weight, positive, 1 - positive, h.size(0)};
  }

  int warmup_;    // epochs before clusters are looked for
  int interval_;  // epochs between two looks
  std::int64_t positives_;
  std::int64_t negatives_;
  double rate_;  // of the learning rate, once the clusters count
  std::int64_t clusters_;
  std::int64_t nodes_;
  std::int64_t dim_;
  CrossView views_;
  at::Tensor centres_;                   // [clusters, dim], once clusters have been looked for
  at::Tensor target_;                    // [nodes, clusters]: the assignment to be approached
  std::vector<Cluster> clustered_;       // by target_; empty: not yet asked for
  std::optional<FeatureMatrix> hidden_;  // once it has been asked for
};

}  // namespace

namespace methods {

MethodEntry gdcl() {
  constexpr std::int64_t large = std::int64_t{1} << 30;
  return {
      .name = "gdcl",
      .about = "a node with those of its cluster, after a start as mvgrl",
      .encoders = {EncoderKind::dual},
      .corrupts = true,
      .uses = {"log", "clusters"},
      .parameters = {own_integer("warmup", 200, 0, large, "epochs as mvgrl, before clusters count"),
                     own_real("later_rate", 0.05, 1e-6, 1, "share of lr afterwards"),
                     own_integer("cluster_interval", 2, 1, large,
                                 "epochs between two looks for clusters"),
                     own_integer("cluster_positives", 10, 1, large,
                                 "nodes of its own cluster that a node meets"),
                     own_integer("cluster_negatives", 1000, 1, large,
                                 "nodes of other clusters that it meets")},
      .memory =
          [](const MethodOptions& options) {
            MethodMemory memory = memory_of_cross_view(options);
            // The view with hidden features, and its gradients.
            memory.numbers_per_node = 6 * static_cast<double>(options.dim);
            return memory;
          },
      .make = made_by<Gdcl>};
}

}  // namespace methods
}  // namespace creg
