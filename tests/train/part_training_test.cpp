// Training by ranks that have a part of the graph each, against one process that has all of it: the
// same draws, the same losses and parameters but for rounding. Ranks are threads here.
#include "train/part_training.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <mutex>
#include <string>
#include <vector>

#include "creg/methods/entry.h"
#include "graph/transforms.h"
#include "ops/tensors.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "support/gradients.h"
#include "support/graph_parts.h"
#include "support/temp_dir.h"
#include "support/thread_ranks.h"
#include "train/loop/graph_identity.h"
#include "train/parameters.h"
#include "train/part_traffic.h"

namespace creg::part_training_test {
namespace {

Partition in_turn(std::int64_t nodes, int parts) {
  Partition partition{.parts = parts, .method = PartitionMethod::streaming, .owners = {}};
  for (std::int64_t i = 0; i < nodes; ++i) {
    partition.owners.push_back(static_cast<std::int32_t>(i * 7 % 11 % parts));
  }
  return partition;
}

Context context_of(std::uint64_t seed = 1) {
  return Context(Context::Options{.threads = 1, .seed = seed});
}

TrainConfig config_of(const std::string& method, EncoderKind encoder, const std::string& reg,
                      int layers = 2) {
  TrainConfig config;
  config.method = method;
  config.encoder.kind = encoder;
  config.encoder.dim = 8;
  config.encoder.heads = 2;
  config.encoder.layers = layers;
  config.lr = 1e-2;
  config.epochs = 10;
  config.patience = 0;
  config.select = Select::last;
  find_parameter("reg").set(config, reg);
  return config;
}

struct OfAll {
  TrainResult result;     ///< rank 0's, with the embedding of all nodes
  std::int64_t sent = 0;  ///< bytes of rows, by all ranks
};

OfAll train_parts(const Graph& graph, const Partition& partition, const TrainConfig& config,
                  const RunFiles& files = {}, const Context& context = context_of()) {
  std::vector<GraphPart> parts = test::all_parts(graph, partition);
  const TextPairs identity = graph_identity(context, graph);
  OfAll all;
  std::vector<EpochStatistics> first;
  std::mutex mutex;
  test::on_ranks(partition.parts, [&](test::ThreadRanks& ranks) {
    PartOfRun part{.part = parts[static_cast<std::size_t>(ranks.rank())],
                   .exchange = {},
                   .identity = identity};
    part.exchange = std::make_shared<PartExchange>(ranks, part.part, partition.owners);
    std::vector<std::int32_t> labelled;
    if (find_method(config.method).labels) {
      const auto train = part.part.graph.splits.front().train.span();
      labelled.assign(train.begin(), train.end());
    }
    const TrainResult result = train_on_part(context, part, config, files, nullptr, labelled);
    EXPECT_EQ(result.embedding.rows, part.part.own);
    const DenseMatrix embedding = gathered_rows_of_all(*part.exchange, result.embedding);
    const DenseMatrix in_file = gathered_rows_of_all(*part.exchange, result.embedding,
                                                     std::filesystem::temp_directory_path());
    const std::lock_guard lock(mutex);
    all.sent += ranks.sent();
    if (ranks.rank() == 0) {
      EXPECT_EQ(in_file.rows, embedding.rows);
      EXPECT_TRUE(test::same(in_file.values, embedding.values));
      all.result = result;
      all.result.embedding = embedding;
    } else {
      EXPECT_EQ(embedding.rows, 0);
    }
    // All ranks see the same numbers, to the last bit.
    if (first.empty()) first = result.epochs;
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(result.epochs[i].loss, first[i].loss);
      EXPECT_EQ(result.epochs[i].norm_variance, first[i].norm_variance);
    }
  });
  return all;
}

TrainResult train_whole(const Graph& graph, const TrainConfig& config,
                        const Context& context = context_of()) {
  const bool labels = find_method(config.method).labels;
  return train(context, graph, config, {}, nullptr,
               labels ? graph.splits.front().train.span() : std::span<const std::int32_t>());
}

void expect_same_training(const TrainResult& here, const TrainResult& there, double tolerance) {
  ASSERT_EQ(here.epochs.size(), there.epochs.size());
  for (std::size_t i = 0; i < here.epochs.size(); ++i) {
    const EpochStatistics& a = here.epochs[i];
    const EpochStatistics& b = there.epochs[i];
    const double size = std::max(1.0, std::abs(b.loss));
    EXPECT_NEAR(a.loss, b.loss, tolerance * size) << i;
    EXPECT_NEAR(a.contrast, b.contrast, tolerance * size) << i;
    EXPECT_NEAR(a.regulariser, b.regulariser, tolerance * size) << i;
    // Adam makes rounding larger where a gradient is nearly 0; losses hardly feel it.
    const double around = 10 * tolerance;
    EXPECT_NEAR(a.positive_sigma, b.positive_sigma, around) << i;
    EXPECT_NEAR(a.negative_sigma, b.negative_sigma, around) << i;
    EXPECT_NEAR(a.norm_mean, b.norm_mean, around * std::max(1.0, b.norm_mean)) << i;
    EXPECT_NEAR(a.norm_variance, b.norm_variance, around * std::max(1.0, b.norm_variance)) << i;
    EXPECT_EQ(a.anchors, b.anchors);
  }
  ASSERT_EQ(here.embedding.rows, there.embedding.rows);
  EXPECT_LT(test::distance(as_tensor(here.embedding), as_tensor(there.embedding)), 1e-3);
}

class PartTraining : public ::testing::TestWithParam<std::string> {};

TEST_P(PartTraining, IsThatOfOneProcess) {
  const Graph graph = test::two_groups();
  for (const EncoderKind encoder :
       {EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin, EncoderKind::sage}) {
    for (const std::string reg :
         {"none", "contrast", "l2norm", "weight-decay", "contrast+l2norm+weight-decay"}) {
      const TrainConfig config = config_of(GetParam(), encoder, reg);
      const TrainResult whole = train_whole(graph, config);
      for (const int parts : {2, 3}) {
        SCOPED_TRACE(GetParam() + " " + name_of(encoder) + " " + reg + " " + std::to_string(parts));
        expect_same_training(train_parts(graph, in_turn(40, parts), config).result, whole, 1e-5);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, PartTraining,
                         ::testing::Values("ml", "lc", "dgi", "gcn-neg", "gcn-supervised"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(PartTraining, OtherSettings) {
  const Graph graph = test::two_groups();
  const std::vector<std::pair<std::string, std::map<std::string, std::string>>> cases = {
      {"ml", {{"negatives", "3"}, {"score", "bilinear"}, {"temperature", "0.5"}}},
      {"ml", {{"reg", "contrast"}, {"r", "summary"}, {"ratio", "auto"}}},
      {"ml", {{"dropout", "0.3"}, {"activation", "rrelu"}, {"reg", "contrast"}}},
      {"ml", {{"layer_norm", "true"}, {"layers", "3"}, {"hidden", "4"}}},
      {"lc", {{"k", "2"}, {"negatives", "2"}, {"pre_norm", "true"}}},
      {"dgi", {{"log", "naive"}, {"schedule", "cosine"}, {"encoder", "sage"}}},
      {"gcn-supervised", {{"dropout", "0.5"}, {"activation", "relu"}}},
      {"ml", {{"feature_scale", "auto"}, {"reg", "contrast"}}},
      {"lc", {{"feature_scale", "3"}, {"encoder", "gin"}}},
  };
  for (const auto& [method, settings] : cases) {
    TrainConfig config = config_of(method, EncoderKind::gcn, "none");
    std::string trace = method;
    for (const auto& [key, value] : settings) {
      find_parameter(key, config).set(config, value);
      trace += " " + key + "=" + value;
    }
    SCOPED_TRACE(trace);
    expect_same_training(train_parts(graph, in_turn(40, 4), config).result,
                         train_whole(graph, config), 1e-5);
  }
}

TEST(PartTraining, DirectedAndDenseAndOneLayer) {
  Graph graph = test::two_groups();
  graph.features = to_dense(graph.features);
  for (const bool directed : {false, true}) {
    graph.directed = directed;
    for (const std::string method : {"ml", "dgi"}) {
      const TrainConfig config = config_of(method, EncoderKind::gcn, "contrast", 1);
      expect_same_training(train_parts(graph, in_turn(40, 3), config).result,
                           train_whole(graph, config), 1e-5);
    }
  }
}

/// With sparse features, and neighbours in the order of their numbers, not a bit differs.
TEST(PartTraining, UntrainedEmbeddingsAreTheSameBytes) {
  const Graph graph = test::two_groups(200, 30);
  for (const EncoderKind encoder :
       {EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin, EncoderKind::sage}) {
    TrainConfig config = config_of("ml", encoder, "none", 1);
    config.epochs = 0;
    const TrainResult whole = train_whole(graph, config);
    const TrainResult parts = train_parts(graph, in_turn(200, 4), config).result;
    const bool bytes = encoder == EncoderKind::gcn || encoder == EncoderKind::sage;
    const double distance = test::distance(as_tensor(parts.embedding), as_tensor(whole.embedding));
    EXPECT_LE(distance, bytes ? 0 : 1e-6) << name_of(encoder);
    if (bytes) {
      EXPECT_TRUE(test::same(parts.embedding.values, whole.embedding.values));
    }
    config.encoder.layers = 2;
    EXPECT_LE(
        test::distance(as_tensor(train_parts(graph, in_turn(200, 4), config).result.embedding),
                       as_tensor(train_whole(graph, config).embedding)),
        1e-6);
  }
}

/// Stopped in between, and gone on with by as many ranks, or by others.
TEST(PartTraining, GoesOnWhereItWasStopped) {
  const Graph graph = test::two_groups();
  TrainConfig config = config_of("ml", EncoderKind::gcn, "contrast");
  const TrainResult whole = train_whole(graph, config);
  const Partition partition = in_turn(40, 3);
  const test::TempDir uninterrupted;
  const OfAll all = train_parts(graph, partition, config, {.directory = uninterrupted.path()});
  for (const int parts : {3, 2}) {
    const test::TempDir folder;
    RunFiles files{.directory = folder.path()};
    // Ctrl-C is noticed by all ranks after the same epoch, whoever has heard of it.
    const auto stop = std::make_shared<std::atomic<bool>>(true);
    EXPECT_THROW(train_parts(graph, partition, config, files,
                             Context(Context::Options{.threads = 1, .seed = 1, .stop = stop})),
                 Interrupted);
    files.resume = true;
    const TrainResult resumed = train_parts(graph, in_turn(40, parts), config, files).result;
    EXPECT_EQ(resumed.epochs.size(), whole.epochs.size() - 1);
    EXPECT_NEAR(resumed.epochs.back().loss, whole.epochs.back().loss, 1e-5);
    if (parts == 3) {
      EXPECT_TRUE(test::same(resumed.embedding.values, all.result.embedding.values));
    }
  }
}

/// What is exchanged is what was said before: of halos to the byte, of rows that permutations lead
/// to about.
TEST(PartTraining, SendsWhatWasForetold) {
  const Graph graph = test::two_groups(300, 20);
  const Partition partition = in_turn(300, 3);
  const std::vector<GraphPart> parts = test::all_parts(graph, partition);
  std::int64_t all_rows = 0;
  for (const GraphPart& part : parts) all_rows += part.graph.nodes();
  for (const std::string method : {"ml", "lc", "dgi", "gcn-neg", "gcn-supervised"}) {
    for (const std::string reg : {"none", "contrast"}) {
      for (const EncoderKind encoder : {EncoderKind::gcn, EncoderKind::gin}) {
        TrainConfig config = config_of(method, encoder, reg, 3);
        config.encoder.hidden = 6;
        config.contrast.negatives = 2;
        std::int64_t halo = 0;
        std::int64_t shuffled = 0;
        for (const GraphPart& part : parts) {
          const PartTraffic traffic =
              part_traffic(config, {.ranks = 3,
                                    .nodes = 300,
                                    .entries = graph.adjacency.nonzeros(),
                                    .own = part.own,
                                    .halo = part.halo(),
                                    .sent = static_cast<std::int64_t>(part.send_nodes.size()),
                                    .all_rows = all_rows,
                                    .classes = 2});
          halo += traffic.halo;
          shuffled += traffic.shuffled;
        }
        const auto sent_in = [&](int epochs) {
          config.epochs = epochs;
          return train_parts(graph, partition, config).sent;
        };
        constexpr int more = 5;
        const std::int64_t sent = sent_in(1 + more) - sent_in(1);
        SCOPED_TRACE(method + " " + reg + " " + name_of(encoder));
        if (shuffled == 0) {
          EXPECT_EQ(sent, more * halo);
        } else {
          const auto foretold = static_cast<double>(more * shuffled);
          EXPECT_NEAR(static_cast<double>(sent - more * halo), foretold, 0.03 * foretold);
        }
      }
    }
  }
}

TEST(PartTraining, RefusesByName) {
  const auto refused = [](TrainConfig config, bool directed,
                          std::initializer_list<std::string> words) {
    test::expect_error([&] { check_in_parts(Device(), config, directed); }, words);
  };
  const TrainConfig plain = config_of("ml", EncoderKind::gcn, "none");
  check_in_parts(Device(), plain, true);
  refused(config_of("grace", EncoderKind::gcn, "none"), false, {"grace", "--method", "ml", "lc"});
  const TrainConfig lc = config_of("lc", EncoderKind::gcn, "none");
  check_in_parts(Device(), lc, false);
  refused(lc, true, {"lc", "directed"});
  TrainConfig global = lc;
  global.own["positives"] = "global";
  refused(global, false, {"all pairs", "--positives global"});
  TrainConfig other = plain;
  other.encoder.kind = EncoderKind::dual;
  refused(other, false, {"dual", "gcn or gat or gin or sage"});
  other = plain;
  other.encoder.channel_norm = true;
  refused(other, false, {"--channel-norm", "all nodes"});
  other = plain;
  other.smooth = 2;
  refused(other, false, {"--smooth", "all edges"});
  other = plain;
  other.batch.size = 10;
  refused(other, false, {"--batch-size", "10"});
}

}  // namespace
}  // namespace creg::part_training_test
