#include "train/memory_estimate.h"

#include <gtest/gtest.h>

#include <numeric>

#include "creg/methods/entry.h"
#include "creg/train/trainer.h"
#include "ops/tensor_memory.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"
#include "train/parameters.h"

namespace creg::memory_estimate_test {
namespace {

/// A ring with long chords, so that edges count too.
Graph ring(std::int32_t nodes) {
  test::Edges edges;
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (const std::int32_t step : {1, 7, 31, 101}) {
      edges.emplace_back(u, (u + step) % nodes);
      edges.emplace_back((u + step) % nodes, u);
    }
  }
  Graph graph = test::two_groups(20, 40);
  graph.adjacency = test::csr(nodes, edges);
  std::vector<std::int32_t> columns;
  for (std::int32_t u = 0; u < nodes; ++u) columns.push_back(u % 40);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(nodes));
  std::iota(rows.begin(), rows.end(), 0);
  graph.features = csr_from_entries(Context(), nodes, 40, rows, columns, {});
  graph.labels = {};
  graph.splits = {};
  return graph;
}

/// What training takes over what was estimated. The estimate counts everything; the counter sees
/// tensors of the CPU alone, so graph and features, which are plain arrays here, are taken off.
double measured_share(const Graph& graph, const TrainConfig& config) {
  const MemoryEstimate estimate = estimate_memory(graph, config);
  std::int64_t wanted = 0;
  for (const MemoryPart& part : estimate.parts) {
    if (part.name != "graph" && part.name != "features") wanted += part.bytes;
  }
  const std::int64_t before = tensor_memory().live_bytes;
  reset_peak_tensor_memory();
  train(Context({.threads = 1}), graph, config);
  return static_cast<double>(tensor_memory().peak_bytes - before) / static_cast<double>(wanted);
}

TEST(MemoryEstimate, IsNearWhatTrainingTakes) {
  install_tensor_memory();
  const Graph graph = ring(1500);
  for (const char* method : {"ml", "lc", "gcn-neg", "dgi"}) {
    for (const char* encoder : {"gcn", "gat", "gin", "sage"}) {
      for (const char* reg : {"none", "contrast"}) {
        for (const char* score : {"dot", "bilinear"}) {
          if (score == std::string("bilinear") && method == std::string("dgi")) continue;
          TrainConfig config;
          config.epochs = 2;
          config.encoder.dim = 128;
          find_parameter("method").set(config, method);
          find_parameter("encoder").set(config, encoder);
          find_parameter("reg").set(config, reg);
          find_parameter("score").set(config, score);
          const double measured = measured_share(graph, config);
          EXPECT_GT(measured, 0.7) << method << ' ' << encoder << ' ' << reg << ' ' << score;
          EXPECT_LT(measured, 1.25) << method << ' ' << encoder << ' ' << reg << ' ' << score;
        }
      }
    }
  }
}

TEST(MemoryEstimate, IsNearWhatViewsTake) {
  install_tensor_memory();
  const Graph graph = ring(600);
  for (const char* method : {"grace", "digcl", "cca-ssg"}) {
    for (const EncoderKind encoder : find_method(method).encoders) {
      for (const char* reg : {"none", "contrast"}) {
        TrainConfig config;
        config.method = method;
        config.epochs = 2;
        config.encoder.kind = encoder;
        config.encoder.dim = 128;
        config.encoder.hidden = 256;
        config.encoder.layers = 2;
        if (config.method == "digcl") config.encoder.propagation = Propagation::directed_pagerank;
        find_parameter("reg").set(config, reg);
        const double measured = measured_share(graph, config);
        EXPECT_GT(measured, 0.7) << method << ' ' << name_of(encoder) << ' ' << reg;
        EXPECT_LT(measured, 1.25) << method << ' ' << name_of(encoder) << ' ' << reg;
      }
    }
  }
}

TEST(MemoryEstimate, IsNearWhatGroupsTake) {
  install_tensor_memory();
  const Graph graph = ring(1500);
  for (const char* encoder : {"gcn", "gat", "gin", "sage"}) {
    for (const char* reg : {"none", "contrast"}) {
      for (const auto& [edges, features] : {std::pair{"0", "0"}, {"0", "0.2"}, {"0.3", "0.2"}}) {
        for (const char* layers : {"1", "3"}) {
          TrainConfig config;
          config.epochs = 2;
          config.encoder.dim = 128;
          find_parameter("method").set(config, "ggd");
          find_parameter("ggd_layers").set(config, layers);
          find_parameter("encoder").set(config, encoder);
          find_parameter("reg").set(config, reg);
          find_parameter("drop_edges1").set(config, edges);
          find_parameter("drop_features1").set(config, features);
          const double measured = measured_share(graph, config);
          EXPECT_GT(measured, 0.7) << encoder << ' ' << reg << ' ' << edges << ' ' << features;
          EXPECT_LT(measured, 1.25) << encoder << ' ' << reg << ' ' << edges << ' ' << features;
        }
      }
    }
  }
}

