#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run_creg.h"
#include "report/history_lines.h"
#include "support/temp_dir.h"

namespace creg::history_test {
namespace {

using nlohmann::json;
using test::history_lines;
using test::run_creg;
using test::RunResult;
using Words = std::vector<std::string>;

class History : public testing::Test {
 protected:
  std::string run(const std::string& name, const std::string& lines) const {
    return dir_.write(name + "/calibration.jsonl", lines).parent_path().string();
  }

  static RunResult history(Words words) {
    words.insert(words.begin(), "history");
    return run_creg(words);
  }

  static json history_json(Words words) {
    words.emplace_back("--json");
    const RunResult result = history(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  }

  static void expect_parts(const std::string& text, const Words& parts) {
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
    }
  }

  static void expect_refused(const Words& words, const Words& parts) {
    const RunResult result = history(words);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.out, "");
    expect_parts(result.err, parts);
  }

  test::TempDir dir_;
};

TEST_F(History, PrintsTheObjectThatScriptsRelyOn) {
  const std::string plain = run("plain", history_lines(12));
  const std::string other = run("other", history_lines(8, 0.125));
  const json found = history_json({plain, other});
  ASSERT_EQ(found["runs"].size(), 2U);
  const json& one = found["runs"][0];
  EXPECT_EQ(one["run"], "plain");
  EXPECT_EQ(one["epochs"], 12);
  EXPECT_EQ(one["first"]["epoch"], 0);
  EXPECT_TRUE(one["first"]["loss"].is_null());
  EXPECT_EQ(one["first"]["ece"], 0.375);
  EXPECT_EQ(one["best"]["epoch"], 10);
  EXPECT_EQ(one["best"]["ece"], 0.25);
  EXPECT_EQ(one["last"]["epoch"], 110);
  EXPECT_EQ(one["last"]["mean_sigma_random"], 0.625);
  ASSERT_TRUE(one["last"].contains("s_f_bound"));
  EXPECT_TRUE(one["last"]["s_f_bound"].is_null());
  EXPECT_EQ(found["files"], json::array());

  ASSERT_EQ(found["correlations"].size(), 8U);
  for (const json& c : found["correlations"]) {
    EXPECT_EQ(c["y"], "ece");
    EXPECT_EQ(c["runs"], 2);
    EXPECT_EQ(c["points"], 20);
    EXPECT_EQ(c["resampled"], "blocks of epochs");
    const double sign = c["x"] == "q_positive" ? -1 : 1;
    EXPECT_GT(sign * c["r"].get<double>(), 0.5);
    if (c["within"] == true) {
      EXPECT_NEAR(c["r"].get<double>(), sign, 1e-5) << c;
    }
    EXPECT_LE(c["low"].get<double>(), c["r"].get<double>() + 1e-12);
    EXPECT_GE(c["high"].get<double>(), c["r"].get<double>() - 1e-12);
  }
  EXPECT_EQ(found["correlations"][0]["x"], "mean_sigma_random");
  EXPECT_EQ(found["correlations"][0]["kind"], "pearson");
  EXPECT_EQ(found["correlations"][0]["within"], false);
  EXPECT_EQ(found["correlations"][7]["x"], "q_positive");
  EXPECT_EQ(found["correlations"][7]["kind"], "spearman");
  EXPECT_EQ(found["correlations"][7]["within"], true);
  EXPECT_EQ(history_json({plain, other}), found) << "the same resamples every time";
  EXPECT_NE(history_json({plain, other, "--seed", "5"})["correlations"][0]["low"],
            found["correlations"][0]["low"]);
}

TEST_F(History, SaysInWordsWhetherTheClaimHolds) {
  const std::string plain = run("plain", history_lines(12));
  const RunResult text = history({plain});
  EXPECT_EQ(text.status, 0) << text.err;
  expect_parts(
      text.out,
      {"plain: 12 epochs measured\n", "lowest ECE     10 ", "ECE %", "25.00", "Claim 4.1",
       "ECE and E[sigma] of random pairs: the claim says positive",
       "pooled, 12 points of 1 run, resampling blocks of epochs: ECE rises with E[sigma] of random "
       "pairs",
       "r = 1.00 [1.00, 1.00]: holds", "ECE and q+: the claim says negative",
       "within runs, 12 points of 1 run, resampling blocks of epochs: ECE falls with rising q+",
       "rank r = -1.00 [-1.00, -1.00]: holds", "speak of these runs only; from 5 runs on"});
  // ECE goes against E[sigma], and q+ says nothing about it.
  std::string lines;
  for (int epoch = 0; epoch < 16; ++epoch) {
    const char* const q[] = {"0.5", "0.75", "0.75", "0.5"};
    lines += "{\"epoch\":" + std::to_string(epoch) +
             ",\"ece\":" + std::to_string(0.5 + epoch / 64.0) +
             ",\"mean_sigma_random\":" + std::to_string(0.9 - epoch / 64.0) +
             ",\"q_positive\":" + q[epoch % 4] + "}\n";
  }
  const RunResult against = history({run("against", lines)});
  expect_parts(against.out, {"ECE falls with rising E[sigma]", ": does not hold\n",
                             ": cannot be told (the interval holds 0)\n"});
}

TEST_F(History, PrintsItsTableAsCsv) {
  const std::string plain = run("plain", history_lines(12));
  const RunResult csv = history({plain, "--format", "csv"});
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 13);
  expect_parts(csv.out, {"run,epoch,loss,contrast,ece,", "\nplain,0,,,", "\nplain,110,"});
}

