#include "report/history_report.h"

#include <gtest/gtest.h>

#include "report/history_lines.h"
#include "report/writers.h"

namespace creg::history_report_test {
namespace {

TEST(HistoryReport, HasTheKeysOfScripts) {
  const std::vector<RunHistory> runs = {
      read_run_history(Bytes::from_string(test::history_lines(12), "a"), "a")};
  const Report report = history_report(runs, 0);
  const auto found = to_json(report.body);
  ASSERT_EQ(found.size(), 2U);
  const auto& run = found["runs"][0];
  EXPECT_EQ(run["run"], "a");
  EXPECT_EQ(run["epochs"], 12);
  EXPECT_EQ(run["first"]["epoch"], 0);
  EXPECT_EQ(run["best"]["ece"], 0.25);
  EXPECT_TRUE(run["first"]["loss"].is_null());
  EXPECT_EQ(run["last"].size(), 16U);
  ASSERT_EQ(found["correlations"].size(), 8U);
  std::string keys;
  for (const auto& [key, value] : found["correlations"][0].items()) keys += key + " ";
  EXPECT_EQ(keys, "x y kind within r low high runs points resampled ");
  EXPECT_EQ(report.charts.size(), 4U);
  EXPECT_EQ(report.table.rows.size(), 12U);
}

}  // namespace
}  // namespace creg::history_report_test
