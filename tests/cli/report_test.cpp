#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/ring_dataset.h"
#include "cli/run_creg.h"
#include "core/build_info.h"
#include "report/report_page.h"

namespace creg::report_test {
namespace {

using nlohmann::json;
using test::read_text;
using test::run_creg;
using Words = std::vector<std::string>;

constexpr int nodes = 40;

class ReportCommand : public test::RingDataset {
 protected:
  ReportCommand() : RingDataset({"report"}, nodes, -1, 0.2) {
    if (page_shell().empty()) return;
    std::string features = "id,x,y,z\n";
    for (int i = 0; i < nodes; ++i) {
      features += std::to_string(i) + (i % 3 == 0   ? ",1,0,0.5\n"
                                       : i % 3 == 1 ? ",0,1,0\n"
                                                    : ",0,0,1\n");
    }
    dir_.write("features.csv", features);
    dataset_ = dir_.write("ring.toml",
                          "edges = \"edges.csv\"\nfeatures = \"features.csv\"\n"
                          "labels = \"labels.csv\"\nname = \"ring\"\n")
                   .string();
    for (const char* reg : {"none", "contrast"}) {
      const test::RunResult run = run_creg(
          {"train",    "--dataset", dataset_, "--method", "ml",        "--reg",  reg,
           "--recipe", "none",      "--dim",  "8",        "--epochs",  "6",      "--calibrate",
           "3",        "--seeds",   "2",      "--out",    folder(reg), "--quiet"});
      EXPECT_EQ(run.status, 0) << run.err;
    }
  }

  std::string folder(const std::string& name) const { return (dir_ / name).string(); }

  /// The figures that a page holds.
  static json data_of(const std::string& file) {
    const std::string html = read_text(file);
    const std::string begin = "<script id=\"data\" type=\"application/json\">";
    const std::size_t from = html.find(begin) + begin.size();
    return json::parse(html.substr(from, html.find("</script>", from) - from));
  }
};

TEST_F(ReportCommand, SaysWhatIsMissingWhereTheBuildHasNoPage) {
  if (!page_shell().empty()) GTEST_SKIP() << "this build has the page";
  const test::RunResult found = run_creg({"report", folder("none")});
  EXPECT_EQ(found.status, 1);
  EXPECT_NE(found.err.find("npm"), std::string::npos) << found.err;
}

TEST_F(ReportCommand, WritesOnePageOfRunsSideBySide) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  const std::string out = folder("page.html");
  const json told = run_json({folder("none"), folder("contrast"), "-o", out});
  EXPECT_EQ(told["out"], out);
  EXPECT_EQ(told["bytes"], std::filesystem::file_size(out));
  EXPECT_EQ(told["runs"][1]["reg"], "contrast");
  EXPECT_EQ(told["runs"][1]["map_nodes"], nodes);
  const json data = data_of(out);
  // One dataset, although each folder describes it anew.
  ASSERT_EQ(data["datasets"].size(), 1U);
  EXPECT_EQ(data["datasets"][0]["nodes"], nodes);
  EXPECT_EQ(data["datasets"][0]["classes"], json({"a", "b", "c"}));
  ASSERT_EQ(data["runs"].size(), 2U);
  for (const json& run : data["runs"]) {
    SCOPED_TRACE(run["name"]);
    const json result = json::parse(read_text(folder(run["name"]) + "/result.json"));
    EXPECT_EQ(run["figures"]["accuracy"]["values"], result["metrics"]["accuracy"]["values"]);
    EXPECT_EQ(run["figures"]["ece"]["values"].size(), 2U);
    // 40 points of two numbers of two bytes, in base64.
    EXPECT_EQ(run["map"]["tsne"].get<std::string>().size(), 216U);
    EXPECT_EQ(run["map"]["k"], 10);
    EXPECT_EQ(run["confusion"].size(), 3U);
    EXPECT_TRUE(run["notes"].empty()) << run["notes"];
  }
  const json& curves = data["runs"][0]["curves"];
  EXPECT_TRUE(std::any_of(curves.begin(), curves.end(), [](const json& curve) {
    return curve["key"] == "ece" && curve["epochs"] == json({0, 3, 6}) &&
           curve["seeds"].size() == 2;
  }));
}

TEST_F(ReportCommand, GivesTheSameBytesWhateverTheThreads) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  run_json({folder("none"), "-o", folder("one.html"), "--threads", "1"});
  run_json({folder("none"), "-o", folder("three.html"), "--threads", "3"});
  EXPECT_EQ(data_of(folder("one.html"))["runs"][0]["map"]["tsne"],
            data_of(folder("three.html"))["runs"][0]["map"]["tsne"]);
}