TEST_F(History, ResamplesTheRunsOfSeveralSeeds) {
  for (int seed = 0; seed < 6; ++seed) {
    run("runs/seed-" + std::to_string(seed), history_lines(8, seed / 256.0));
  }
  const json found = history_json({(dir_ / "runs").string()});
  ASSERT_EQ(found["runs"].size(), 6U);
  EXPECT_EQ(found["runs"][5]["run"], "runs/seed-5");
  EXPECT_EQ(found["correlations"][0]["resampled"], "runs");
  EXPECT_EQ(found["correlations"][0]["runs"], 6);
  const RunResult text = history({(dir_ / "runs").string()});
  expect_parts(text.out,
               {"48 points of 6 runs, resampling runs: ", "95 % intervals by 1000 resamples\n"});
  EXPECT_EQ(text.out.find("these runs only"), std::string::npos);
}

TEST_F(History, DrawsFiguresAndSaysWhatItCannotDraw) {
  const std::string plain = run("plain", history_lines(12));
  const std::string out = (dir_ / "figures").string();
  const json found = history_json({plain, "--out", out});
  const json expected = {out + "/loss-and-sigma.svg", out + "/ece-and-q.svg",
                         out + "/ece-and-sigma.svg", out + "/spectrum.svg", out + "/history.csv"};
  EXPECT_EQ(found["files"], expected);
  for (const json& file : expected) {
    EXPECT_GT(test::read_text(file.get<std::string>()).size(), 100U) << file;
  }
  const std::string bare =
      run("bare", "{\"epoch\":3,\"contrast\":1.5,\"mean_sigma_random\":0.5}\n");
  const RunResult few = history({bare, "--out", (dir_ / "few").string()});
  EXPECT_EQ(few.status, 0) << few.err;
  expect_parts(few.err, {"spectrum is not drawn: no run has sigma_max_mean or norm_squared_mean",
                         "ece-and-q is not drawn", "history.csv"});
}

TEST_F(History, OneEpochAndNoLabelsAreEnoughForWhatCanBeSaid) {
  const std::string bare =
      run("bare", "{\"epoch\":3,\"contrast\":1.5,\"mean_sigma_random\":0.5}\n");
  const json found = history_json({bare});
  EXPECT_TRUE(found["runs"][0]["best"].is_null());
  EXPECT_EQ(found["runs"][0]["first"], found["runs"][0]["last"]);
  for (const json& c : found["correlations"]) {
    for (const char* key : {"r", "low", "high"}) {
      ASSERT_TRUE(c.contains(key));
      EXPECT_TRUE(c[key].is_null());
    }
    EXPECT_EQ(c["points"], 0);
  }
  const RunResult text = history({bare});
  EXPECT_EQ(text.status, 0) << text.err;
  expect_parts(text.out, {"bare: 1 epoch measured\n", "undefined", "cannot be told"});
  // A run with fewer columns joins one with more.
  EXPECT_EQ(history_json({bare, run("plain", history_lines(5))})["correlations"][0]["runs"], 1);
}

