#include "report/cluster_report.h"

#include <gtest/gtest.h>

#include "report/writers.h"

namespace creg::cluster_report_test {
namespace {

ClusterResult clusters(std::optional<std::int64_t> pca, double accuracy) {
  return {.pca = pca,
          .k = 3,
          .classes = 3,
          .nodes = 90,
          .labelled = 89,
          .restarts = 10,
          .seed = 4,
          .seeds = 1,
          .accuracy = {accuracy},
          .nmi = {0.5},
          .f1 = {0.25},
          .ari = {0.125},
          .inertia = {1.5}};
}

TEST(ClusterReport, HasTheKeysOfScripts) {
  const auto found =
      to_json(cluster_report({.dataset = "ring", .alternatives = {clusters({}, 0.5)}}).body);
  EXPECT_EQ(found.dump(),
            "{\"task\":\"cluster\",\"protocol\":\"k-means\",\"dataset\":\"ring\","
            "\"normalize\":\"none\",\"smooth\":0,\"pca\":null,\"k\":3,\"classes\":3,\"nodes\":90,"
            "\"labelled\":89,\"restarts\":10,\"cluster_seed\":4,\"seeds\":1,\"runs\":1,"
            "\"metrics\":{\"accuracy\":{\"mean\":0.5,\"std\":0.0,\"values\":[0.5]},"
            "\"nmi\":{\"mean\":0.5,\"std\":0.0,\"values\":[0.5]},"
            "\"f1\":{\"mean\":0.25,\"std\":0.0,\"values\":[0.25]},"
            "\"ari\":{\"mean\":0.125,\"std\":0.0,\"values\":[0.125]}},"
            "\"inertia\":{\"mean\":1.5,\"std\":0.0,\"values\":[1.5]},"
            "\"chosen_by\":null,\"alternatives\":null}");
}

TEST(ClusterReport, TheBetterWayIsReportedAndTheOtherStandsBeside) {
  const Report report =
      cluster_report({.dataset = "ring", .alternatives = {clusters({}, 0.5), clusters(64, 0.75)}});
  const auto found = to_json(report.body);
  EXPECT_EQ(found["pca"], 64);
  EXPECT_EQ(found["protocol"], "k-means-best-pca");
  ASSERT_EQ(found["alternatives"].size(), 2U);
  EXPECT_TRUE(found["alternatives"][0]["pca"].is_null());
  EXPECT_EQ(found["alternatives"][1]["metrics"], found["metrics"]);
  const std::string text = to_text(report);
  EXPECT_LT(text.find("PCA 64\n"), text.find("no PCA\n"));
  EXPECT_NE(text.find("better by mean accuracy: PCA 64 (a choice"), std::string::npos) << text;
}

}  // namespace
}  // namespace creg::cluster_report_test
