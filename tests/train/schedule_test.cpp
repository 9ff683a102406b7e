#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "creg/train/trainer.h"
#include "support/attributed_graph.h"
#include "support/devices.h"
#include "train/parameters.h"

namespace creg::schedule_test {
namespace {

TEST(Schedule, CosineBringsTheRateToNothing) {
  TrainConfig config;
  config.encoder.dim = 4;
  config.lr = 0.01;
  config.epochs = 8;
  config.patience = 0;
  const auto rates = [&] {
    std::vector<double> out;
    for (const EpochStatistics& epoch : train(test::context(), test::two_groups(), config).epochs) {
      out.push_back(epoch.lr);
    }
    return out;
  };
  EXPECT_EQ(rates(), std::vector<double>(8, 0.01));
  find_parameter("schedule").set(config, "cosine");
  const std::vector<double> found = rates();
  ASSERT_EQ(found.size(), 8);
  for (std::size_t e = 0; e < 8; ++e) {
    const double share = (1 + std::cos(std::numbers::pi * static_cast<double>(e) / 8)) / 2;
    EXPECT_NEAR(found[e], 0.01 * share, 1e-12);
  }
  EXPECT_EQ(found.front(), 0.01);
}

}  // namespace
}  // namespace creg::schedule_test
