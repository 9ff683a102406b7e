#include "report/classify_report.h"

#include <gtest/gtest.h>

#include "report/writers.h"

namespace creg::classify_report_test {
namespace {

const ClassifyResult result{.protocol = "public",
                            .classifier = "logistic-regression",
                            .normalize = Normalize::l2,
                            .split_seed = 7,
                            .splits = 2,
                            .train = 140,
                            .val = 500,
                            .test = 1000,
                            .accuracy = {0.5, 0.75},
                            .val_accuracy = {}};

TEST(ClassifyReport, HasTheKeysOfScripts) {
  ClassifyResult decayed = result;
  EXPECT_EQ(
      to_json(classify_report(decayed, "cora").body).dump(),
      "{\"task\":\"classify\",\"protocol\":\"public\",\"dataset\":\"cora\",\"normalize\":\"l2\","
      "\"smooth\":0,\"classifier\":\"logistic-regression\",\"split_seed\":7,\"splits\":2,"
      "\"runs\":1,\"train\":140,\"val\":500,\"test\":1000,\"metrics\":{\"accuracy\":{\"mean\":0."
      "625,"
      "\"std\":0.125,\"values\":[0.5,0.75]},\"val_accuracy\":null}}");
  EXPECT_FALSE(to_json(classify_report(decayed, "cora").body).contains("weight_decay"));
  decayed.weight_decay = 0.25;
  EXPECT_EQ(to_json(classify_report(decayed, "cora").body)["weight_decay"], 0.25);
}

TEST(ClassifyReport, BaselinesAreRowsBesideTheEmbedding) {
  EXPECT_EQ(to_json(baselines_record(result, {})).dump(), "{\"baselines\":null}");
  ClassifyResult plain = result;
  plain.accuracy = {0.25, 0.25};
  const std::vector<Baseline> baselines = {{"X", plain}};
  const Record record = baselines_record(result, baselines);
  EXPECT_EQ(to_json(record).dump(),
            "{\"baselines\":[{\"rows\":\"X\",\"accuracy\":{\"mean\":0.25,\"std\":0.0,\"values\":[0."
            "25,0.25]},\"val_accuracy\":null}]}");
  EXPECT_EQ(to_text({.body = record}),
            "beside what learns nothing: the same classifier on features\n"
            "  rows           test accuracy %  val accuracy %\n"
            "  the embedding   62.50 +- 12.50  -\n"
            "  X                25.00 +- 0.00  -\n");
}

TEST(ClassifyReport, ShowsPercentAndLeavesOutWhatIsMissing) {
  EXPECT_EQ(to_text(classify_report(result, "cora")),
            "cora: protocol public, logistic-regression on rows of length 1\n"
            "140 train, 500 val and 1,000 test nodes of a split\n"
            "\n"
            "percent         mean    std  least   most\n"
            "test accuracy  62.50  12.50  50.00  75.00\n"
            "\n"
            "over 2 splits of 1 run\n");
}

TEST(ClassifyReport, SaysWhatWasDoneToTheRows) {
  ClassifyResult spread = result;
  spread.normalize = Normalize::spread;
  EXPECT_EQ(to_json(classify_report(spread, "cora").body)["normalize"], "spread");
  EXPECT_TRUE(to_text(classify_report(spread, "cora"))
                  .starts_with("cora: protocol public, logistic-regression on rows spread by the "
                               "directions they use\n"));
  spread.smooth = 2;
  EXPECT_TRUE(to_text(classify_report(spread, "cora"))
                  .starts_with("cora: protocol public, logistic-regression on smoothed rows, H + "
                               "Â^2 H, spread by the directions they use\n"));
}

}  // namespace
}  // namespace creg::classify_report_test
