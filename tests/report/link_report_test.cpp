#include "report/link_report.h"

#include <gtest/gtest.h>

#include "report/writers.h"

namespace creg::link_report_test {
namespace {

const LinkResult result{
    .protocol = "edge-85-5-10",
    .learning_rate = 0.5,
    .epochs = 100,
    .predictor_seed = 3,
    .val = 5,
    .test = 10,
    .leak_check = {.training_edges = 1085, .held_out_edges = 15, .non_edges = 15},
    .split_seeds = {0, 0, 1},
    .auc = {0.5, 0.75, 1},
    .average_precision = {0.5, 0.5, 0.5},
    .val_auc = {0.25, 0.25, 0.25},
    .best_epochs = {1, 2, 3}};

TEST(LinkReport, HasTheKeysOfScripts) {
  EXPECT_EQ(
      to_json(link_report(result, "ring").body).dump(),
      "{\"task\":\"link\",\"protocol\":\"edge-85-5-10\",\"dataset\":\"ring\","
      "\"normalize\":\"none\",\"smooth\":0,\"predictor\":\"linear\",\"predictor_lr\":0.5,"
      "\"predictor_epochs\":100,\"predictor_patience\":0,\"predictor_seed\":3,\"splits\":2,"
      "\"runs\":3,\"train\":1085,\"val\":5,\"test\":10,\"leak_check\":{\"passed\":true,"
      "\"training_edges\":1085,\"held_out_edges\":15,\"non_edges\":15,\"shared\":0,"
      "\"encoder\":\"unknown\"},\"split_seeds\":[0,0,1],\"best_epochs\":[1,2,3],"
      "\"metrics\":{\"auc\":{\"mean\":0.75,\"std\":0.2041241452319315,\"values\":[0.5,0.75,1.0]},"
      "\"ap\":{\"mean\":0.5,\"std\":0.0,\"values\":[0.5,0.5,0.5]},"
      "\"val_auc\":{\"mean\":0.25,\"std\":0.0,\"values\":[0.25,0.25,0.25]}}}");
}

TEST(LinkReport, NamesTheMethodOfRunsTrainedForIt) {
  const std::string text = to_text(link_report(result, "ring", "lc"));
  for (const char* part : {"lc on ring: protocol edge-85-5-10, linear predictor\n1,085 train",
                           "test AUC  75.00", "over 3 runs on 2 splits\n", "is not known"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

}  // namespace
}  // namespace creg::link_report_test
