#include "train/embed_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "creg/core/random.h"
#include "creg/train/trainer.h"
#include "graph/transforms.h"
#include "support/devices.h"
#include "support/graphs.h"
#include "support/recording_log.h"
#include "support/temp_dir.h"

namespace creg::embed_nodes_test {
namespace {

constexpr std::int32_t count = 60;

/// A ring with a weight per edge and chords at some nodes: two hops are far from everything.
Graph ring(bool directed) {
  test::Edges edges;
  std::vector<float> weights;
  for (std::int32_t i = 0; i < count; ++i) {
    edges.emplace_back(i, (i + 1) % count);
    weights.push_back(0.5F + 0.1F * static_cast<float>(i % 7));
    if (i % 9 != 0) continue;
    edges.emplace_back(i, (i + 4) % count);
    weights.push_back(2);
  }
  Graph graph;
  graph.name = "ring";
  graph.directed = directed;
  graph.adjacency = test::csr(count, edges, weights);
  RandomStream stream(3, Purpose::test);
  std::vector<float> values(std::size_t{count} * 5);
  for (float& value : values) value = static_cast<float>(stream.normal());
  graph.features = DenseMatrix{.rows = count, .cols = 5, .values = std::move(values)};
  return simple_graph(Context(), std::move(graph));
}

TrainConfig config_of(EncoderKind kind, int layers) {
  TrainConfig config;
  config.method = "dgi";
  config.encoder.kind = kind;
  config.encoder.layers = layers;
  config.encoder.dim = 8;
  config.encoder.heads = 2;
  config.epochs = 3;
  config.patience = 0;
  config.pre_norm = true;
  return config;
}

struct Looked {
  double furthest = 0;  ///< between rows of some nodes and of all
  std::string said;
};

Looked look(const Graph& graph, const TrainConfig& config) {
  const test::TempDir dir;
  train(test::context(1), graph, config, {.directory = dir.path()});
  const std::filesystem::path checkpoint = dir / "checkpoint.pt";
  const DenseMatrix all = embed(test::context(1), graph, checkpoint);
  const std::vector<std::int32_t> nodes = {31, 0, 31, 2};
  const auto log = std::make_shared<test::RecordingLog>();
  const DenseMatrix some =
      embed_nodes(test::context({.threads = 1, .log = log}), graph, checkpoint, nodes);
  EXPECT_EQ(some.rows, 4);
  EXPECT_EQ(some.cols, all.cols);
  Looked looked{.said = log->messages(LogLevel::info).front()};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t k = 0; k < some.row(0).size(); ++k) {
      const double apart =
          some.row(static_cast<std::int64_t>(i))[k] - static_cast<double>(all.row(nodes[i])[k]);
      looked.furthest = std::max(looked.furthest, std::abs(apart));
    }
  }
  return looked;
}

TEST(EmbedNodes, GivesTheRowsOfTheWholeFromTheirNeighbourhoods) {
  for (const bool directed : {false, true}) {
    const Graph graph = ring(directed);
    for (const EncoderKind kind :
         {EncoderKind::gcn, EncoderKind::gat, EncoderKind::gin, EncoderKind::sage}) {
      for (const int layers : {1, 2}) {
        const Looked looked = look(graph, config_of(kind, layers));
        EXPECT_LT(looked.furthest, 1e-5) << name_of(kind) << layers << directed;
        EXPECT_NE(looked.said.find("of 60 nodes are looked at"), std::string::npos) << looked.said;
        EXPECT_LT(std::stoi(looked.said), 40) << name_of(kind) << layers << directed;
      }
    }
  }
}

TEST(EmbedNodes, AnEncoderThatLooksAtAllNodesEmbedsThem) {
  TrainConfig config = config_of(EncoderKind::gcn, 1);
  config.encoder.channel_norm = true;
  const Looked looked = look(ring(false), config);
  EXPECT_LT(looked.furthest, 1e-6);
  EXPECT_NE(looked.said.find("all 60 nodes"), std::string::npos) << looked.said;
  EXPECT_NE(looked.said.find("channel_norm"), std::string::npos) << looked.said;
}

TEST(EmbedNodes, EncodersThatSeeNeighbourhoodsAreKnown) {
  EncoderOptions options;
  EXPECT_TRUE(sees_neighbourhoods(options));
  options.propagation = Propagation::diffusion;
  EXPECT_FALSE(sees_neighbourhoods(options));
  for (const EncoderKind kind : {EncoderKind::table, EncoderKind::dual, EncoderKind::multiplex}) {
    EXPECT_FALSE(sees_neighbourhoods({.kind = kind}));
  }
}

}  // namespace
}  // namespace creg::embed_nodes_test
