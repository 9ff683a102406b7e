#include "report/paper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/expect_error.h"

namespace creg::paper_test {
namespace {

const PaperCell& find(const std::vector<PaperCell>& cells, const std::string& row,
                      const std::string& column, const std::string& metric) {
  for (const PaperCell& cell : cells) {
    if (cell.row() == row && cell.column == column && cell.metric == metric) return cell;
  }
  ADD_FAILURE() << "no cell " << row << ", " << column << ", " << metric;
  return cells.front();
}

TEST(PaperTables, AreThoseOfThePaper) {
  EXPECT_EQ(paper_table_keys(),
            (std::vector<std::string>{"node_classification", "graph_clustering", "link_prediction",
                                      "pretraining", "regularization_ablation", "gat_gin_backbone",
                                      "ece", "digcl_gdcl", "datasets", "figure_1", "figure_2"}));
  // Rows times columns times metrics, as printed; DiGCL and GDCL have a dataset of their own each.
  EXPECT_EQ(paper_cells({"node_classification"}).size(), 10U * 9);
  EXPECT_EQ(paper_cells({"graph_clustering"}).size(), 6U * 3 * 3);
  EXPECT_EQ(paper_cells({"link_prediction"}).size(), 9U * 4);
  EXPECT_EQ(paper_cells({"pretraining"}).size(), 5U * 2);
  EXPECT_EQ(paper_cells({"regularization_ablation"}).size(), 8U * 4);
  EXPECT_EQ(paper_cells({"gat_gin_backbone"}).size(), 8U * 5);
  EXPECT_EQ(paper_cells({"ece"}).size(), 4U * 3);
  EXPECT_EQ(paper_cells({"digcl_gdcl"}).size(), 4U * 2);
  EXPECT_EQ(paper_cells({"datasets"}).size(), 9U * 4);
}

TEST(PaperTables, HoldThePrintedNumbersAsFractions) {
  const auto classify = paper_cells({"node_classification"});
  const PaperCell& ml = find(classify, "ML + Contrast-Reg", "Cora", "accuracy");
  EXPECT_EQ(ml.mean, 0.8265);
  EXPECT_EQ(ml.std, 0.0057);
  EXPECT_EQ(ml.method, "ml");
  EXPECT_EQ(ml.dataset, "cora");
  EXPECT_EQ(ml.regulariser, "contrast");
  EXPECT_EQ(find(classify, "ML + Contrast-Reg", "Reddit", "accuracy").mean, 0.9438);
  EXPECT_EQ(find(classify, "GCN", "Wiki", "accuracy").mean, 0.724);
  const PaperCell& oom = find(classify, "GCA + Contrast-Reg", "ogbn-arxiv", "accuracy");
  EXPECT_TRUE(oom.out_of_memory);
  EXPECT_FALSE(oom.mean);

  const auto cluster = paper_cells({"graph_clustering"});
  EXPECT_EQ(find(cluster, "LC + Contrast-Reg", "Wiki", "nmi").mean, 0.497);
  EXPECT_EQ(find(cluster, "ML + Contrast-Reg", "Wiki", "f1").std, 0.0093);
  EXPECT_EQ(find(paper_cells({"link_prediction"}), "LC + Contrast-Reg", "Cora", "auc").mean,
            0.9461);
  const auto ece = paper_cells({"ece"});
  EXPECT_EQ(find(ece, "LC + Contrast-Reg", "Pubmed", "ece").mean, 0.274);
  EXPECT_FALSE(find(ece, "LC + Contrast-Reg", "Pubmed", "ece").std);
  EXPECT_EQ(find(paper_cells({"datasets"}), "", "Computers", "edges").mean, 245778);
  EXPECT_EQ(find(paper_cells({"gat_gin_backbone"}), "LC, GIN", "Cora", "accuracy").mean, 0.8023);
  EXPECT_EQ(
      find(paper_cells({"regularization_ablation"}), "ML + weight decay", "Wiki", "accuracy").mean,
      0.6367);
}

TEST(PaperTables, ColumnsMeanWhatTheRowRanOn) {
  const auto classify = paper_cells({"node_classification"});
  EXPECT_EQ(find(classify, "GCA", "Wiki", "accuracy").dataset, "wikics");
  EXPECT_EQ(find(classify, "GraphMAE + Contrast-Reg", "Wiki", "accuracy").dataset, "wikics");
  EXPECT_EQ(find(classify, "DGI", "Wiki", "accuracy").dataset, "wiki");
  const auto directed = paper_cells({"digcl_gdcl"});
  EXPECT_EQ(find(directed, "DiGCL", "Citeseer", "accuracy").dataset, "citeseer-directed");
  EXPECT_EQ(find(directed, "GDCL", "Citeseer", "accuracy").dataset, "citeseer");
  EXPECT_TRUE(std::none_of(directed.begin(), directed.end(), [](const PaperCell& cell) {
    return cell.algorithm == "GDCL" && cell.column == "Cora-ml";
  })) << "what the paper leaves out is no cell to fill";
}

TEST(PaperTables, NamesAreOfOneRowAndColumn) {
  std::set<std::string> names;
  for (const PaperCell& cell : paper_cells()) names.insert(cell.name() + " / " + cell.metric);
  EXPECT_EQ(names.size(), paper_cells().size());
}

TEST(PaperTables, AnUnknownOneIsAnError) {
  test::expect_error([] { paper_cells({"node_clasification"}); },
                     {"no such table", "node_clasification", "node_classification", "ece"});
}

}  // namespace
}  // namespace creg::paper_test
