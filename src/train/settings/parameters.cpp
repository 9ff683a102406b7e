#include "train/parameters.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/methods/entry.h"
#include "train/settings/parameter_table.h"

namespace creg {
namespace {

/// The weight decay that `--reg weight-decay` means when none is given.
constexpr double named_weight_decay = 5e-4;
const std::vector<std::string>& regulariser_names() {
  static const std::vector<std::string> names = {"none", "contrast", "l2norm", "weight-decay"};
  return names;
}

void set_regularisers(TrainConfig& config, const std::string& text) {
  RegulariserOptions chosen = config.regulariser;
  chosen.contrast = false;
  chosen.l2norm = false;
  bool decay = false;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of("+,", begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    begin = end + 1;
    if (name == "contrast") {
      chosen.contrast = true;
    } else if (name == "l2norm") {
      chosen.l2norm = true;
    } else if (name == "weight-decay") {
      decay = true;
    } else if (name != "none" || text != "none") {
      fail_value("reg", name, join_words(regulariser_names(), " or ") + ", or several joined by +",
                 suggestion(name, regulariser_names()));
    }
  }
  config.regulariser = chosen;
  config.named_decay = decay;
}

std::string regularisers(const TrainConfig& config) {
  std::string text;
  const auto join = [&](const char* name) {
    text += (text.empty() ? "" : "+") + std::string(name);
  };
  if (config.regulariser.contrast) join("contrast");
  if (config.regulariser.l2norm) join("l2norm");
  if (config.named_decay) join("weight-decay");
  return text.empty() ? "none" : text;
}

void set_ratio(TrainConfig& config, const std::string& text) {
  config.regulariser.auto_ratio = text == "auto";
  config.regulariser.ratio =
      text == "auto"
          ? RegulariserOptions{}.ratio
          : parse_number<double>("ratio", text, "a number of 0 to 1e+06, or auto", 0, 1e6);
}

std::string ratio_text(const TrainConfig& config) {
  return config.regulariser.auto_ratio ? "auto" : number_text(config.regulariser.ratio);
}

void set_feature_scale(TrainConfig& config, const std::string& text) {
  config.auto_feature_scale = text == "auto";
  config.encoder.feature_scale =
      config.auto_feature_scale
          ? 1
          : parse_number<double>("feature_scale", text, "a number of 1e-12 to 1e+12, or auto",
                                 1e-12, 1e12);
}

std::string feature_scale_text(const TrainConfig& config) {
  return config.auto_feature_scale ? "auto" : number_text(config.encoder.feature_scale);
}

void set_fanouts(TrainConfig& config, const std::string& text) {
  const std::string range =
      "numbers of neighbours joined by commas, from the nodes outward, -1 for all of them";
  std::vector<int> fanouts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    fanouts.push_back(
        parse_number<int>("fanouts", text.substr(begin, end - begin), range, -1, 1e6));
    if (fanouts.back() == 0) fail_value("fanouts", text, range);
    begin = end + 1;
  }
  config.batch.fanouts = std::move(fanouts);
}

std::string fanouts_text(const TrainConfig& config) {
  std::string text;
  for (const int fanout : config.batch.fanouts) {
    text += (text.empty() ? "" : ",") + std::to_string(fanout);
  }
  return text;
}

Parameter parameter_of(const OwnParameter& own) {
  return {.key = own.key,
          .values = own.values,
          .help = own.help,
          .truth = own.truth,
          .whole = own.whole,
          .set = [own](TrainConfig& config,
                       const std::string& text) { config.own[own.key] = own.read(text); },
          .get =
              [own](const TrainConfig& config) {
                const auto found = config.own.find(own.key);
                return found == config.own.end() ? own.initial : found->second;
              }};
}

void set_encoder(TrainConfig& config, const std::string& text) {
  const auto kind = from_name<EncoderKind>(text);
  if (!kind) fail_value("encoder", text, join_words(names_of<EncoderKind>(), " or "));
  config.encoder.kind = *kind;
  config.encoder.added = nullptr;
}

std::vector<Parameter> make_table() {
  constexpr auto large = std::int64_t{1} << 30;
  ParameterTable table;
  std::string methods;
  for (const MethodEntry& method : shipped_methods()) {
    methods += (methods.empty() ? "" : "|") + method.name;
  }
  table.group("Method");
  table.add({.key = "method",
             .values = methods,
             .help = "which pairs are contrasted",
             .set = [](TrainConfig& config,
                       const std::string& text) { config.method = find_method(text).name; },
             .get = [](const TrainConfig& config) { return config.method; }});
  table
      .choice<Score>(
          "score", [](TrainConfig& c) -> Score& { return c.contrast.score; },
          "how a pair is scored: u·v, or u·C v with a trained matrix C")
      .integer(
          "negatives", 1, 1000, [](TrainConfig& c) -> int& { return c.contrast.negatives; },
          "random negatives per node")
      .real(
          "temperature", 1e-4, 1e4,
          [](TrainConfig& c) -> double& { return c.contrast.temperature; },
          "divides the scores, or the cosines of views")
      .choice<LogForm>(
          "log", [](TrainConfig& c) -> LogForm& { return c.contrast.log; },
          "stable: softplus; naive: log(sigma + 1e-15) in float32, as the paper's code");
  table.integer(
      "clusters", 0, 1 << 20, [](TrainConfig& c) -> std::int64_t& { return c.clusters; },
      "how many clusters are looked for; 0: as many as there are classes");
  table.group("Views");
  table
      .real(
          "drop_edges1", 0, 1, [](TrainConfig& c) -> double& { return c.views.drop_edges1; },
          "chance of an edge to be gone from the first view, each direction on its own")
      .real(
          "drop_edges2", 0, 1, [](TrainConfig& c) -> double& { return c.views.drop_edges2; },
          "the same of the second view")
      .real(
          "drop_features1", 0, 1, [](TrainConfig& c) -> double& { return c.views.drop_features1; },
          "chance of a column of features to be gone from the first view")
      .real(
          "drop_features2", 0, 1, [](TrainConfig& c) -> double& { return c.views.drop_features2; },
          "the same of the second view")
      .integer(
          "projection", 1, 1 << 16,
          [](TrainConfig& c) -> std::int64_t& { return c.views.projection; },
          "width inside the projection head");
  table.group("Regulariser");
  table.add({.key = "reg",
             .values = "none|contrast|l2norm|weight-decay, or several joined by +",
             .help = "what keeps the embeddings calibrated",
             .set = set_regularisers,
             .get = regularisers});
  table.add({.key = "ratio",
             .values = "0..1e+06|auto",
             .help = "weight of Contrast-Reg in the loss; auto: it rises while the positives are "
                     "more confident than target_sigma, and falls while they are less",
             .set = set_ratio,
             .get = ratio_text});
  table
      .real(
          "target_sigma", 0.01, 0.99,
          [](TrainConfig& c) -> double& { return c.regulariser.target_sigma; },
          "what --ratio auto aims at: mean sigma of the positives' scores")
      .choice<Direction>(
          "r", [](TrainConfig& c) -> Direction& { return c.regulariser.r; },
          "Contrast-Reg's direction: drawn every epoch, or the summary of the graph")
      .real(
          "r_scale", 1e-6, 1e6, [](TrainConfig& c) -> double& { return c.regulariser.r_scale; },
          "random r is uniform in [0, r_scale)")
      .real(
          "weight_decay", 0, 1e3, [](TrainConfig& c) -> double& { return c.weight_decay; },
          "L2 penalty on all parameters; --reg weight-decay without it means 0.0005");
  table.group("Encoder");
  table.add({.key = "encoder",
             .values = alternatives(names_of<EncoderKind>()),
             .help = "how a node's vector is made from its neighbourhood",
             .set = set_encoder,
             .get = [](const TrainConfig& c) { return encoder_name(c.encoder); }});
  table
      .integer(
          "dim", 1, 1 << 16, [](TrainConfig& c) -> std::int64_t& { return c.encoder.dim; },
          "width of the embedding, and of every layer unless hidden says otherwise")
      .integer(
          "hidden", 0, 1 << 16, [](TrainConfig& c) -> std::int64_t& { return c.encoder.hidden; },
          "width of all layers but the last; 0: dim")
      .integer(
          "layers", 1, 100, [](TrainConfig& c) -> int& { return c.encoder.layers; }, "depth")
      .choice<ActivationKind>(
          "activation", [](TrainConfig& c) -> ActivationKind& { return c.encoder.activation; },
          "after every layer; prelu has a slope per channel, prelu-shared one")
      .truth(
          "last_activation", [](TrainConfig& c) -> bool& { return c.encoder.last_activation; },
          "an activation after the last layer too")
      .integer(
          "heads", 1, 1024, [](TrainConfig& c) -> int& { return c.encoder.heads; },
          "gat: attention heads, which share the width")
      .real(
          "dropout", 0, 0.99, [](TrainConfig& c) -> double& { return c.encoder.dropout; },
          "chance that a value of a layer's input is dropped while training, features included")
      .real(
          "attention_dropout", 0, 0.99,
          [](TrainConfig& c) -> double& { return c.encoder.attention_dropout; },
          "gat: chance that a weight of the attention is dropped while training")
      .real(
          "gain", 1e-3, 1e3, [](TrainConfig& c) -> double& { return c.encoder.gain; },
          "weights start this many times as large; not of gin and table")
      .truth(
          "channel_norm", [](TrainConfig& c) -> bool& { return c.encoder.channel_norm; },
          "gcn, gat, gin, sage: bring every channel to mean 0 and variance 1/dim before the "
          "activation")
      .truth(
          "layer_norm", [](TrainConfig& c) -> bool& { return c.encoder.layer_norm; },
          "gcn, sage, gat: bring every row to mean 0 and variance 1, with a trained scale and "
          "shift, before the activation")
      .choice<Propagation>(
          "propagation", [](TrainConfig& c) -> Propagation& { return c.encoder.propagation; },
          "gcn: by which matrix it gathers: the normalised adjacency, the PageRank Laplacian of a "
          "directed graph, or the personalised PageRank of all nodes")
      .real(
          "teleport", 1e-3, 1, [](TrainConfig& c) -> double& { return c.encoder.teleport; },
          "the chance that a walk of such a PageRank starts anew")
      .truth(
          "sparse_diffusion", [](TrainConfig& c) -> bool& { return c.encoder.sparse_diffusion; },
          "keep about as many entries of the diffusion as there are edges, columns scaled to 0..1");
  table.group("Training");
  table
      .real(
          "lr", 1e-8, 1e2, [](TrainConfig& c) -> double& { return c.lr; }, "learning rate of Adam")
      .choice<Schedule>(
          "schedule", [](TrainConfig& c) -> Schedule& { return c.schedule; },
          "how the learning rate moves: cosine brings it to 0 over the epochs")
      .integer(
          "epochs", 1, large, [](TrainConfig& c) -> int& { return c.epochs; },
          "the most epochs; exactly as many with patience 0")
      .integer(
          "patience", 0, large, [](TrainConfig& c) -> int& { return c.patience; },
          "stop after more epochs than this without a lower loss; 0: never")
      .choice<Select>(
          "select", [](TrainConfig& c) -> Select& { return c.select; },
          "which epoch is kept: lowest training loss, the last, best validation accuracy, best "
          "calibrated without labels, lowest calibration error over validation nodes, or, to show "
          "what a peek at all labels is worth, the best clustering");
  table.group("Batches");
  table.integer(
      "batch_size", 0, std::numeric_limits<std::int32_t>::max(),
      [](TrainConfig& c) -> std::int64_t& { return c.batch.size; },
      "nodes of a batch, whose neighbourhoods are sampled; 0: the whole graph at once");
  table.add({.key = "fanouts",
             .values = "N,N,…",
             .help = "neighbours drawn per node, one number per layer from the batch's nodes "
                     "outward; -1: all",
             .set = set_fanouts,
             .get = fanouts_text});
  table
      .truth(
          "replace", [](TrainConfig& c) -> bool& { return c.batch.replace; },
          "draw neighbours with replacement")
      .integer(
          "batches", 0, large, [](TrainConfig& c) -> std::int64_t& { return c.batch.per_epoch; },
          "batches of an epoch, of a new random order each; 0: until every node was in one")
      .integer(
          "batches_per_update", 1, 65536, [](TrainConfig& c) -> int& { return c.batch.per_update; },
          "batches whose mean gradient makes one step; the ranks of --distributed share them, and "
          "as many as there are of these is its default")
      .choice<BatchNeighbours>(
          "batch_neighbours", [](TrainConfig& c) -> BatchNeighbours& { return c.batch.neighbours; },
          "the neighbours that losses look at: encoded from what the batch has of their "
          "neighbourhood, or with an extra hop, some 8 times the cost");
  table.group("Data");
  table
      .truth(
          "link_counts", [](TrainConfig& c) -> bool& { return c.link_counts; },
          "edges weigh as often as they are stored in either direction, loops included")
      .integer(
          "structure_features", 0, 1 << 16,
          [](TrainConfig& c) -> std::int64_t& { return c.structure_features; },
          "columns that a graph without features gets, made of its structure; 0: such a graph is "
          "refused")
      .truth(
          "pre_norm", [](TrainConfig& c) -> bool& { return c.pre_norm; },
          "divide each row of features by max(its sum, 1)");
  table.add({.key = "feature_scale",
             .values = "1e-12..1e+12|auto",
             .help =
                 "features are multiplied by it, after pre_norm; auto: by what gives embeddings "
                 "a mean length of 1 before training, whatever the features' size",
             .set = set_feature_scale,
             .get = feature_scale_text});
  table
      .truth(
          "final_norm", [](TrainConfig& c) -> bool& { return c.final_norm; },
          "evaluation brings each embedding to length 1 (the file keeps the raw output)")
      .truth(
          "final_spread", [](TrainConfig& c) -> bool& { return c.final_spread; },
          "the classifier of evaluation sees embeddings less their mean, the longer the fewer "
          "directions they use, unless final_norm (the file keeps the raw output)")
      .integer(
          "smooth", 0, 1000, [](TrainConfig& c) -> int& { return c.smooth; },
          "evaluation adds to the embeddings H what n propagations make of them, H + Â^n H, before "
          "it looks at lengths; 0: nothing (the file keeps the raw output)");
  for (const MethodEntry& method : shipped_methods()) {
    table.group("Method " + method.name);
    for (const OwnParameter& own : method.parameters) table.add(parameter_of(own));
  }
  std::vector<Parameter> all = table.take();
  for (Parameter& parameter : all) {
    for (const MethodEntry& method : shipped_methods()) {
      const std::vector<std::string>& uses = method.uses;
      const bool own = parameter.group == "Method " + method.name;
      if (own || std::find(uses.begin(), uses.end(), parameter.key) != uses.end()) {
        parameter.methods.push_back(method.name);
      }
    }
  }
  return all;
}

}  // namespace

