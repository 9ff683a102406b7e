#include "io/formats/edge_list.h"

#include <gtest/gtest.h>

#include <map>

#include "creg/core/random.h"
#include "support/compress.h"
#include "support/expect_error.h"
#include "support/graphs.h"

namespace creg::edge_list_test {
namespace {

using Texts = std::vector<std::string>;

Bytes bytes(const std::string& text) {
  return Bytes::from_string(text, "edges.csv");
}

EdgeList read(const std::string& text, const EdgeListOptions& options = {}) {
  return read_edge_list(Context(), bytes(text), options);
}

test::Edges pairs(const EdgeList& list) {
  test::Edges out;
  for (std::int64_t e = 0; e < list.edges(); ++e) {
    out.emplace_back(list.sources[e], list.targets[e]);
  }
  return out;
}

Texts names(const EdgeList& list) {
  Texts out;
  for (std::int64_t i = 0; i < list.names.size(); ++i) out.emplace_back(list.names[i]);
  return out;
}

TEST(EdgeList, ReadsEveryForm) {
  const test::Edges expected = {{0, 1}, {1, 2}, {0, 0}, {0, 1}};
  for (const std::string text :
       {"0,1\n1,2\n0,0\n0,1\n", "0\t1\r\n1\t2\r\n0\t0\r\n0\t1", "0 1\n1   2\n 0\t0 \n0 1\n",
        "0;1\n1;2\n0;0\n0;1\n", "# c\n% c\n// c\n\n0, 1\n1, 2\n#\n0, 0\n0, 1\n\n",
        "source,target\n0,1\n1,2\n0,0\n0,1\n", "what ever\n0 1\n1 2\n0 0\n0 1\n",
        "\xef\xbb\xbf\"0\",1\n1,\"2\"\n0,0\n0,1\n"}) {
    for (const std::string& form : {text, test::gzip(text)}) {
      const EdgeList list = read(form);
      EXPECT_EQ(list.nodes, 3) << text;
      EXPECT_EQ(pairs(list), expected) << text;
      EXPECT_TRUE(list.names.empty());
      EXPECT_TRUE(list.weights.empty());
    }
  }
}

TEST(EdgeList, IntegersWithGapsAreSortedByValue) {
  const EdgeList list = read("100 7\n7 20\n");
  EXPECT_EQ(names(list), (Texts{"7", "20", "100"}));
  EXPECT_EQ(pairs(list), (test::Edges{{2, 0}, {0, 1}}));
  // Far apart: too sparse for a map of bits.
  const EdgeList sparse = read("2147483646 0\n5 2147483646\n");
  EXPECT_EQ(names(sparse), (Texts{"0", "5", "2147483646"}));
  EXPECT_EQ(pairs(sparse), (test::Edges{{2, 0}, {1, 2}}));
  // Beyond 32 and 64 bits.
  const EdgeList large = read("99999999999999999999999 5000000000\n3 5000000000\n");
  EXPECT_EQ(names(large), (Texts{"3", "5000000000", "99999999999999999999999"}));
  EXPECT_EQ(pairs(large), (test::Edges{{2, 1}, {0, 1}}));
}

TEST(EdgeList, NamesKeepTheOrderOfFirstAppearance) {
  const EdgeList list = read("b,a\n\"x, y\",b\na,\"say \"\"hi\"\"\"\n007,7\n");
  EXPECT_EQ(names(list), (Texts{"b", "a", "x, y", "say \"hi\"", "007", "7"}));
  EXPECT_EQ(pairs(list), (test::Edges{{0, 1}, {2, 0}, {1, 3}, {4, 5}}));
}

TEST(EdgeList, OneNameLateInTheFileMakesAllIdsNames) {
  std::string text;
  for (int i = 5000; i > 0; --i) text += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  const EdgeList list = read(text + "x 1\n");
  EXPECT_EQ(list.names[0], "5000");
  EXPECT_EQ(list.names[list.nodes - 1], "x");
  EXPECT_EQ(list.nodes, 5002);
  EXPECT_EQ(list.edges(), 5001);
}

TEST(EdgeList, RecognisesHeaders) {
  EXPECT_EQ(read("Source\tTarget\na\tb\n").edges(), 1);
  EXPECT_EQ(read("src,dst,weight\na,b,2\n").edges(), 1);
  EXPECT_EQ(read("paper,cites\n1,2\n").edges(), 1);
  EXPECT_EQ(read("# FromNodeId\tToNodeId\n1\t2\n").edges(), 1);
  // Neither a known name nor followed by integers: an edge.
  EXPECT_EQ(read("paper,cites\na,b\n").edges(), 2);
  EXPECT_EQ(read("a,1\n2,3\n").edges(), 2);
  EXPECT_EQ(read("u,v\n").edges(), 0);
  EXPECT_EQ(read("paper,cites\na,b\n", {.header = true}).edges(), 1);
  EXPECT_EQ(read("source,target\na,b\n", {.header = false}).edges(), 2);
  EXPECT_EQ(read("1,2\n3,4\n", {.header = true}).edges(), 1);
}

TEST(EdgeList, TakesTheGivenSeparator) {
  EXPECT_EQ(names(read("a,1 b\n", {.separator = Separator::space})), (Texts{"a,1", "b"}));
  test::expect_error([] { read("a b\n", {.separator = Separator::comma}); },
                     {"edges.csv: line 1", "two ids", "found 1 column", "comma"});
}

TEST(EdgeList, ReadsWeights) {
  const EdgeList list = read("u,v,w\n0,1,0.5\n1,2,3\n");
  ASSERT_EQ(list.weights.size(), 2);
  EXPECT_EQ(list.weights[0], 0.5F);
  EXPECT_EQ(list.weights[1], 3.0F);
  EXPECT_EQ(edges_to_csr(Context(), list).values[1], 3.0F);
  EXPECT_TRUE(read("0 1 1\n1 2 1.0\n").weights.empty());
  EXPECT_TRUE(read("0,1,friend\n1,2,7\n").weights.empty());
  // A fourth column is passed over.
  EXPECT_EQ(read("0 1 2 1999\n1 2 2 2001\n").weights.size(), 2);
}

TEST(EdgeList, RefusesBadWeights) {
  for (const auto& [weight, message] :
       std::vector<std::pair<std::string, std::string>>{{"nan", "not finite"},
                                                        {"inf", "not finite"},
                                                        {"1e39", "not finite"},
                                                        {"x", "not a number"},
                                                        {"", "not a number"},
                                                        {"-1", "negative weight"}}) {
    test::expect_error([&] { read("0,1,1\n# c\n1,2," + weight + "\n"); },
                       {"edges.csv: line 3, column 3", message});
  }
  test::expect_error([&] { read("0,1,nan\n1,2,1\n"); }, {"line 1, column 3", "not finite"});
}

TEST(EdgeList, RefusesBadIds) {
  for (const std::string other : {"0", "a"}) {
    test::expect_error([&] { read("0,1\n" + other + ",-1\n"); },
                       {"edges.csv: line 2, column 2", "negative id", "'-1'"});
    test::expect_error([&] { read("0,1\nNaN," + other + "\n"); },
                       {"edges.csv: line 2, column 1", "NaN"});
    test::expect_error([&] { read("0,1\n" + other + ",\n"); }, {"line 2, column 2", "missing"});
  }
  test::expect_error([&] { read("a,b\nc," + std::string("x\0y", 3) + "\n"); },
                     {"line 2, column 2", "zero byte"});
  test::expect_error([&] { read("a," + std::string(70000, 'x') + "\n"); },
                     {"line 1, column 2", "too long"});
  test::expect_error([&] { read("a,\"b\n"); }, {"line 1, column 2", "quoted field"});
  EXPECT_EQ(names(read("\"-1\",\"nan\"\n")), (Texts{"-1", "nan"}));
}

TEST(EdgeList, RefusesRowsOfAnotherLength) {
  test::expect_error([] { read("0,1\n1,2,3\n"); },
                     {"line 2", "another length", "found 3 columns", "expected 2"});
  test::expect_error([] { read("0,1,5\n1,2\n"); }, {"line 2", "found 2 columns", "expected 3"});
  test::expect_error([] { read("0 1\n5\n"); }, {"line 2", "two ids", "found 1 column"});
  test::expect_error([] { read("alone\n"); }, {"line 1", "two ids"});
}

TEST(EdgeList, NothingIsNoEdges) {
  for (const std::string text : {"", "\n\n", "# only\n% comments\n", "source,target\n"}) {
    for (const std::string& form : {text, test::gzip(text)}) {
      const EdgeList list = read(form);
      EXPECT_EQ(list.nodes, 0);
      EXPECT_EQ(list.edges(), 0);
    }
  }
  EXPECT_EQ(read_numbered_edges(Context(), bytes(""), {}, 5).nodes, 5);
}

TEST(NumberedEdges, StayInRange) {
  const EdgeList list = read_numbered_edges(Context(), bytes("0 1\n4 1\n"), {}, 6);
  EXPECT_EQ(list.nodes, 6);
  EXPECT_EQ(pairs(list), (test::Edges{{0, 1}, {4, 1}}));
  EXPECT_TRUE(list.names.empty());
  test::expect_error([] { read_numbered_edges(Context(), bytes("0 1\n1 5\n"), {}, 5); },
                     {"line 2, column 2", "out of range", "'5'", "0 to 4"});
  test::expect_error([] { read_numbered_edges(Context(), bytes("0 1\nab 1\n"), {}, 5); },
                     {"line 2, column 1", "not a row number", "'ab'"});
  test::expect_error([] { read_numbered_edges(Context(), bytes("0 1\n"), {}, 0); },
                     {"line 1", "no edges"});
}

TEST(NamedEdges, LookUpOrAdd) {
  const Context context;
  NodeIndex index;
  const EdgeList first = read_named_edges(context, bytes("a b\n"), {}, index);
  EXPECT_EQ(pairs(first), (test::Edges{{0, 1}}));
  const EdgeList second = read_named_edges(context, bytes("c a\n"), {}, index);
  EXPECT_EQ(pairs(second), (test::Edges{{2, 0}}));
  const EdgeList known = read_known_edges(context, bytes("b c\n"), {}, index, UnknownIds::error);
  EXPECT_EQ(pairs(known), (test::Edges{{1, 2}}));
  test::expect_error(
      [&] {
        read_known_edges(context, bytes("a b\n#\nb alpha\nbeta a\nalpha x\na y\n"), {}, index,
                         UnknownIds::error);
      },
      {"edges.csv: line 3, column 2", "4 unknown node ids", "'alpha' (line 3, column 2)",
       "'beta' (line 4, column 1)", "'x' (line 5, column 2) and 1 more", "one of the 3 ids",
       "--unknown-ids drop"});
  const EdgeList kept = read_known_edges(context, bytes("a b 2\nb alpha 3\n\"beta\" a 4\nc a 5\n"),
                                         {}, index, UnknownIds::drop);
  EXPECT_EQ(pairs(kept), (test::Edges{{0, 1}, {2, 0}}));
  EXPECT_EQ(kept.weights[0], 2);
  EXPECT_EQ(kept.weights[1], 5);
}

// A file of many blocks gives the same list whatever the threads, equal to a plain loop's.
TEST(EdgeList, DoesNotDependOnThreadsOrCompression) {
  RandomStream random(1, Purpose::test);
  std::string text;
  std::map<std::string, std::int32_t> expected_ids;
  test::Edges expected;
  Texts order;
  for (int e = 0; e < 25000; ++e) {
    std::int32_t ends[2] = {};
    for (int side = 0; side < 2; ++side) {
      const std::string name = "node-" + std::to_string(random.below(9000));
      const auto [entry, fresh] =
          expected_ids.try_emplace(name, static_cast<std::int32_t>(expected_ids.size()));
      if (fresh) order.push_back(name);
      ends[side] = entry->second;
      text += name + (side == 0 ? "," : "\n");
    }
    expected.emplace_back(ends[0], ends[1]);
  }
  const Texts forms = {text, test::gzip(text)};
  for (const int threads : {1, 3}) {
    const Context context(Context::Options{.threads = threads});
    for (const std::string& form : forms) {
      const EdgeList list = read_edge_list(context, bytes(form));
      EXPECT_EQ(pairs(list), expected);
      EXPECT_EQ(names(list), order);
    }
  }
}

TEST(EdgeList, RefusesCutOffAndFlippedGzip) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 31 % 997) + " 1\n";
  const std::string whole = test::gzip(text);
  test::expect_error([&] { read(whole.substr(0, whole.size() / 2)); },
                     {"edges.csv", "end too early"});
  std::string flipped = whole;
  flipped[flipped.size() - 6] ^= 1;  // in the checksum
  test::expect_error([&] { read(flipped); }, {"edges.csv", "damaged"});
}

}  // namespace
}  // namespace creg::edge_list_test
