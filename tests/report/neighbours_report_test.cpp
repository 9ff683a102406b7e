#include "report/neighbours_report.h"

#include <gtest/gtest.h>

#include "report/writers.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::neighbours_report_test {
namespace {

NeighbourLists lists(bool graph) {
  NeighbourLists lists{
      .k = 2, .nodes = {2, 0}, .neighbours = {0, 1, 2, -1}, .scores = {0.75F, -0.5F, 0.75F, 0}};
  if (graph) lists.edges = {1, 0, 1, 0};
  return lists;
}

const NeighbourSource named{.embedding = "e.npy",
                            .graph = "mine",
                            .names = NodeNames(std::vector<std::string>{"a,b", "b\tc", "c"})};

TEST(NeighboursReport, IsAListForMachines) {
  EXPECT_EQ(nlohmann::json::parse(to_json_text(neighbours_report(lists(true), named, {}).body)),
            nlohmann::json::parse(R"([
      {"node": "c", "neighbours": [{"node": "a,b", "score": 0.75, "edge": true},
                                   {"node": "b\tc", "score": -0.5, "edge": false}]},
      {"node": "a,b", "neighbours": [{"node": "c", "score": 0.75, "edge": true}]}])"));
  const NeighbourSource bare{.embedding = "e.npy"};
  const nlohmann::json found =
      nlohmann::json::parse(to_json_text(neighbours_report(lists(false), bare, {}).body));
  EXPECT_EQ(found[0]["node"], "2");
  EXPECT_TRUE(found[0]["neighbours"][1]["edge"].is_null());
}

TEST(NeighboursReport, IsATablePerNodeForPeople) {
  EXPECT_EQ(to_text(neighbours_report(lists(true), named, {})),
            "e.npy: the most similar by cosine\n"
            "\n"
            "node c\n"
            "  rank  neighbour    score  graph neighbour\n"
            "     1  a,b         0.7500  yes\n"
            "     2  b\tc        -0.5000  no\n"
            "\n"
            "node a,b\n"
            "  rank  neighbour   score  graph neighbour\n"
            "     1  c          0.7500  yes\n");
  const std::string bare = to_text(neighbours_report(lists(false), {.embedding = "e.npy"}, {}));
  EXPECT_NE(bare.find("nothing is known of edges"), std::string::npos) << bare;
  EXPECT_EQ(bare.find("graph neighbour"), std::string::npos) << bare;
  const NeighbourOptions without{.graph_neighbours = GraphNeighbours::exclude};
  const std::string others = to_text(neighbours_report(lists(true), named, without));
  EXPECT_NE(others.find("less the neighbours in mine"), std::string::npos) << others;
}

TEST(NeighboursReport, IsOneTableAsCsv) {
  EXPECT_EQ(to_csv(neighbours_report(lists(true), named, {})),
            "node,rank,neighbour,score,edge\n"
            "c,1,\"a,b\",0.75,true\nc,2,b\tc,-0.5,false\n\"a,b\",1,c,0.75,true\n");
}

TEST(NeighboursFile, HasARowPerNeighbour) {
  const test::TempDir dir;
  {
    NeighboursFile file(dir / "nn.tsv");
    file.add(Context(), lists(true), named.names);
    EXPECT_FALSE(std::filesystem::exists(dir / "nn.tsv"));
    file.add(Context(), lists(false), {});
    file.commit();
  }
  EXPECT_EQ(test::read_text(dir / "nn.tsv"),
            "node\trank\tneighbour\tscore\tedge\n"
            "c\t1\ta,b\t0.75\t1\nc\t2\tb c\t-0.5\t0\na,b\t1\tc\t0.75\t1\n"
            "2\t1\t0\t0.75\t\n2\t2\t1\t-0.5\t\n0\t1\t2\t0.75\t\n");
  NeighboursFile commas(dir / "nn.csv");
  commas.add(Context(), lists(true), named.names);
  commas.commit();
  EXPECT_EQ(test::read_text(dir / "nn.csv"),
            "node,rank,neighbour,score,edge\n"
            "c,1,\"a,b\",0.75,1\nc,2,b\tc,-0.5,0\n\"a,b\",1,c,0.75,1\n");
  test::expect_error([&] { NeighboursFile(dir / "nn.npy"); }, {"nn.npy", ".tsv or .csv"});
}

TEST(NeighboursReport, OfAFileSaysHowItWasMade) {
  const NeighbourSummary found{.approximate = true, .recall = 0.975, .recall_nodes = 500};
  const Report report = neighbours_file_report(found, named, {.k = 5}, 3, "nn.tsv");
  EXPECT_EQ(to_json(report.body).dump(),
            "{\"out\":\"nn.tsv\",\"nodes\":3,\"k\":5,\"similarity\":\"cosine\",\"graph_"
            "neighbours\":\"mark\",\"graph\":\"mine\",\"approximate\":true,\"recall\":0.975,"
            "\"recall_nodes\":500}");
  EXPECT_NE(to_text(report).find("97.5 % of the exact neighbours of 500 nodes"), std::string::npos);
  const Report exact = neighbours_file_report({}, named, {.k = 5}, 3, "nn.tsv");
  EXPECT_TRUE(to_json(exact.body)["recall"].is_null());
  EXPECT_NE(to_text(exact).find("exact"), std::string::npos);
}

}  // namespace
}  // namespace creg::neighbours_report_test