std::string Parameter::flag() const {
  std::string name = "--" + key;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string Parameter::help_with_methods() const {
  return methods.empty() ? help : join_words(methods, ", ") + ": " + help;
}

const std::vector<Parameter>& train_parameters() {
  static const std::vector<Parameter> table = make_table();
  return table;
}

std::vector<Parameter> parameters_of(const TrainConfig& config) {
  std::vector<Parameter> all = train_parameters();
  if (!config.added) return all;
  for (const OwnParameter& own : config.added->parameters) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const Parameter& one) { return one.key == own.key; });
    if (known) continue;
    all.push_back(parameter_of(own));
    all.back().group = "Method " + config.added->name;
    all.back().methods = {config.added->name};
  }
  return all;
}

Parameter find_parameter(std::string_view key, const TrainConfig& config) {
  for (Parameter& parameter : parameters_of(config)) {
    if (parameter.key == key) return std::move(parameter);
  }
  return find_parameter(key);
}

void set_kept_method(TrainConfig& config, const std::string& name) {
  config.method = name;
  const std::vector<MethodEntry>& known = shipped_methods();
  if (std::any_of(known.begin(), known.end(),
                  [&](const MethodEntry& method) { return method.name == name; })) {
    return;
  }
  const auto refuse = [name](const MethodOptions& /*options*/) {
    fail_input({.what = "the run was trained by a program's own method",
                .file = "method",
                .found = in_quotes(name),
                .hint = "go on with it in that program; without it the run can be evaluated, and "
                        "its encoder used"});
  };
  config.added = std::make_shared<const MethodEntry>(MethodEntry{
      .name = name, .about = "a program's own", .encoders = all_graph_encoders(), .check = refuse});
}