TEST_F(ReportCommand, LeavesOutWhatIsNotAtHandAndSaysSo) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  std::filesystem::remove(dir_ / "edges.csv");
  const std::string out = folder("page.html");
  const test::RunResult found = run_creg({"report", folder("none"), "-o", out});
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_NE(found.err.find("edges.csv"), std::string::npos) << found.err;
  const json data = data_of(out);
  EXPECT_TRUE(data["runs"][0]["map"].is_null());
  EXPECT_FALSE(data["runs"][0]["curves"].empty());
  EXPECT_EQ(data["runs"][0]["notes"].size(), 1U);
}

TEST_F(ReportCommand, ShowsThePapersFigureBesideARunOfItsDataset) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  // The same run, as if on a dataset that is not at hand.
  const std::string config = folder("contrast") + "/config.toml";
  std::string text = read_text(config);
  const std::size_t from = text.find("\ndataset = ") + 1;
  text.replace(from, text.find('\n', from) - from, "dataset = \"cora\"");
  dir_.write("contrast/config.toml", text);
  const std::string out = folder("page.html");
  run_json({folder("none"), folder("contrast"), "-o", out, "--data-dir", folder("no-data")});
  const json data = data_of(out);
  EXPECT_EQ(data["runs"][0]["published"], json::object());
  const json& published = data["runs"][1]["published"];
  EXPECT_EQ(published["accuracy"], json({{"mean", 0.8265}, {"std", 0.0057}}));
  EXPECT_TRUE(published["ece"]["mean"].is_number());
}

TEST_F(ReportCommand, ShowsWhatAStoreHas) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  if (!build_info().sqlite) GTEST_SKIP() << "built without SQLite";
  const std::string store = folder("store");
  const test::RunResult made =
      run_creg({"reproduce", "regularization_ablation", "--datasets", "cora=synthetic:cora@0.05",
                "--methods", "ml", "--seeds", "2", "--set", "dim=8", "--set", "epochs=5", "--set",
                "patience=0", "--store", store, "--json"});
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string out = folder("page.html");
  run_json({store, folder("none"), "-o", out});
  const json data = data_of(out);
  // The folder, then four settings of two seeds each: Contrast-Reg beside the run without it.
  ASSERT_EQ(data["runs"].size(), 5U);
  EXPECT_EQ(data["runs"][0]["name"], "none");
  EXPECT_EQ(data["runs"][1]["name"], "ML, synthetic:cora@0.05");
  EXPECT_EQ(data["runs"][2]["name"], "ML + Contrast-Reg, synthetic:cora@0.05");
  EXPECT_EQ(data["runs"][2]["seeds"], json({0, 1}));
  EXPECT_EQ(data["runs"][2]["figures"]["ece"]["values"].size(), 2U);
  EXPECT_EQ(data["note"], "");
  const json& table = data["paper"]["tables"].at(0);
  EXPECT_EQ(table["key"], "regularization_ablation");
  EXPECT_EQ(table["columns"], json({"Cora"}));
  ASSERT_EQ(table["rows"].size(), 4U);
  // Each row's cell is what the run of the same name has.
  for (const json& row : table["rows"]) {
    const auto run = std::ranges::find_if(data["runs"], [&](const json& one) {
      return one["name"] == row["name"].get<std::string>() + ", synthetic:cora@0.05";
    });
    ASSERT_NE(run, data["runs"].end()) << row;
    EXPECT_EQ(row["cells"][0]["mean"], (*run)["figures"]["accuracy"]["mean"]);
    EXPECT_EQ(row["cells"][0]["values"], 2);
  }
  EXPECT_EQ(data["paper"]["gains"].size(), 1U);
  EXPECT_EQ(data["runs"][1]["counterpart"], 2) << "of those without and with Contrast-Reg";
  for (const std::size_t i : {0, 2, 3, 4}) {
    EXPECT_TRUE(data["runs"][i]["counterpart"].is_null()) << i;
  }

  const json told = run_json({store, "-o", out, "--most-runs", "1", "--map", "none"});
  EXPECT_EQ(told["runs"].size(), 1U);
  EXPECT_EQ(data_of(out)["note"].get<std::string>().substr(0, 16), "1 of 4 settings ");
  EXPECT_EQ(data_of(out)["paper"]["tables"][0]["rows"].size(), 4U);
  for (const auto& [flag, name] : {std::pair{"--methods", "mll"}, {"--datasets", "cor"}}) {
    const test::RunResult wrong = run_creg({"report", store, "-o", out, flag, name});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.err.find("no run of the stores has this name"), std::string::npos) << wrong.err;
  }
  std::filesystem::remove_all(store + ".runs");
  const test::RunResult bare = run_creg({"report", store, "-o", out});
  EXPECT_EQ(bare.status, 0) << bare.err;
  EXPECT_NE(bare.err.find("8 runs of the store without a folder"), std::string::npos) << bare.err;
  EXPECT_EQ(data_of(out)["title"], "The paper's tables");
}

