#include "report/reproduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/writers.h"

namespace creg::reproduction_test {
namespace {

CellOutcome outcome_of(const std::string& table, const std::string& row, const std::string& column,
                       const std::vector<double>& values) {
  const auto cells = paper_cells({table});
  const auto cell = std::find_if(cells.begin(), cells.end(), [&](const PaperCell& one) {
    return one.row() == row && one.column == column;
  });
  EXPECT_NE(cell, cells.end());
  CellOutcome outcome{.cell = *cell, .dataset = cell->dataset};
  std::uint64_t seed = 0;
  for (const double value : values) outcome.values.push_back({.seed = seed++, .value = value});
  return outcome;
}

TEST(StudentT, IsThatOfScipy) {
  // scipy.stats.t.ppf(0.975, n)
  EXPECT_NEAR(student_t(1), 12.706204736432095, 1e-9);
  EXPECT_NEAR(student_t(2), 4.302652729911275, 1e-9);
  EXPECT_NEAR(student_t(3), 3.182446305284263, 1e-9);
  EXPECT_NEAR(student_t(4), 2.7764451051977987, 1e-9);
  EXPECT_NEAR(student_t(9), 2.2621571627409915, 1e-9);
  EXPECT_NEAR(student_t(24), 2.0638985616280205, 1e-9);
  EXPECT_NEAR(student_t(99), 1.9842169515086827, 1e-9);
  EXPECT_NEAR(student_t(499), 1.9647293909876649, 1e-9);
}

TEST(PairedGain, HasTheIntervalOfScipy) {
  // scipy.stats.t.interval(0.95, 4, mean(x), sem(x))
  const PairedGain gain = gain_of({0.012, -0.004, 0.03, 0.011, 0.006});
  EXPECT_NEAR(gain.mean, 0.011, 1e-12);
  EXPECT_NEAR(*gain.low, -0.004358535448362599, 1e-12);
  EXPECT_NEAR(*gain.high, 0.0263585354483626, 1e-12);
  EXPECT_FALSE(gain_of({0.5}).low);
}

TEST(PairedGain, IsOverTheSeedsAndSplitsThatBothHave) {
  std::vector<CellOutcome> outcomes = {
      outcome_of("regularization_ablation", "ML", "Cora", {0.5, 0.75, 0.25}),
      outcome_of("regularization_ablation", "ML + Contrast-Reg", "Cora", {0.75, 0.75})};
  auto gains = paired_gains(outcomes);
  ASSERT_EQ(gains.size(), 1U);
  EXPECT_EQ(gains[0].differences, (std::vector<double>{0.25, 0}));
  EXPECT_NEAR(*gains[0].paper, 0.8265 - 0.7322, 1e-12);
  // A split that only one has is left out; a seed on two edge splits is two runs.
  outcomes[1].values[0].place = 1;
  EXPECT_EQ(paired_gains(outcomes)[0].differences.size(), 1U);
  outcomes[1].values[1].edge_split = 0;
  EXPECT_TRUE(paired_gains(outcomes).empty());
}

TEST(PairedGain, TakesTheRowOfItsOwnTableOrOfAnother) {
  const std::vector<CellOutcome> outcomes = {
      outcome_of("node_classification", "ML + Contrast-Reg", "Cora", {0.75}),
      outcome_of("regularization_ablation", "ML", "Cora", {0.5}),
      outcome_of("gat_gin_backbone", "ML, GAT", "Cora", {0.25}),
      outcome_of("gat_gin_backbone", "ML + Contrast-Reg, GAT", "Cora", {0.5}),
  };
  const auto gains = paired_gains(outcomes);
  ASSERT_EQ(gains.size(), 2U);
  EXPECT_EQ(gains[0].mean, 0.25);
  EXPECT_EQ(gains[1].mean, 0.25);
  EXPECT_EQ(gains[1].with.encoder, "gat");
}

TEST(Reproduction, GainsNameTheirRows) {
  const std::vector<CellOutcome> outcomes = {
      outcome_of("regularization_ablation", "ML", "Cora", {0.5}),
      outcome_of("regularization_ablation", "ML + Contrast-Reg", "Cora", {0.75}),
      outcome_of("gat_gin_backbone", "ML, GAT", "Cora", {0.25}),
      outcome_of("gat_gin_backbone", "ML + Contrast-Reg, GAT", "Cora", {0.375}),
      outcome_of("gat_gin_backbone", "ML, GIN", "Cora", {0.25}),
      outcome_of("gat_gin_backbone", "ML + Contrast-Reg, GIN", "Cora", {0.5})};
  const Report report = reproduction_report(outcomes);
  const std::string text = to_text(report);
  const std::string gains = text.substr(text.find("with Contrast-Reg less without"));
  for (const char* const row :
       {"ML + Contrast-Reg  ", "ML + Contrast-Reg, GAT  ", "ML + Contrast-Reg, GIN  "}) {
    EXPECT_NE(gains.find(row), std::string::npos) << gains;
  }
  const auto json = to_json(Value(report.body));
  EXPECT_EQ(json.at("gains").at(1).at("method"), "ml");
  EXPECT_EQ(json.at("gains").at(1).at("encoder"), "gat");
}

TEST(Reproduction, ThePlanInShortHasALinePerTableAndReason) {
  CellOutcome first = outcome_of("regularization_ablation", "ML", "Cora", {});
  first.runs_left = 2;
  first.seconds = 3;
  CellOutcome second = outcome_of("regularization_ablation", "ML + Contrast-Reg", "Cora", {0.5});
  second.runs_left = 1;
  second.runs_done = 1;
  second.seconds = 1.5;
  CellOutcome blocked = outcome_of("node_classification", "GCA", "Cora", {});
  blocked.runnable = false;
  blocked.reason = "not on disk: creg data get cora";
  EXPECT_EQ(plan_words(std::vector{first, second, blocked}),
            "node_classification: 1 cell, 1 cannot run here\n"
            "regularization_ablation: 2 cells, 3 runs to do, ~ 4.5 s on a core, 1 run there\n"
            "cannot run here:\n  1 cell: not on disk: creg data get cora");
}

TEST(Reproduction, MarksWhatIsOutsideOneStd) {
  const auto near = outcome_of("node_classification", "ML + Contrast-Reg", "Cora", {0.83, 0.82});
  const auto far = outcome_of("node_classification", "LC + Contrast-Reg", "Cora", {0.83});
  const auto none = outcome_of("node_classification", "GCN", "Cora", {});
  const auto without_std = outcome_of("ece", "ML", "Cora", {0.9});
  EXPECT_EQ(near.outside(), false);
  EXPECT_EQ(far.outside(), true);
  EXPECT_FALSE(none.outside());
  EXPECT_FALSE(without_std.outside());
  const std::vector<CellOutcome> outcomes = {near, far, none};
  const std::string text = to_text(reproduction_report(outcomes));
  EXPECT_NE(text.find("82.65 +- 0.57"), std::string::npos) << text;
  EXPECT_NE(text.find("82.50 +- 0.50\n"), std::string::npos) << text;
  EXPECT_NE(text.find("83.00 *"), std::string::npos) << text;
  EXPECT_NE(text.find("further from the paper's mean"), std::string::npos) << text;
}

TEST(Reproduction, MachinesReadEveryCell) {
  CellOutcome blocked = outcome_of("node_classification", "GCA", "Reddit", {});
  blocked.runnable = false;
  blocked.reason = "not on disk";
  const std::vector<CellOutcome> outcomes = {
      outcome_of("node_classification", "ML + Contrast-Reg", "Cora", {0.75, 0.25}), blocked};
  const auto json = to_json(Value(reproduction_report(outcomes).body));
  const auto& cells = json.at("cells");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].at("table"), "node_classification");
  EXPECT_EQ(cells[0].at("method"), "ml");
  EXPECT_EQ(cells[0].at("dataset"), "cora");
  EXPECT_EQ(cells[0].at("metric"), "accuracy");
  EXPECT_EQ(cells[0].at("paper_mean"), 0.8265);
  EXPECT_EQ(cells[0].at("mean"), 0.5);
  EXPECT_EQ(cells[0].at("runnable"), true);
  EXPECT_TRUE(cells[0].at("reason").is_null());
  EXPECT_TRUE(cells[1].at("paper_mean").is_null());
  EXPECT_EQ(cells[1].at("paper_out_of_memory"), true);
  EXPECT_TRUE(cells[1].at("mean").is_null());
  EXPECT_EQ(cells[1].at("reason"), "not on disk");
  EXPECT_TRUE(cells[1].at("seconds").is_null());
  EXPECT_TRUE(json.at("gains").empty());
  const std::string csv = to_csv(reproduction_report(outcomes));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST(Reproduction, AStoreShowsTheRunsThatWereMadeForACell) {
  StoredRun run;
  run.key = {.dataset = "cora", .config = "a", .seed = 3};
  run.state = RunState::done;
  run.outcome.figures[{"classify public", "accuracy"}] = {0.5};
  run.cells["node_classification / ML + Contrast-Reg / Cora"] = "classify public";
  StoredRun more = run;
  more.key.seed = 4;
  StoredRun other = run;
  other.key.config = "b";
  StoredRun begun = run;
  begun.state = RunState::running;
  const std::vector<StoredRun> runs = {run, other, more, begun};
  int filled = 0;
  for (const CellOutcome& outcome : cells_of_store(runs)) {
    if (outcome.values.empty()) continue;
    ++filled;
    EXPECT_EQ(outcome.cell.name(), "node_classification / ML + Contrast-Reg / Cora");
    EXPECT_EQ(outcome.runs_done, 2);
    EXPECT_EQ(outcome.numbers(), (std::vector<double>{0.5, 0.5}));
  }
  EXPECT_EQ(filled, 1);
}

TEST(Reproduction, HasThePageShowWhatIsOursBesideThePapers) {
  const std::vector<CellOutcome> outcomes = {
      outcome_of("node_classification", "GCN", "Cora", {}),
      outcome_of("node_classification", "ML + Contrast-Reg", "Cora", {0.84, 0.82}),
      outcome_of("node_classification", "LC + Contrast-Reg", "Citeseer", {0.5}),
      outcome_of("regularization_ablation", "ML", "Cora", {0.75, 0.75}),
      outcome_of("ece", "ML", "Cora", {})};
  const auto page = nlohmann::json::parse(to_json_line(paper_page(outcomes)));
  ASSERT_EQ(page["tables"].size(), 2U);
  const nlohmann::json& table = page["tables"][0];
  EXPECT_EQ(table["key"], "node_classification");
  EXPECT_EQ(table["columns"], nlohmann::json({"Cora", "Citeseer"}));
  ASSERT_EQ(table["rows"].size(), 2U) << "rows without anything of ours are left out";
  EXPECT_EQ(table["rows"][0]["name"], "ML + Contrast-Reg");
  const nlohmann::json& cell = table["rows"][0]["cells"][0];
  EXPECT_NEAR(cell["mean"].get<double>(), 0.83, 1e-12);
  EXPECT_NEAR(cell["std"].get<double>(), 0.01, 1e-12);
  EXPECT_EQ(cell["values"], 2);
  EXPECT_EQ(cell["paper_mean"], 0.8265);
  EXPECT_EQ(cell["paper_std"], 0.0057);
  EXPECT_EQ(cell["outside"], false);
  EXPECT_TRUE(cell["ran_on"].is_null());
  EXPECT_TRUE(table["rows"][0]["cells"][1].is_null());
  EXPECT_EQ(table["rows"][1]["cells"][1]["outside"], true);
  ASSERT_EQ(page["gains"].size(), 1U);
  EXPECT_NEAR(page["gains"][0]["mean"].get<double>(), 0.08, 1e-12);
  EXPECT_EQ(page["gains"][0]["pairs"], 2);
  EXPECT_TRUE(paper_page(std::vector{outcomes[0]}).empty());

  CellOutcome elsewhere = outcomes[1];
  elsewhere.dataset = "synthetic:cora";
  const auto other = nlohmann::json::parse(to_json_line(paper_page(std::vector{elsewhere})));
  EXPECT_EQ(other["tables"][0]["rows"][0]["cells"][0]["ran_on"], "synthetic:cora");
}

TEST(PaperCell, IsFoundByTheNamesOfARun) {
  const auto found = [](const char* method, const char* dataset, const char* reg,
                        const char* encoder, PaperTask task = PaperTask::classify) {
    return paper_cell({.task = task,
                       .method = method,
                       .dataset = dataset,
                       .regulariser = reg,
                       .encoder = encoder});
  };
  EXPECT_EQ(found("ml", "cora", "contrast", "gcn")->mean, 0.8265);
  EXPECT_EQ(found("ml", "cora", "none", "gcn")->mean, 0.7322);
  EXPECT_EQ(found("ml", "cora", "contrast", "gat")->row(), "ML + Contrast-Reg, GAT");
  EXPECT_EQ(found("node2vec", "cora", "none", "table")->row(), "node2vec");
  EXPECT_EQ(found("gca", "wikics", "none", "gcn")->column, "Wiki");
  EXPECT_EQ(found("ml", "cora", "contrast", "gcn", PaperTask::calibrate)->table, "ece");
  EXPECT_FALSE(found("ml", "cora", "contrast", "sage"));
  EXPECT_FALSE(found("ml", "mine", "contrast", "gcn"));
  EXPECT_FALSE(found("bgrl", "cora", "none", "gcn"));
}

}  // namespace
}  // namespace creg::reproduction_test
