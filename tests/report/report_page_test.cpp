#include "report/report_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include "io/containers/inflate.h"
#include "report/page/base64.h"
#include "support/expect_error.h"

namespace creg::report_page_test {
namespace {

using nlohmann::json;

ReportPage small_page() {
  PageDataset data{.name = "ring",
                   .nodes = 70001,
                   .edges = 3,
                   .classes = {"<b>", "two"},
                   .baselines = {{"features", "Features X alone", Sample{{0.5}}}},
                   .shown = {0, 1, 70000},
                   .names = {"<script>alert(1)</script>", "</script>", "caf\xe9"},
                   .labels = {0, -1, 1},
                   .degrees = {2, 2, 2}};
  PageRun run{.name = "none", .method = "ml", .reg = "none", .seeds = {0, 1}};
  run.figures = {{"accuracy", Sample{{0.5, 0.75}}}, {"ece", Sample{}}};
  run.curves = {{.key = "loss", .epochs = {0, 5}, .seeds = {{1.0 / 3, std::nullopt}}}};
  run.confusion = PageConfusion{.counts = {{1, 2}, {0, 3}}};
  run.map = PageMap{.principal = {-1, 0, 1, 0, 0, 1},
                    .predictions = {0, 1, 1},
                    .confidence = {0, 0.5, 1},
                    .k = 2,
                    .neighbours = {1, 2, 0, 2, 0, 1},
                    .sigma = {1, 1, 1, 0, 0, 0},
                    .edges = {true, false, false, true, true, true}};
  return {.title = "Embeddings", .version = "1", .datasets = {data}, .runs = {run}};
}

TEST(ReportPage, NamesCannotLeaveTheElementThatHoldsThem) {
  const std::string text = page_data(small_page());
  EXPECT_EQ(text.find('<'), std::string::npos);
  const json data = json::parse(text);
  EXPECT_EQ(data["datasets"][0]["names"],
            json({"<script>alert(1)</script>", "</script>", "caf\xef\xbf\xbd"}));
  EXPECT_EQ(data["datasets"][0]["classes"][0], "<b>");
}

TEST(ReportPage, HasTheFiguresThatThePageReads) {
  const json data = json::parse(page_data(small_page()));
  const json& run = data["runs"][0];
  EXPECT_EQ(run["figures"]["accuracy"]["mean"], 0.625);
  EXPECT_TRUE(run["figures"]["ece"].is_null());
  EXPECT_EQ(run["curves"][0]["seeds"], json::parse("[[0.333333,null]]"));
  EXPECT_EQ(run["confusion"], json::parse("[[1,2],[0,3]]"));
  const json& map = run["map"];
  // x from -1 to 1 is 0 to 65535; y from 0 to 1 is in the middle of the same square.
  EXPECT_EQ(map["principal"],
            report::base64_of(std::vector<std::int64_t>{0, 16384, 65535, 16384, 32768, 49151}, 2));
  EXPECT_TRUE(map["tsne"].is_null());
  EXPECT_EQ(map["confidence"], report::base64_of(std::vector<std::int64_t>{0, 128, 255}, 1));
  EXPECT_EQ(map["edges"], report::base64_of(std::vector<std::int64_t>{1, 2, 3}, 2));
  // As few bytes of each as hold the largest.
  EXPECT_EQ(map["neighbours"], report::base64_of(std::vector<std::int64_t>{1, 2, 0, 2, 0, 1}, 1));
  const json& dataset = data["datasets"][0];
  EXPECT_EQ(dataset["shown"], report::base64_of(std::vector<std::int64_t>{0, 1, 70000}, 4));
  EXPECT_EQ(dataset["labels"], report::base64_of(std::vector<std::int64_t>{0, -1, 1}, 1));
  EXPECT_TRUE(data["datasets"][0]["parts"].is_null());
}

TEST(ReportPage, WhatIsImpliedIsLeftOutAndLargeNumbersHaveRoom) {
  ReportPage page = small_page();
  page.datasets[0].nodes = 3;
  page.datasets[0].shown = {0, 1, 2};
  page.datasets[0].degrees = {2, 2, 256};
  page.datasets[0].labels = {0, -1, 128};
  const json dataset = json::parse(page_data(page))["datasets"][0];
  EXPECT_TRUE(dataset["shown"].is_null()) << "all of them";
  EXPECT_EQ(dataset["degrees"], report::base64_of(std::vector<std::int64_t>{2, 2, 256}, 2));
  EXPECT_EQ(dataset["labels"], report::base64_of(std::vector<std::int64_t>{0, -1, 128}, 2));
  page.datasets[0].degrees[0] = 1 << 16;
  EXPECT_EQ(json::parse(page_data(page))["datasets"][0]["degrees"],
            report::base64_of(std::vector<std::int64_t>{1 << 16, 2, 256}, 4));
}

std::vector<std::uint8_t> bytes_of_base64(const std::string& text) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    word = word << 6U | static_cast<std::uint32_t>(letters.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::uint8_t>(word >> bits));
  }
  return bytes;
}

json unpacked(const json& names) {
  const std::vector<std::uint8_t> bytes = bytes_of_base64(names["gzip"].get<std::string>());
  Inflater inflater(Bytes::from_string(std::string(bytes.begin(), bytes.end()), "names"),
                    Compression::gzip);
  std::string text(50'000'000, ' ');
  text.resize(inflater.read(std::as_writable_bytes(std::span(text))));
  return json::parse(text);
}