/// All methods with all their encoders, of one layer and of two with dropout. What they keep for a
/// moment alone is estimated from above, so that these go lower. node2vec's walks, which do not
/// grow with the graph, are most of what it takes here.
TEST(MemoryEstimate, IsInTheRangeOfWhatEveryMethodTakes) {
  install_tensor_memory();
  const Graph graph = ring(300);
  for (const MethodEntry& method : shipped_methods()) {
    if (method.name == "node2vec" || method.labels) continue;
    for (const EncoderKind encoder : method.encoders) {
      for (const char* reg : {"none", "contrast"}) {
        for (const int layers : {1, 2}) {
          if (layers > 1 && encoder == EncoderKind::dual) continue;
          TrainConfig config;
          config.method = method.name;
          config.epochs = 2;
          config.clusters = 3;
          config.encoder.kind = encoder;
          config.encoder.dim = 64;
          config.encoder.layers = layers;
          const bool fixed = encoder == EncoderKind::dual || encoder == EncoderKind::multiplex;
          if (layers > 1 && !fixed) config.encoder.dropout = 0.3;
          if (fixed) config.views.drop_edges1 = 0;
          if (config.method == "digcl") config.encoder.propagation = Propagation::directed_pagerank;
          if (method.regularised) find_parameter("reg").set(config, reg);
          const double measured = measured_share(graph, config);
          EXPECT_GT(measured, 0.5)
              << method.name << ' ' << name_of(encoder) << ' ' << reg << layers;
          EXPECT_LT(measured, 1.25)
              << method.name << ' ' << name_of(encoder) << ' ' << reg << layers;
        }
      }
    }
  }
}

TEST(MemoryEstimate, TooLittleIsRefusedWithWhatToChange) {
  const MemoryEstimate estimate = {.parts = {{"activations", std::int64_t{3} << 30}},
                                   .total = std::int64_t{3} << 30};
  require_memory(estimate, 1, {std::int64_t{4} << 30, "ulimit"});
  // Estimates miss some of it, and who is killed for that has no message.
  test::expect_error(
      [&] {
        require_memory(estimate, 1, {std::int64_t{3} << 30, "ulimit"});
      },
      {"3.0 GiB a run", "3.8 GiB to be safe", "at most 3.0 GiB"}, ErrorKind::environment);
  test::expect_error(
      [&] {
        require_memory(estimate, 2, {std::int64_t{5} << 30, "the limit of the moon"});
      },
      {"more memory", "3.0 GiB", "2 runs", "5.0 GiB, by the limit of the moon", "--dim"},
      ErrorKind::environment);
}

std::int64_t part_of(const MemoryEstimate& estimate, const std::string& name) {
  for (const MemoryPart& part : estimate.parts) {
    if (part.name == name) return part.bytes;
  }
  return -1;
}

TrainConfig in_batches() {
  TrainConfig config;
  config.encoder.kind = EncoderKind::sage;
  config.encoder.layers = 2;
  config.batch.size = 100;
  config.batch.fanouts = {3, 2};
  return config;
}

TEST(MemoryEstimate, AGpuKeepsOneNumberPerNodeForItsSampler) {
  const Graph graph = ring(1500);
  const MemoryEstimate there = estimate_memory(graph, in_batches(), Device::parse("cuda"));
  EXPECT_EQ(part_of(there, "marks of the sampler"), 4 * 1500);
  EXPECT_EQ(part_of(there, "graph"),
            graph.adjacency.offsets.bytes() + graph.adjacency.columns.bytes());
  std::int64_t sum = 0;
  for (const MemoryPart& part : there.parts) sum += part.bytes;
  EXPECT_EQ(sum, there.total);
}

TEST(MemoryEstimate, GraphAndFeaturesStayOnTheHostWhereAGpuIsTooSmallForThem) {
  const Device gpu = Device::parse("cuda");
  const std::int64_t gib = std::int64_t{1} << 30;
  const MemoryEstimate estimate = {
      .parts = {{"graph", 3 * gib}, {"features", 2 * gib}, {"batches", gib}}, .total = 6 * gib};
  const MemoryLimit enough = {8 * gib, "the card"};
  const MemoryLimit little = {2 * gib, "the card"};
  EXPECT_EQ(least_memory(estimate, in_batches(), gpu, enough).total, 6 * gib);
  const MemoryEstimate rest = least_memory(estimate, in_batches(), gpu, little);
  EXPECT_EQ(rest.total, gib);
  ASSERT_EQ(rest.parts.size(), 1);
  EXPECT_EQ(rest.parts.front().name, "batches");
  require_memory(rest, 1, little);
  // On the CPU, and in a step on the whole graph, there is no other place for them.
  EXPECT_EQ(least_memory(estimate, in_batches(), Device{}, little).total, 6 * gib);
  EXPECT_EQ(least_memory(estimate, TrainConfig{}, gpu, little).total, 6 * gib);
}

TEST(AvailableMemory, IsSomethingThisMachineHas) {
  EXPECT_GT(available_memory(), 0);
  EXPECT_LE(available_memory(), physical_memory());
}

TEST(MemoryEstimate, ProcessesThatMapAFileHaveTheGraphOnce) {
  const MemoryEstimate one{{{"graph", 100}, {"features", 60}, {"parameters", 7}}, 167};
  const MemoryEstimate of_four = with_shared_graph(one, 4);
  EXPECT_EQ(of_four.total, 25 + 15 + 7);
  EXPECT_EQ(of_four.parts[0].bytes, 25);
  EXPECT_EQ(of_four.parts[2].bytes, 7);
}

}  // namespace
}  // namespace creg::memory_estimate_test
