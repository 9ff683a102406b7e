#include "report/history_figures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/history_lines.h"
#include "report/history_names.h"
#include "report/svg_elements.h"
#include "report/writers.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::history_figures_test {
namespace {

using test::TempDir;

RunHistory history(const std::string& name, const std::string& lines) {
  return read_run_history(Bytes::from_string(lines, name), name);
}

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> names;
  for (const std::filesystem::path& file : files) names.push_back(file.filename().string());
  return names;
}

TEST(HistoryFigures, AreDrawnForAllRuns) {
  const TempDir dir;
  const std::vector<RunHistory> runs = {history("none", test::history_lines(12)),
                                        history("contrast", test::history_lines(9, 0.1))};
  const Report report{.charts = history_charts(runs)};
  const auto files = write_charts(dir / "new/figures", report);
  EXPECT_EQ(names_of(files), (std::vector<std::string>{"loss-and-sigma.svg", "ece-and-q.svg",
                                                       "ece-and-sigma.svg", "spectrum.svg"}));
  for (std::size_t i = 0; i < 4; ++i) {
    const auto elements = test::svg_elements(test::read_text(files[i]));
    test::expect_readable(elements);
    const auto lines = test::named(elements, "polyline");
    ASSERT_EQ(lines.size(), 4U) << files[i];
    const std::string& points = lines[0].attributes.at("points");
    // The loss is missing before the first epoch.
    EXPECT_EQ(std::count(points.begin(), points.end(), ','), i == 0 ? 11 : 12);
    EXPECT_FALSE(lines[0].attributes.contains("stroke-dasharray"));
    EXPECT_TRUE(lines[1].attributes.contains("stroke-dasharray"));
  }
  const std::string before = test::read_text(files[1]);
  write_charts(dir / "new/figures", report);
  EXPECT_EQ(test::read_text(files[1]), before);
}

RunHistory of_folder(RunHistory run, const std::string& folder, const std::string& method,
                     const std::string& regulariser) {
  run.folder = folder;
  run.dataset = "cora";
  run.method = method;
  run.regulariser = regulariser;
  return run;
}

TEST(HistoryFigures, SeedsAreTheirMeanInABandAsFarAsAllOfThemGo) {
  const auto seed = [](const std::string& name, double ece, int epochs) {
    std::string lines;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      lines += "{\"epoch\":" + std::to_string(epoch) + ",\"ece\":" + std::to_string(ece) + "}\n";
    }
    return of_folder(history(name, lines), "/runs/contrast", "ml", "contrast");
  };
  const std::vector<RunHistory> runs = {
      seed("seed-0", 0.25, 4), seed("seed-1", 0.75, 3),
      of_folder(history("none", test::history_lines(3)), "/runs/none", "ml", "none")};
  const HistoryFigure& figure = history_figures()[1];
  const LineChart pooled = *history_chart(figure, runs);
  ASSERT_EQ(pooled.series.size(), 4U);
  const ChartSeries& mean = pooled.series[0];
  EXPECT_EQ(mean.name, "ML + Contrast-Reg");
  EXPECT_EQ(pooled.series[2].name, "ML");
  EXPECT_TRUE(pooled.series[2].low.empty()) << "one run has no band";
  using Values = std::vector<std::optional<double>>;
  EXPECT_EQ(mean.y, (Values{0.5, 0.5, 0.5, std::nullopt}));
  EXPECT_EQ(mean.low, (Values{0.25, 0.25, 0.25, std::nullopt}));
  EXPECT_EQ(mean.high, (Values{0.75, 0.75, 0.75, std::nullopt}));
  EXPECT_EQ(pooled.note, "mean over 1 to 2 seeds; band: ± one standard deviation");
  const LineChart each = *history_chart(figure, runs, SeedLines::each);
  ASSERT_EQ(each.series.size(), 6U);
  EXPECT_EQ(each.series[0].name, "seed-0");
  EXPECT_EQ(each.note, "");
}

