#include <gtest/gtest.h>

#include "report/small_report.h"
#include "report/writers.h"

namespace creg::text_test {
namespace {

TEST(TextWriter, SetsWhatPeopleRead) {
  EXPECT_EQ(to_text(test::small_report()),
            "ring: a test\n"
            "of two lines\n"
            "\n"
            "nodes   12,345\n"
            "share  81.50 %  of all\n"
            "\n"
            "percent    mean    std  least   most\n"
            "accuracy  62.50  12.50  50.00  75.00\n"
            "\n"
            "for people alone\n"
            "  σ      1.5000\n"
            "  words  a|b\n"
            "\n"
            "what was read\n"
            "  name             size  hit %  note\n"
            "  a|b           1.5 KiB  25.00  first file\n"
            "  long, \"name\"        -      -  x\n"
            "\n"
            "the end\n");
}

TEST(TextWriter, NumbersHaveTheirUnits) {
  const auto shown = [](const Value& value, Unit unit) {
    return to_text({.body = {{.value = value, .label = "x", .unit = unit}}});
  };
  EXPECT_EQ(shown(0.12345678, Unit::plain), "x  0.1235\n");
  EXPECT_EQ(shown(0.0001234, Unit::plain), "x  1.234e-04\n");
  EXPECT_EQ(shown(1234567.0, Unit::plain), "x  1.235e+06\n");
  EXPECT_EQ(shown(0.0, Unit::plain), "x  0\n");
  EXPECT_EQ(shown(1234567, Unit::plain), "x  1234567\n");
  EXPECT_EQ(shown(0.5, Unit::decimal), "x  0.5000\n");
  EXPECT_EQ(shown(-1234567, Unit::count), "x  -1,234,567\n");
  EXPECT_EQ(shown(1234.0, Unit::count), "x  1,234\n");
  EXPECT_EQ(shown(1, Unit::rate), "x  100.00 %\n");
  EXPECT_EQ(shown(1536U, Unit::bytes), "x  1.5 KiB\n");
  EXPECT_EQ(shown(75, Unit::seconds), "x  1m 15s\n");
  EXPECT_EQ(shown(42.0, Unit::milliseconds), "x  42 ms\n");
  EXPECT_EQ(shown(true, Unit::plain), "x  yes\n");
  EXPECT_EQ(shown(List{1, "two", nullptr}, Unit::plain), "x  1, two, -\n");
}

TEST(TextWriter, SamplesInTablesHaveTheirSpreadUnlessBrief) {
  const Table table{.columns = {{"a", "a", Unit::rate}, {"b", "b", Unit::plain, true}},
                    .rows = {{Sample{{0.5, 0.75}}, Sample{{1, 2}}}, {Sample{}, Sample{}}}};
  EXPECT_EQ(to_text({.body = {{"t", table}}}),
            "           a %    b\n"
            "62.50 +- 12.50  1.5\n"
            "             -    -\n");
}

TEST(TextWriter, SamplesWithNotesOrOfSeveralUnits) {
  EXPECT_EQ(to_text({.body = {{"a", Sample{{1, 3}}, "a", Unit::plain, "exact"},
                              {"b", Sample{{0.5}}, "b", Unit::rate}}}),
            "    mean   std  least   most\n"
            "a      2     1      1      3  exact\n"
            "b  50.00  0.00  50.00  50.00\n");
}

TEST(TextWriter, WhatNobodyReadsLeavesNothingBehind) {
  EXPECT_EQ(to_text({.body = {{"a", 1, "a"},
                              {"r", Record{{"x", 1}, {"t", Table{.columns = {{"k"}}}}}},
                              {"each", List{Record{{"x", 1, "x"}}}},
                              words(""),
                              {"b", 2, "b"},
                              {"gone", Record{{"x", nullptr, "x"}}, "a title without rows"},
                              {"c", Record{{"c", 3, "c"}}}}}),
            "a  1\n"
            "b  2\n"
            "\n"
            "c  3\n");
  EXPECT_EQ(to_text({}), "");
}

}  // namespace
}  // namespace creg::text_test
