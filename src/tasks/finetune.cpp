#include "tasks/finetune.h"

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "core/text.h"
#include "creg/contrast/epoch_pass.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "graph/transforms.h"
#include "ops/device.h"
#include "ops/runtime.h"
#include "ops/tensors.h"
#include "train/checkpoint.h"
#include "train/feature_scale.h"
#include "train/layerwise.h"
#include "train/loaded_encoder.h"
#include "train/made_features.h"
#include "train/memory_estimate.h"
#include "train/optimiser.h"
#include "train/training_step.h"

namespace creg {
namespace {

using Nodes = std::vector<std::int32_t>;

Nodes numbers_below(std::int64_t count) {
  Nodes out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

void check_parts(const PretrainParts& parts) {
  const auto check = [](const Array<std::int32_t>& part, const char* name) {
    if (!part.empty()) return;
    fail_input({.what = "a part without nodes",
                .file = name,
                .expected = "nodes to pretrain on, to train on, for validation and for test",
                .hint = "a graph of more nodes, or other parts"});
  };
  check(parts.pretrain, "pretrain");
  check(parts.train, "train");
  check(parts.val, "val");
  check(parts.test, "test");
}

/// The nodes that are not in `first`, ascending, as thirds.
PretrainParts rest_in_thirds(Nodes first, std::int64_t nodes) {
  std::sort(first.begin(), first.end());
  const Nodes all = numbers_below(nodes);
  Nodes rest;
  std::set_difference(all.begin(), all.end(), first.begin(), first.end(), std::back_inserter(rest));
  const auto third = static_cast<std::ptrdiff_t>(rest.size() / 3);
  PretrainParts parts;
  parts.pretrain = std::move(first);
  parts.train = Nodes(rest.begin(), rest.begin() + third);
  parts.val = Nodes(rest.begin() + third, rest.begin() + 2 * third);
  parts.test = Nodes(rest.begin() + 2 * third, rest.end());
  check_parts(parts);
  return parts;
}

Nodes joined(std::initializer_list<const Array<std::int32_t>*> parts) {
  Nodes out;
  for (const Array<std::int32_t>* part : parts) out.insert(out.end(), part->begin(), part->end());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

PretrainParts parts_by_number(std::int64_t nodes, double share) {
  if (!(share > 0 && share < 1)) {
    fail_input({.what = "the share of nodes to pretrain on",
                .found = std::to_string(share),
                .expected = "more than 0 and less than 1"});
  }
  return rest_in_thirds(
      numbers_below(static_cast<std::int64_t>(share * static_cast<double>(nodes))), nodes);
}

PretrainParts parts_after_training(const Split& split, std::int64_t nodes) {
  return rest_in_thirds({split.train.begin(), split.train.end()}, nodes);
}

PretrainParts parts_of_split(const Split& split, std::int64_t nodes) {
  const Nodes taken = joined({&split.train, &split.val, &split.test});
  const Nodes all = numbers_below(nodes);
  Nodes rest;
  std::set_difference(all.begin(), all.end(), taken.begin(), taken.end(), std::back_inserter(rest));
  PretrainParts parts;
  parts.pretrain = std::move(rest);
  parts.train = joined({&split.train});
  parts.val = joined({&split.val});
  parts.test = joined({&split.test});
  check_parts(parts);
  return parts;
}

namespace {

/// Rows of a graph with labels, as tensors: the rows' numbers (int64) and their classes (int64).
struct Labelled {
  at::Tensor rows;
  at::Tensor classes;
  std::int64_t count() const { return rows.numel(); }
};

/// Of `part`, which lies within `nodes` (ascending): numbers within `nodes`.
Labelled labelled(const Context& context, const Graph& graph, const Array<std::int32_t>& part,
                  const Nodes& nodes, const char* name) {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> classes;
  for (const std::int32_t node : part) {
    if (graph.labels[node] == unlabelled) continue;
    rows.push_back(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
    classes.push_back(graph.labels[node]);
  }
  if (rows.empty()) {
    fail_input({.what = "a part without labels",
                .file = name,
                .found = with_commas(part.size()) + " nodes, none of them labelled"});
  }
  return {tensor_on(context, std::move(rows)), tensor_on(context, std::move(classes))};
}

std::int64_t classes_missing(const at::Tensor& in, std::initializer_list<at::Tensor> others) {
  const auto labels = host_array<std::int64_t>(in);
  std::set<std::int64_t> known(labels.begin(), labels.end());
  const std::size_t before = known.size();
  for (const at::Tensor& other : others) {
    const auto more = host_array<std::int64_t>(other);
    known.insert(more.begin(), more.end());
  }
  return static_cast<std::int64_t>(known.size() - before);
}

class Finetuning {
 public:
  Finetuning(const Context& context, const Graph& graph, const PretrainParts& parts,
             LoadedEncoder start, const FinetuneOptions& options)
      : context_(context),
        options_(options),
        model_(std::move(start)),
        measured_nodes_(joined({&parts.train, &parts.val, &parts.test})),
        trained_(induced_subgraph(context, graph, parts.train.span())),
        measured_(induced_subgraph(context, graph, measured_nodes_)),
        train_(labelled(context, graph, parts.train, {parts.train.begin(), parts.train.end()},
                        "train")),
        val_(labelled(context, graph, parts.val, measured_nodes_, "val")),
        test_(labelled(context, graph, parts.test, measured_nodes_, "test")),
        inputs_(context, trained_, model_.config.encoder),
        classifier_(context.seed(), device_of(context)) {
    const std::int64_t dim = model_.config.encoder.dim;
    const std::int64_t classes = graph.classes();
    weight_ = classifier_.uniform("classifier.weight", {dim, classes}, linear_bound(dim));
    bias_ = classifier_.uniform("classifier.bias", {classes}, linear_bound(dim));
    all_ = model_.parameters.all();
    all_.insert(all_.end(), classifier_.all().begin(), classifier_.all().end());
    if (!runs_in_batches(model_.config.encoder)) {
      measured_inputs_ = std::make_unique<GraphInputs>(context, measured_, model_.config.encoder);
    }
    result_.train = train_.count();
    result_.val = val_.count();
    result_.test = test_.count();
    result_.classes_not_in_train = classes_missing(train_.classes, {val_.classes, test_.classes});
  }

  FinetuneResult run(const std::string& label) {
    const auto start = std::chrono::steady_clock::now();
    Adam adam(all_, options_.lr, options_.weight_decay);
    ProgressTask progress(context_, label, options_.epochs, "epochs");
    double best = -1;
    int waited = 0;
    for (int epoch = 0; epoch < options_.epochs && waited <= options_.patience; ++epoch) {
      step(adam, epoch);
      const at::Tensor found = predictions();
      const double accuracy = accuracy_of(found, val_);
      ++waited;
      if (accuracy > best) {
        best = accuracy;
        waited = 0;
        result_.best_epoch = epoch;
        result_.val_accuracy = accuracy;
        result_.accuracy = accuracy_of(found, test_);
      }
      result_.epochs_run = epoch + 1;
      progress.note("val accuracy " + std::to_string(100 * best).substr(0, 5) + " %");
      progress.advance();
    }
    progress.finish_early();
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result_;
  }

 private:
  at::Tensor scores(const at::Tensor& h) const { return at::addmm(bias_, h, weight_); }

  void step(Adam& adam, int epoch) {
    EpochPass pass(context_, inputs_, *model_.encoder,
                   {.seed = context_.seed(),
                    .epoch = epoch,
                    .step = static_cast<std::uint32_t>(epoch),
                    .unit_rows = model_.config.regulariser.l2norm});
    const at::Tensor chosen = pass.embedding().index_select(0, train_.rows);
    const at::Tensor log_chances = at::log_softmax(scores(chosen), 1);
    const at::Tensor loss = -log_chances.gather(1, train_.classes.unsqueeze(1)).mean();
    if (!std::isfinite(loss.item<double>())) {
      fail_environment(
          {.what = "the loss is not finite at epoch " + std::to_string(epoch) + " of fine-tuning",
           .hint = "lower --lr, which is " + std::to_string(options_.lr)});
    }
    loss.backward();
    adam.step();
  }

  /// The class of every node of the measured graph.
  at::Tensor predictions() {
    const at::NoGradGuard no_grad;
    at::Tensor h;
    if (measured_inputs_) {
      EpochPass pass(context_, *measured_inputs_, *model_.encoder,
                     {.unit_rows = model_.config.regulariser.l2norm, .training = false});
      h = pass.embedding();
    } else {
      Context::Options quiet = context_.options();
      quiet.progress = nullptr;
      h = as_tensor(context_, embed_layerwise(Context(quiet), measured_, *model_.encoder,
                                              {.encoder = model_.config.encoder,
                                               .unit_rows = model_.config.regulariser.l2norm,
                                               .memory = available_memory() / 4}));
    }
    return scores(h).argmax(1);
  }

  static double accuracy_of(const at::Tensor& found, const Labelled& part) {
    return found.index_select(0, part.rows).eq(part.classes).to(at::kDouble).mean().item<double>();
  }

  const Context& context_;
  FinetuneOptions options_;
  LoadedEncoder model_;
  Nodes measured_nodes_;
  Graph trained_;
  Graph measured_;
  Labelled train_;
  Labelled val_;
  Labelled test_;
  GraphInputs inputs_;
  std::unique_ptr<GraphInputs> measured_inputs_;  // null: layer by layer
  ParameterList classifier_;
  at::Tensor weight_;
  at::Tensor bias_;
  std::vector<NamedTensor> all_;
  FinetuneResult result_;
};

LoadedEncoder fresh_encoder(const Context& context, const TrainConfig& config, const Graph& graph) {
  LoadedEncoder out;
  out.config = config;
  out.parameters = ParameterList(context.seed(), device_of(context));
  out.encoder = make_encoder(config.encoder, feature_cols(graph.features), out.parameters);
  return out;
}

}  // namespace

FinetuneResult finetune(const Context& context, const Graph& graph, const PretrainParts& parts,
                        const TrainConfig& config,
                        const std::optional<std::filesystem::path>& checkpoint,
                        const FinetuneOptions& options) {
  if (!graph.has_labels()) {
    fail_input(
        {.what = "fine-tuning needs labels", .file = graph.name, .hint = "pretraining needs none"});
  }
  check_parts(parts);
  prepare_torch(context);
  std::optional<Checkpoint> kept;
  if (checkpoint) kept = read_checkpoint(*checkpoint);
  const TrainConfig used = kept ? config_of(*kept) : config;
  if (used.encoder.kind == EncoderKind::table) {
    fail_input({.what = "a table has vectors of the nodes it was trained on alone",
                .file = "encoder",
                .found = name_of(used.encoder.kind),
                .expected = "an encoder that sees features"});
  }
  const bool made =
      kept ? has_made_features(*kept) : makes_features(feature_cols(graph.features), used);
  if (made) {
    fail_input({.what = "an encoder that knows features made of a graph's structure is not "
                        "fine-tuned: those of the whole graph would tell of edges to the nodes "
                        "that are measured",
                .file = graph.name,
                .expected = "a graph with features of its own"});
  }
  const Graph prepared = kept ? with_kept_features(context, graph, *kept, checkpoint->string())
                              : with_prepared_features(context, graph, used);
  LoadedEncoder start =
      kept ? load_encoder(context, *kept, checkpoint->string(), prepared)
           : fresh_encoder(context, with_feature_scale(context, prepared, used), prepared);
  return Finetuning(context, prepared, parts, std::move(start), options)
      .run(checkpoint ? "fine-tuning" : "fine-tuning without pretraining");
}

}  // namespace creg