/// As people write them: words of a language, drawn by chance.
std::vector<std::string> titles(std::size_t count, std::size_t letters) {
  std::mt19937 draw(1);
  std::vector<std::string> words;
  for (int i = 0; i < 3000; ++i) {
    std::string word;
    for (unsigned long length = 2 + draw() % 9; length > 0; --length) {
      word += static_cast<char>('a' + draw() % 26);
    }
    words.push_back(word);
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    std::string title = std::to_string(i);
    while (title.size() < letters) title += " " + words[draw() % words.size()];
    out.push_back(title.substr(0, letters));
  }
  return out;
}

TEST(ReportPage, ManyNamesArePacked) {
  ReportPage page = small_page();
  page.datasets[0].names = titles(3000, 57);
  page.datasets[0].names[0] = "</script>";
  page.datasets[0].names[1] = "caf\xe9";
  const std::string text = page_data(page);
  EXPECT_LT(text.size(), 3000U * 57);
  json data = json::parse(text)["datasets"][0];
  EXPECT_TRUE(data["names_cut"].is_null());
  page.datasets[0].names[1] = "caf\xef\xbf\xbd";
  EXPECT_EQ(unpacked(data["names"]), json(page.datasets[0].names));
  // Names that would fill the page are cut, between two characters.
  page.datasets[0].names = titles(20000, 400);
  page.datasets[0].names[2] = "a" + std::string(200, '\xc3');
  for (std::size_t i = 2; i < 200; i += 2) page.datasets[0].names[2][i] = '\xa4';
  data = json::parse(page_data(page))["datasets"][0];
  EXPECT_LT(data["names"]["gzip"].get<std::string>().size(), 800'001U);
  const auto most = data["names_cut"].get<std::size_t>();
  EXPECT_GE(most, 20U);
  const json names = unpacked(data["names"]);
  EXPECT_EQ(names[5], page.datasets[0].names[5].substr(0, most) + "…");
  EXPECT_EQ(names[2].get<std::string>().find("\xef\xbf\xbd"), std::string::npos);
}

/// A page as large as they get: maps of so many nodes, with titles for names.
ReportPage large_page(std::size_t nodes, int runs) {
  std::mt19937 draw(2);
  PageDataset data{.name = "papers", .nodes = static_cast<std::int64_t>(nodes)};
  PageRun run{.name = "run", .seeds = {0, 1, 2, 3, 4}};
  PageMap map{.k = 10};
  for (std::size_t i = 0; i < nodes; ++i) {
    data.shown.push_back(static_cast<std::int32_t>(i));
    data.labels.push_back(static_cast<std::int32_t>(draw() % 7));
    data.degrees.push_back(static_cast<std::int32_t>(draw() % 300));
    data.parts.push_back(static_cast<std::int32_t>(draw() % 4));
    map.predictions.push_back(data.labels.back());
    map.confidence.push_back(static_cast<float>(draw() % 256) / 255);
    for (int j = 0; j < 2; ++j) {
      map.principal.push_back(static_cast<float>(draw() % 65536));
      map.tsne.push_back(static_cast<float>(draw() % 65536));
    }
    for (int j = 0; j < 10; ++j) {
      map.neighbours.push_back(static_cast<std::int32_t>(draw() % nodes));
      map.sigma.push_back(static_cast<float>(draw() % 256) / 255);
      map.edges.push_back(draw() % 2 == 0);
    }
  }
  data.names = titles(nodes, 57);
  run.map = std::move(map);
  for (int key = 0; key < 12; ++key) {
    PageCurve curve{.key = std::to_string(key)};
    for (int epoch = 0; epoch < 300; ++epoch) curve.epochs.push_back(epoch);
    for (std::size_t seed = 0; seed < run.seeds.size(); ++seed) {
      curve.seeds.emplace_back();
      for (int epoch = 0; epoch < 300; ++epoch) {
        curve.seeds.back().emplace_back(static_cast<double>(draw()) / 4e9);
      }
    }
    run.curves.push_back(std::move(curve));
  }
  return {.title = "large",
          .datasets = {std::move(data)},
          .runs = std::vector<PageRun>(static_cast<std::size_t>(runs), run)};
}

TEST(ReportPage, StaysBelow3MegabytesWithLongNames) {
  constexpr std::size_t most = 3'000'000;
  // Without a shell as if it had one.
  const std::size_t shell = page_shell().empty() ? 200'000 : page_shell().size();
  const std::size_t one = page_data(large_page(20'000, 1)).size() + shell;
  // What creg report draws of two runs on a larger graph.
  const std::size_t two = page_data(large_page(14'000, 2)).size() + shell;
  EXPECT_LT(one, most);
  EXPECT_LT(two, most);
  RecordProperty("bytes_of_one_run", std::to_string(one));
  RecordProperty("bytes_of_two_runs", std::to_string(two));
}

TEST(ReportPage, FiguresTakeTheirPlaceInTheShell) {
  const std::string html = write_page("<a>{\"creg\":\"data\"}</a>", small_page());
  EXPECT_TRUE(html.starts_with("<a>{\"title\":\"Embeddings\""));
  EXPECT_TRUE(html.ends_with("}\n</a>"));
}

TEST(ReportPage, ShellOfThisBuildHasThePlace) {
  if (page_shell().empty()) GTEST_SKIP() << "this build has no page: " << why_no_page();
  EXPECT_LT(write_page(page_shell(), {}).size(), 500'000U);
}

TEST(Base64, IsThatOfRfc4648) {
  const auto of = [](std::string_view text) {
    return report::base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of("\xff\xfe"), "//4=");
  EXPECT_EQ(report::base64_of(std::vector<std::int64_t>{-1, 258}, 2), "//8CAQ==");
  EXPECT_EQ(report::base64_of(std::vector<std::int64_t>{300, 7}, 1), "/wc=");
}

}  // namespace
}  // namespace creg::report_page_test