TEST_F(ReportCommand, OfAStoreComparesWhatDiffersByContrastRegAlone) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  if (!build_info().sqlite) GTEST_SKIP() << "built without SQLite";
  const std::string store = folder("store");
  const test::RunResult made =
      run_creg({"reproduce", "regularization_ablation", "ece", "gat_gin_backbone", "--datasets",
                "cora=synthetic:cora@0.05", "--methods", "ml", "--seeds", "1", "--set", "dim=8",
                "--set", "epochs=2", "--set", "patience=0", "--store", store, "--json"});
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string out = folder("page.html");
  run_json({store, "-o", out, "--map", "none", "--no-baselines"});
  const json data = data_of(out);
  ASSERT_EQ(data["runs"].size(), 10U);
  std::set<std::string> names;
  std::map<std::string, std::string> pairs;
  for (const json& run : data["runs"]) {
    names.insert(run["name"].get<std::string>());
    if (run["counterpart"].is_null()) continue;
    EXPECT_TRUE(run["differs"].empty()) << run["name"];
    pairs[run["name"].get<std::string>()] =
        data["runs"][run["counterpart"].get<std::size_t>()]["name"].get<std::string>();
  }
  EXPECT_EQ(names.size(), 10U);
  const std::string on = ", synthetic:cora@0.05";
  const std::map<std::string, std::string> expected = {
      {"ML, GCN, dot score" + on, "ML + Contrast-Reg, GCN, dot score" + on},
      {"ML, GCN, bilinear score" + on, "ML + Contrast-Reg, GCN, bilinear score" + on},
      {"ML, GAT" + on, "ML + Contrast-Reg, GAT" + on},
      {"ML, GIN" + on, "ML + Contrast-Reg, GIN" + on}};
  EXPECT_EQ(pairs, expected);
}

TEST_F(ReportCommand, MapsShareTheNodesByWhatTheirGraphsHave) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  const test::RunResult large =
      run_creg({"train", "--dataset", "synthetic:cora", "--method", "ml", "--recipe", "none",
                "--dim", "4", "--epochs", "1", "--out", folder("large"), "--quiet"});
  ASSERT_EQ(large.status, 0) << large.err;
  const json told = run_json({folder("none"), folder("large"), folder("contrast"), "--map", "pca",
                              "--no-baselines", "--map-nodes", "1000", "-o", folder("page.html")});
  EXPECT_EQ(told["runs"][0]["map_nodes"], nodes);
  EXPECT_EQ(told["runs"][1]["map_nodes"], 1000 - 2 * nodes);
  EXPECT_EQ(told["runs"][2]["map_nodes"], nodes);
}

TEST_F(ReportCommand, RefusesWhatIsNoRun) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  expect_refused({folder("nothing")}, {"there is no such run", "nothing"});
  expect_refused({dataset_}, {"this is not the folder of a run"});
  expect_refused({folder("none"), folder("none") + "/."}, {"given twice"});
  expect_refused({folder("none"), "-o", folder("contrast")}, {"a folder has this name"});
  expect_refused({folder("none"), "--map", "umap"}, {"unknown map", "tsne, pca or none"});
}

}  // namespace
}  // namespace creg::report_test
