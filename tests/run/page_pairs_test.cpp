#include "run/page_pairs.h"

#include <gtest/gtest.h>

namespace creg::page_pairs_test {
namespace {

using Words = std::vector<std::string>;

ComparedRun run_of(const std::string& reg, const std::string& encoder = "gcn",
                   const std::string& score = "dot", const std::string& lr = "0.01") {
  return {.dataset = "cora",
          .settings = {{"method", "ml"},
                       {"reg", reg},
                       {"ratio", reg == "contrast" ? "0.5" : "1"},
                       {"encoder", encoder},
                       {"score", score},
                       {"lr", lr}},
          .seeds = {0, 1}};
}

TEST(PagePairs, RunsAreEqualButForContrastReg) {
  // As the tables of encoders, of regularisers and of ECE leave them in a store.
  const std::vector<ComparedRun> runs = {
      run_of("contrast"),        run_of("none"),        run_of("none", "gcn", "bilinear"),
      run_of("none", "gin"),     run_of("none", "gat"), run_of("contrast", "gat"),
      run_of("contrast", "gin"), run_of("l2norm"),      run_of("contrast", "gcn", "bilinear")};
  const auto found = counterparts(runs);
  ASSERT_EQ(found.size(), runs.size());
  EXPECT_EQ(found[1]->run, 0U);
  EXPECT_EQ(found[2]->run, 8U);
  EXPECT_EQ(found[3]->run, 6U);
  EXPECT_EQ(found[4]->run, 5U);
  for (const std::size_t i : {0, 5, 6, 7, 8}) EXPECT_FALSE(found[i]) << i;
  for (const std::size_t i : {1, 2, 3, 4}) EXPECT_TRUE(found[i]->differs.empty()) << i;
}

TEST(PagePairs, NoRunIsComparedTwiceAndEqualSeedsComeFirst) {
  std::vector<ComparedRun> runs = {run_of("none"), run_of("none"), run_of("contrast"),
                                   run_of("contrast")};
  runs[1].seeds = {5};
  runs[2].seeds = {5};
  const auto found = counterparts(runs);
  EXPECT_EQ(found[0]->run, 3U);
  EXPECT_EQ(found[1]->run, 2U);
  runs.pop_back();
  const auto fewer = counterparts(runs);
  EXPECT_FALSE(fewer[0]);
  EXPECT_EQ(fewer[1]->run, 2U);
  runs[2].dataset = "citeseer";
  EXPECT_FALSE(counterparts(runs)[1]);
}

TEST(PagePairs, TheLastTwoOfAMethodSayWhatElseDiffers) {
  const std::vector<ComparedRun> runs = {run_of("none", "gcn", "dot", "0.1"), run_of("contrast")};
  const auto found = counterparts(runs);
  EXPECT_EQ(found[0]->run, 1U);
  EXPECT_EQ(found[0]->differs, Words{"lr"});
  // With two to choose from nobody knows which.
  const std::vector<ComparedRun> more = {runs[0], runs[1], run_of("contrast", "gcn", "dot", "1")};
  EXPECT_FALSE(counterparts(more)[0]);
}

TEST(PagePairs, RunsOfOneMethodAreToldApartByFewSettings) {
  std::vector<ComparedRun> runs = {run_of("contrast"), run_of("contrast", "gat", "dot", "0.003"),
                                   run_of("contrast", "gcn", "bilinear"), run_of("none"),
                                   run_of("none", "gcn", "dot", "0.1")};
  EXPECT_EQ(apart_words(runs),
            (Words{"GCN, dot score", "GAT", "GCN, bilinear score", "lr 0.01", "lr 0.1"}));
  runs[4] = runs[3];
  EXPECT_EQ(apart_words(runs)[4], "");
  runs[4].calibrate = 10;
  EXPECT_EQ(apart_words(runs)[4], "calibrate 10");
  runs[4].dataset = "citeseer";
  EXPECT_EQ(apart_words(runs)[3], "");
}

}  // namespace
}  // namespace creg::page_pairs_test