TEST_F(History, RefusesWhatIsNoHistory) {
  dir_.write("trained/metrics.jsonl", "");
  expect_refused({}, {"runs"});
  expect_refused({(dir_ / "trained").string()}, {"trained", "creg train --calibrate"});
  expect_refused({(dir_ / "nothing").string()}, {"nothing", "no such folder"});
  const std::string broken = run("broken", history_lines(2) + "{\"epoch\":\n");
  expect_refused({broken}, {"calibration.jsonl", "line 3"});
  const std::string plain = run("plain", history_lines(3));
  expect_refused({plain, plain}, {"given twice"});
}

TEST_F(History, FiguresAreDrawnAsAsked) {
  const std::string plain = run("plain", history_lines(12));
  const std::string out = (dir_ / "figures").string();
  ASSERT_EQ(
      history({plain, "--out", out, "--width", "85mm", "--title", "", "--font-size", "8"}).status,
      0);
  const std::string svg = test::read_text(dir_ / "figures/ece-and-q.svg");
  EXPECT_NE(svg.find("width=\"321.26\""), std::string::npos) << svg.substr(0, 200);
  EXPECT_NE(svg.find("<title></title>"), std::string::npos);
  // --format names the format of figures too; what is printed is text then.
  const RunResult svg_named = history({plain, "--out", out, "--format", "svg"});
  EXPECT_EQ(svg_named.status, 0) << svg_named.err;
  EXPECT_NE(svg_named.out.find("12 epochs measured"), std::string::npos);
  const RunResult both = history({plain, "--out", out, "--figures", "pdf,png,pdf", "--json"});
  if (json::parse(run_creg({"info", "--json"}).out)["cairo"] == true) {
    EXPECT_EQ(json::parse(both.out)["files"].size(), 9U);
    EXPECT_TRUE(test::read_text(dir_ / "figures/spectrum.pdf").starts_with("%PDF"));
    EXPECT_TRUE(test::read_text(dir_ / "figures/spectrum.png").starts_with("\x89PNG"));
  } else {
    EXPECT_EQ(both.status, 1);
  }
  expect_refused({plain, "--out", out, "--figures", "gif"},
                 {"--figures", "'gif'", "svg, pdf or png"});
  expect_refused({plain, "--out", out, "--width", "wide"}, {"--width", "'wide'"});
  expect_refused({plain, "--figures", "svg"}, {"no folder", "--out DIR"});
  EXPECT_EQ(run_creg({"data", "list", "--format", "pdf"}).status, 2);
}

TEST_F(History, SeedsAreNamedByTheirConfigurationAndPooled) {
  const std::string config = "dataset = \"cora\"\nmethod = \"ml\"\nreg = \"contrast\"\n";
  for (const char* seed : {"runs/seed-0", "runs/seed-1"}) {
    run(seed, history_lines(5));
    dir_.write(std::string(seed) + "/config.toml", config);
  }
  const std::string out = (dir_ / "figures").string();
  const auto drawn = [&](const Words& more) {
    Words words = {(dir_ / "runs").string(), "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(history(words).status, 0);
    return test::read_text(dir_ / "figures/ece-and-q.svg");
  };
  expect_parts(drawn({}), {">ML + Contrast-Reg<", "mean over 2 seeds", "<polygon"});
  const std::string each = drawn({"--each-seed"});
  expect_parts(each, {">runs/seed-0<", ">runs/seed-1<"});
  EXPECT_EQ(each.find("<polygon"), std::string::npos);
}

}  // namespace
}  // namespace creg::history_test
