#include "report/csv.h"

#include <gtest/gtest.h>

#include <limits>

#include "creg/core/error.h"

namespace creg::csv_test {
namespace {

using Numbers = std::vector<std::optional<double>>;
using Texts = std::vector<std::string>;

TEST(Csv, WritesShortNumbersAndLeavesMissingOnesEmpty) {
  const std::vector<CsvColumn> columns = {
      {"a", Numbers{1.0, 0.1, std::nullopt}},
      {"b", Numbers{1.0 / 3, std::numeric_limits<double>::quiet_NaN(), -1e-300}}};
  EXPECT_EQ(csv_text(columns), "a,b\n1,0.3333333333333333\n0.1,\n,-1e-300\n");
}

TEST(Csv, QuotesTextsThatNeedIt) {
  const std::vector<CsvColumn> columns = {{"a, \"b\"", Texts{"plain", "two\nlines", "x,y", "\""}},
                                          {"n", Numbers{1, 2, 3, 4}}};
  EXPECT_EQ(csv_text(columns),
            "\"a, \"\"b\"\"\",n\nplain,1\n\"two\nlines\",2\n\"x,y\",3\n\"\"\"\",4\n");
}

TEST(Csv, TablesMayHaveNoRowsOrColumnsButNotOfDifferentLengths) {
  EXPECT_EQ(csv_text({}), "");
  const std::vector<CsvColumn> empty = {{"a", Numbers{}}, {"b", Texts{}}};
  EXPECT_EQ(csv_text(empty), "a,b\n");
  const std::vector<CsvColumn> uneven = {{"a", Numbers{1}}, {"b", Texts{}}};
  EXPECT_THROW(csv_text(uneven), Bug);
}

}  // namespace
}  // namespace creg::csv_test