void set_kept_encoder(TrainConfig& config, const std::string& name) {
  if (from_name<EncoderKind>(name)) {
    set_encoder(config, name);
    return;
  }
  config.encoder.kind = EncoderKind::gcn;
  config.encoder.added = std::make_shared<const AddedEncoder>(AddedEncoder{.name = name});
}

void take_added(TrainConfig& config, const std::shared_ptr<const AddedEncoder>& added) {
  if (added && config.encoder.added && config.encoder.added->name == added->name) {
    config.encoder.added = added;
  }
}

const Parameter& find_parameter(std::string_view key) {
  std::vector<std::string> keys;
  for (const Parameter& parameter : train_parameters()) {
    if (parameter.key == key) return parameter;
    keys.push_back(parameter.key);
  }
  fail_input({.what = "unknown parameter", .found = in_quotes(key), .hint = suggestion(key, keys)});
}

void apply_settings(TrainConfig& config, const std::vector<Setting>& settings,
                    const std::string& file, const std::function<bool(const Setting&)>& other) {
  for (const Setting& setting : settings) {
    if (other && other(setting)) continue;
    try {
      find_parameter(setting.key, config).set(config, setting.value);
    } catch (const Error& error) {
      ErrorDetail detail = error.detail();
      if (!detail.file.empty()) detail.what += " for " + in_quotes(detail.file);
      detail.file = file;
      detail.place = "line " + std::to_string(setting.line);
      fail_input(std::move(detail));
    }
  }
}

double effective_weight_decay(const TrainConfig& config) {
  return config.named_decay && config.weight_decay == 0 ? named_weight_decay : config.weight_decay;
}

}  // namespace creg
