#include "core/text.h"

#include <gtest/gtest.h>

namespace creg::text_test {
namespace {

using Names = std::vector<std::string>;

TEST(Text, GroupsDigits) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(61859140), "61,859,140");
  EXPECT_EQ(with_commas(-1234), "-1,234");
  EXPECT_EQ(with_commas(-123), "-123");
}

TEST(Text, CountsThings) {
  EXPECT_EQ(counted(0, "node"), "0 nodes");
  EXPECT_EQ(counted(1, "node"), "1 node");
  EXPECT_EQ(counted(1200, "node"), "1,200 nodes");
}

TEST(Text, HumanUnits) {
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(std::int64_t{8} << 30), "8.0 GiB");
  EXPECT_EQ(human_seconds(0.0421), "42 ms");
  EXPECT_EQ(human_seconds(12.34), "12.3 s");
  EXPECT_EQ(human_seconds(75), "1m 15s");
  EXPECT_EQ(human_seconds(3725), "1h 02m");
}

TEST(Text, QuotedIsSafeToPrint) {
  EXPECT_EQ(in_quotes("a\tb\x1b[31m\xff"), "'a\\tb\\x1b[31m\\xff'");
  EXPECT_EQ(in_quotes("abcdef", 3), "'abc…'");
}

TEST(Text, JoinsWords) {
  EXPECT_EQ(join_words(Names{}), "");
  EXPECT_EQ(join_words(Names{"a"}), "a");
  EXPECT_EQ(join_words(Names{"a", "b", "c"}), "a, b and c");
}

TEST(Text, SuggestsTheNearestNames) {
  const Names names = {"cora", "cora-ml", "citeseer", "pubmed", "photo"};
  EXPECT_EQ(nearest_names("citeser", names), Names{"citeseer"});
  EXPECT_EQ(nearest_names("dmeo", Names{"data", "demo"}), Names{"demo"});  // swapped letters
  EXPECT_EQ(nearest_names("ocra", Names{"pubmed"}), Names{});
  EXPECT_EQ(suggestion("pubmde", names), "did you mean pubmed?");
  EXPECT_EQ(suggestion("zzzzzz", Names{"a1", "b2"}), "known: a1 and b2");
  EXPECT_EQ(suggestion("", Names{"a1", "b2"}), "known: a1 and b2");
}

}  // namespace
}  // namespace creg::text_test