TEST(HistoryFigures, SeedsMayHaveFoldersOfTheirOwn) {
  const TempDir dir;
  const auto run = [&](const std::string& name, const std::string& config) {
    dir.write(name + "/config.toml", config);
    return dir.write(name + "/calibration.jsonl", test::history_lines(3)).parent_path();
  };
  const std::string ml = "dataset = \"cora\"\nmethod = \"ml\"\nreg = \"none\"\n";
  const std::vector<std::filesystem::path> folders = {
      run("1", ml + "seed = 0\nthreads = 1\n"), run("2", ml + "lr = 0.1\nseed = 0\n"),
      run("3", ml + "seed = 1\nthreads = 2\n"), run("4", ml + "seed = 1\n")};
  std::vector<std::size_t> sizes;
  const std::vector<RunHistory> runs = read_run_histories(folders);
  for (const HistoryGroup& group : history_groups(runs)) sizes.push_back(group.runs.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1, 1})) << "another rate; a seed that is there";
}

TEST(HistoryFigures, NamesSayWhatDiffers) {
  const RunHistory plain = history("run", "{\"epoch\":0,\"ece\":0.5}\n");
  const auto names = [](const std::vector<RunHistory>& runs) {
    std::vector<std::string> found;
    for (const HistoryGroup& group : history_groups(runs)) found.push_back(group.name);
    return found;
  };
  using Names = std::vector<std::string>;
  const RunHistory ml = of_folder(plain, "/a/one", "ml", "none");
  EXPECT_EQ(names({ml, of_folder(plain, "/a/two", "gcn-neg", "contrast+l2norm")}),
            (Names{"ML", "GCN-neg + Contrast-Reg + L2 norm"}));
  EXPECT_EQ(names({ml, of_folder(plain, "/a/two", "ml", "none")}), (Names{"ML (one)", "ML (two)"}));
  RunHistory other = of_folder(plain, "/a/two", "ml", "none");
  other.dataset = "/data/wiki.toml";
  EXPECT_EQ(names({ml, other}), (Names{"cora: ML", "wiki: ML"}));
  EXPECT_EQ(names({plain}), (Names{"run"}));
}

TEST(HistoryFigures, FitAColumn) {
  const std::vector<RunHistory> runs = {history("none", test::history_lines(12))};
  const FigureStyle column{.width = parse_figure_width("85mm", "--width"),
                           .font = parse_font_size("8", "--font-size")};
  for (const Chart& chart : history_charts(runs)) {
    const std::string svg =
        draw_chart(std::get<LineChart>(chart.drawing), column, FigureFormat::svg);
    for (const test::SvgElement& text : test::named(test::svg_elements(svg), "text")) {
      EXPECT_EQ(text.text.find("…"), std::string::npos) << text.text;
      if (text.attributes.contains("transform")) {
        EXPECT_NEAR(text.number("font-size"), column.font, 0.01) << text.text;
      }
    }
  }
}

TEST(HistoryFigures, AreSkippedWithoutAnyValue) {
  // Without labels: no ECE, no spectrum. What one axis can show is shown.
  const std::vector<RunHistory> runs = {
      history("run",
              "{\"epoch\":0,\"mean_sigma_random\":0.5}\n"
              "{\"epoch\":1,\"contrast\":1.5,\"mean_sigma_random\":0.625}\n")};
  std::vector<std::string> names;
  for (const Chart& chart : history_charts(runs)) names.push_back(chart.name);
  EXPECT_EQ(names, (std::vector<std::string>{"loss-and-sigma", "ece-and-sigma"}));
}

TEST(HistoryFigures, TheTableHasAllRunsAndColumns) {
  const std::vector<RunHistory> runs = {history("a,b", "{\"epoch\":0,\"ece\":0.5}\n"),
                                        history("c", "{\"epoch\":7,\"loss\":0.1}\n")};
  EXPECT_EQ(to_csv(history_table(runs)),
            "run,epoch,loss,contrast,ece,ece_positive,ece_negative,q_positive,q_negative,"
            "mean_sigma_random,mean_sigma_positive,norm_mean,norm_variance,sigma_max_mean,"
            "norm_squared_mean,s_f,s_f_bound\n"
            "\"a,b\",0,,,0.5,,,,,,,,,,,,\n"
            "c,7,0.1,,,,,,,,,,,,,,\n");
}

TEST(HistoryFigures, AFolderThatCannotBeMadeIsNamed) {
  const TempDir dir;
  const auto file = dir.write("file", "");
  test::expect_error([&] { write_charts(file / "below", {}); }, {"file"}, ErrorKind::environment);
}

}  // namespace
}  // namespace creg::history_figures_test
