#include "creg/train/memory_estimate.h"

#include <gtest/gtest.h>

#include "creg/ops/tensor_memory.h"
#include "creg/train/parameters.h"
#include "creg/train/trainer.h"
#include "support/attributed_graph.h"
#include "support/expect_error.h"

namespace creg {
namespace {

/// The estimate counts everything; the counter sees tensors alone, so graph and features, which
/// are plain arrays here, are taken off.
TEST(MemoryEstimate, IsNearWhatTrainingTakes) {
  install_tensor_memory();
  const Graph graph = test::two_groups(3000, 40);
  for (const char* method : {"ml", "lc"}) {
    for (const char* encoder : {"gcn", "gat", "gin", "sage"}) {
      for (const char* reg : {"none", "contrast"}) {
        for (const char* score : {"dot", "bilinear"}) {
          TrainConfig config;
          config.epochs = 2;
          config.encoder.dim = 256;
          find_parameter("method").set(config, method);
          find_parameter("encoder").set(config, encoder);
          find_parameter("reg").set(config, reg);
          find_parameter("score").set(config, score);
          const MemoryEstimate estimate = estimate_memory(graph, config);
          std::int64_t wanted = 0;
          for (const MemoryPart& part : estimate.parts) {
            if (part.name != "graph" && part.name != "features") wanted += part.bytes;
          }
          const std::int64_t before = tensor_memory().live_bytes;
          reset_peak_tensor_memory();
          train(Context(), graph, config);
          const double measured = static_cast<double>(tensor_memory().peak_bytes - before) /
                                  static_cast<double>(wanted);
          EXPECT_GT(measured, 0.7) << method << ' ' << encoder << ' ' << reg << ' ' << score;
          EXPECT_LT(measured, 1.25) << method << ' ' << encoder << ' ' << reg << ' ' << score;
        }
      }
    }
  }
}

TEST(MemoryEstimate, TooLittleIsRefusedWithWhatToChange) {
  const MemoryEstimate estimate = {.parts = {{"activations", std::int64_t{3} << 30}},
                                   .total = std::int64_t{3} << 30};
  require_memory(estimate, 1, std::int64_t{3} << 30);
  test::expect_error([&] { require_memory(estimate, 2, std::int64_t{5} << 30); },
                     {"more memory", "3.0 GiB", "2 runs", "5.0 GiB", "--dim"},
                     ErrorKind::environment);
}

TEST(AvailableMemory, IsSomethingThisMachineHas) {
  EXPECT_GT(available_memory(), 0);
  EXPECT_LE(available_memory(), physical_memory());
}

}  // namespace
}  // namespace creg
