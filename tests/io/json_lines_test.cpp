#include "io/json_lines.h"

#include <gtest/gtest.h>

#include "io/json_text.h"

namespace creg::json_lines_test {
namespace {

const std::string zero = "{\"epoch\":0,\"loss\":0.5}\n";
const std::string one = "{\"epoch\":1,\"loss\":0.25}\n";
const std::string two = "{\"epoch\":2}\n";

TEST(JsonLines, EarlierEpochsAreKept) {
  EXPECT_EQ(lines_before_epoch(zero + one + two, 2), zero + one);
  EXPECT_EQ(lines_before_epoch(zero + one + two, 9), zero + one + two);
  EXPECT_EQ(lines_before_epoch(zero + one, 0), "");
  EXPECT_EQ(lines_before_epoch("", 5), "");
}

TEST(JsonLines, NothingFollowsALineThatIsNone) {
  for (const std::string bad :
       {"{\"epoch\":1,\"lo\n", "\n", "[1]\n", "7\n", "{\"loss\":1}\n", "{\"epoch\":\"1\"}\n",
        "{\"epoch\":1.5}\n", "{\"epoch\":18446744073709551615}\n"}) {
    EXPECT_EQ(lines_before_epoch(zero + bad + two, 9), zero) << bad;
  }
  // The last line of a killed run may be cut off.
  EXPECT_EQ(lines_before_epoch(zero + "{\"epoch\":1}", 9), zero);
}

TEST(JsonText, DepthIsThatOfListsAndObjects) {
  EXPECT_EQ(nesting_depth("7"), 0);
  EXPECT_EQ(nesting_depth("[1,{\"a\":[]},[]]"), 3);
  EXPECT_EQ(nesting_depth("\"[[[\\\"[[\""), 0);
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']')).is_array());
  EXPECT_TRUE(parse_json(std::string(65, '[') + std::string(65, ']')).is_discarded());
}

}  // namespace
}  // namespace creg::json_lines_test
