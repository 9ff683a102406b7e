#include <gtest/gtest.h>

#include <limits>

#include "report/small_report.h"
#include "report/writers.h"

namespace creg::csv_test {
namespace {

TEST(CsvWriter, WritesShortNumbersAndLeavesMissingOnesEmpty) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Table table{.columns = {{"a"}, {"b"}},
                    .rows = {{1.0, 1.0 / 3}, {0.1, nan}, {nullptr, -1e-300}}};
  EXPECT_EQ(to_csv(table), "a,b\n1,0.3333333333333333\n0.1,\n,-1e-300\n");
}

TEST(CsvWriter, QuotesTextsThatNeedIt) {
  const Table table{
      .columns = {{"a, \"b\""}, {"n"}},
      .rows = {{"plain", 1}, {"two\nlines", 2}, {"x,y", 3U}, {"\"", true}, {List{1, 2}, "\r"}}};
  EXPECT_EQ(to_csv(table),
            "\"a, \"\"b\"\"\",n\nplain,1\n\"two\nlines\",2\n\"x,y\",3\n\"\"\"\",true\n"
            "\"[1,2]\",\"\r\"\n");
}

TEST(CsvWriter, LeavesOutWhatIsForPeople) {
  const Table table{.columns = {{"", "label"}, {"a"}, {"", "note"}, {"b", "b", Unit::rate}},
                    .rows = {{"x", 1, "y", 0.5}}};
  EXPECT_EQ(to_csv(table), "a,b\n1,0.5\n");
}

TEST(CsvWriter, ASampleHasItsMeanAndStd) {
  const Table table{.columns = {{"a"}, {"b"}}, .rows = {{Sample{{1, 3}}, 1}, {Sample{}, 2}}};
  EXPECT_EQ(to_csv(table), "a,a_std,b\n2,1,1\n,,2\n");
}

TEST(CsvWriter, TablesMayHaveNoRowsOrColumnsButNotShortRows) {
  EXPECT_EQ(to_csv(Table{}), "");
  EXPECT_EQ(to_csv(Table{.columns = {{"a"}, {"b"}}}), "a,b\n");
  EXPECT_THROW(to_csv(Table{.columns = {{"a"}, {"b"}}, .rows = {{1}}}), std::out_of_range);
}

TEST(CsvWriter, AReportIsItsTableItsSamplesOrItsFigures) {
  Report report = test::small_report();
  EXPECT_EQ(to_csv(report),
            "metric,mean,std,least,most,runs\n"
            "accuracy,0.625,0.125,0.5,0.75,2\n");
  report.table = {.columns = {{"a"}}, .rows = {{7}}};
  EXPECT_EQ(to_csv(report), "a\n7\n");
  EXPECT_EQ(to_csv({.body = {{"a", 1}, {"b", Record{{"c", "x,y"}}}, words("people")}}),
            "key,value\na,1\nb.c,\"x,y\"\n");
}

}  // namespace
}  // namespace creg::csv_test
