#include "io/node_lookup.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::node_lookup_test {
namespace {

using test::expect_error;
using Numbers = std::vector<std::int32_t>;
using Words = std::vector<std::string>;

TEST(NodeLookup, FindsNodesByNameInTheOrderAskedFor) {
  const NodeNames names{Words{"ann", "bob", "12", "cy d"}};
  EXPECT_EQ(find_nodes(Context(), names, 4, Words{"cy d", "12", "ann", "12"}, "NODE"),
            (Numbers{3, 2, 0, 2}));
  EXPECT_EQ(find_nodes(Context(), names, 4, Words{}, "NODE"), Numbers{});
}

TEST(NodeLookup, NodesWithoutNamesGoByNumber) {
  EXPECT_EQ(find_nodes(Context(), {}, 10, Words{"9", "0"}, "NODE"), (Numbers{9, 0}));
  for (const char* wrong : {"10", "-1", "x", "", "1.0"}) {
    expect_error(
        [&] {
          find_nodes(Context(), {}, 10, Words{"1", wrong}, "NODE");
        },
        {"NODE", "unknown node", "0 to 9"});
  }
}

TEST(NodeLookup, AnUnknownNameIsToldWithWhatComesNear) {
  const NodeNames names{Words{"graph", "node", "edge"}};
  expect_error([&] { find_nodes(Context(), names, 3, Words{"ndoe"}, "new.txt"); },
               {"new.txt", "unknown node", "ndoe", "3 nodes", "did you mean", "'node'"});
  const NodeNames twice{Words{"a", "a"}};
  expect_error([&] { find_nodes(Context(), twice, 2, Words{"a"}, "NODE"); }, {"same one"});
}

TEST(NodeLookup, AListHasANameALine) {
  const test::TempDir dir;
  const auto list = dir.write("list.txt", "a b\r\n\nc\n d");
  EXPECT_EQ(read_name_list(Context(), list), (Words{"a b", "c", " d"}));
  const auto none = dir.write("none.txt", "\n\n");
  expect_error([&] { read_name_list(Context(), none); },
               {"none.txt", "no node is named", "one a line"});
  expect_error([&] { read_name_list(Context(), dir / "missing.txt"); }, {"missing.txt"});
}

}  // namespace
}  // namespace creg::node_lookup_test
