#include "learn/cluster_metrics.h"

#include <gtest/gtest.h>

#include "creg/core/error.h"
#include "learn/cluster_golden.h"

namespace creg::cluster_metrics_test {
namespace {

using nlohmann::json;
using Labels = std::vector<std::int32_t>;

TEST(ClusterMetrics, AreScikitLearnsAlsoInDegenerateCases) {
  const json golden = test::cluster_golden();
  ASSERT_FALSE(golden["metrics"].empty());
  for (const json& spec : golden["metrics"]) {
    SCOPED_TRACE(spec["name"].get<std::string>());
    const ClusterAgreement found =
        cluster_agreement(spec["clusters"].get<Labels>(), spec["classes"].get<Labels>());
    EXPECT_NEAR(found.accuracy, spec["accuracy"].get<double>(), 1e-12);
    EXPECT_NEAR(found.nmi, spec["nmi"].get<double>(), 1e-12);
    EXPECT_NEAR(found.f1, spec["f1"].get<double>(), 1e-12);
    EXPECT_NEAR(found.ari, spec["ari"].get<double>(), 1e-12);
  }
}

TEST(ClusterMetrics, LeaveUnlabelledItemsOut) {
  const ClusterAgreement found =
      cluster_agreement(Labels{0, 0, 7, 1, 1, 7}, Labels{2, 2, -1, 5, 5, -1});
  EXPECT_EQ(found.accuracy, 1);
  EXPECT_EQ(found.nmi, 1);
  EXPECT_EQ(found.f1, 1);
  EXPECT_EQ(found.ari, 1);
}

TEST(ClusterMetrics, OfNothingAreZero) {
  for (const ClusterAgreement& found :
       {cluster_agreement(Labels{}, Labels{}), cluster_agreement(Labels{0, 1}, Labels{-1, -1})}) {
    EXPECT_EQ(found.accuracy, 0);
    EXPECT_EQ(found.nmi, 0);
    EXPECT_EQ(found.f1, 0);
    EXPECT_EQ(found.ari, 0);
  }
  EXPECT_THROW(cluster_agreement(Labels{0}, Labels{}), Bug);
}

}  // namespace
}  // namespace creg::cluster_metrics_test
