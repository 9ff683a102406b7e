#include "report/history_figures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/history_lines.h"
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
