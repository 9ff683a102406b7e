#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_creg.h"
#include "report/report_page.h"
#include "support/temp_dir.h"

namespace creg::general_test {
namespace {

using nlohmann::json;
using test::run_binary;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;

const Words plain_commands = {"data", "history", "info", "init"};
const Words computing_commands = {"demo",      "train",    "embed",     "sweep",
                                  "pretrain",  "finetune", "eval",      "calibrate",
                                  "neighbors", "report",   "reproduce", "bench"};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Cli, VersionAndHelpSucceed) {
  const RunResult version = run_binary({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out, "creg 0.1.0\n");
  const RunResult help = run_binary({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_TRUE(contains(help.out, "data")) << help.out;
  EXPECT_TRUE(contains(help.out, "--threads")) << help.out;
}

#ifdef CREG_HAS_TORCH  // the sanitizers of the build without it need more address space than there
                       // is
// Libraries that find no memory while they are loaded, or no room for a thread, wait without end.
TEST(Cli, LittleAddressSpaceEndsWithAMessage) {
  for (const std::int64_t kilobytes : {100000, 600000, 800000, 900000, 1000000}) {
    const test::RunOptions little{.address_space_limit = kilobytes * 1024, .seconds = 60};
    EXPECT_EQ(run_binary({"--version"}, little).out, "creg 0.1.0\n") << kilobytes;
    EXPECT_EQ(run_binary({"--help"}, little).status, 0) << kilobytes;
    const RunResult train = run_binary({"train", "--threads", "4", "--epochs", "1"}, little);
    EXPECT_EQ(train.status, 1) << kilobytes << train.err;
    EXPECT_TRUE(contains(train.err, "too little memory")) << kilobytes << train.err;
    EXPECT_TRUE(contains(train.err, "ulimit -v")) << kilobytes << train.err;
    EXPECT_EQ(run_binary({"info"}, little).status, 0) << kilobytes;
    // Stacks of so many threads do not fit; nobody needs them here.
    EXPECT_EQ(run_binary({"info", "--threads", "256"}, little).status, 0) << kilobytes;
  }
}
#endif

TEST(Cli, TheOverviewFitsOnAScreen) {
  std::istringstream help(run_binary({"--help"}).out);
  Words words;
  int lines = 0;
  for (std::string line; std::getline(help, line); ++lines) {
    EXPECT_LE(line.size(), 80U) << line;
    std::istringstream parts(line);
    for (std::string word; parts >> word;) words.push_back(word);
  }
  EXPECT_LE(lines, 24);
  const auto offered = [&](const std::string& name) {
    return std::find(words.begin(), words.end(), name) != words.end();
  };
  for (const std::string& name : plain_commands) EXPECT_TRUE(offered(name)) << name;
#ifdef CREG_HAS_TORCH
  for (const std::string& name : computing_commands) EXPECT_TRUE(offered(name)) << name;
#else
  for (const std::string& name : computing_commands) EXPECT_FALSE(offered(name)) << name;
#endif
}

// The commands' own help, in the library too, begins with the line that the overview shows.
TEST(Cli, EveryCommandHasOneDescription) {
  std::istringstream overview(run_binary({"--help"}).out);
  int found = 0;
  for (std::string line; std::getline(overview, line);) {
    std::istringstream parts(line.size() > 9 ? line.substr(9) : "");
    std::string name;
    std::string about;
    parts >> name >> std::ws;
    std::getline(parts, about);
    if (std::find(plain_commands.begin(), plain_commands.end(), name) == plain_commands.end() &&
        std::find(computing_commands.begin(), computing_commands.end(), name) ==
            computing_commands.end()) {
      continue;
    }
    ++found;
    const RunResult help = test::run_creg({name, "--help"});
    EXPECT_EQ(help.status, 0) << name;
    EXPECT_EQ(help.out.substr(0, help.out.find('\n')), about);
  }
#ifdef CREG_HAS_TORCH
  EXPECT_EQ(found, 16);
#else
  EXPECT_EQ(found, 4);
#endif
}

TEST(Cli, AllHelpShowsTheOptionsOfTheCommands) {
  const RunResult all = run_binary({"--help-all"});
  EXPECT_EQ(all.status, 0);
  EXPECT_TRUE(contains(all.out, "Folders of creg train")) << all.out;
  EXPECT_TRUE(contains(all.out, "How to show progress")) << all.out;
#ifdef CREG_HAS_TORCH
  EXPECT_TRUE(contains(all.out, "--fanouts")) << all.out;
#endif
}

TEST(Cli, NothingAskedShowsHelpAndFails) {
  const RunResult result = run_binary({});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.out, "data"));
}

TEST(Cli, UnknownWordsGetASuggestion) {
  const RunResult command = run_binary({"inof"});
  EXPECT_EQ(command.status, 2);
  EXPECT_TRUE(contains(command.err, "did you mean info?")) << command.err;
#ifdef CREG_HAS_TORCH
  EXPECT_TRUE(contains(run_binary({"trian"}).err, "did you mean train?"));
#endif
  const RunResult option = run_binary({"data", "list", "--markdwon"});
  EXPECT_EQ(option.status, 2);
  EXPECT_TRUE(contains(option.err, "did you mean --markdown?")) << option.err;
  EXPECT_TRUE(contains(option.err, "creg data list --help")) << option.err;
  EXPECT_EQ(option.out, "");
}

TEST(Cli, ValuesOutOfRangeAreNamed) {
  const RunResult threads = run_binary({"info", "--threads", "-3"});
  EXPECT_EQ(threads.status, 2);
  EXPECT_TRUE(contains(threads.err, "--threads")) << threads.err;
  const RunResult word = run_binary({"info", "--threads", "many"});
  EXPECT_EQ(word.status, 2);
  EXPECT_TRUE(contains(word.err, "--threads")) << word.err;
  const RunResult progress = run_binary({"info", "--progress", "fancy"});
  EXPECT_EQ(progress.status, 2);
  EXPECT_TRUE(contains(progress.err, "auto, bar, lines, json or none")) << progress.err;
}

TEST(Cli, AnUnknownDeviceIsNamed) {
  const RunResult result = run_binary({"data", "list", "--device", "tpu"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "auto, cpu, cuda or cuda:N")) << result.err;
  EXPECT_EQ(run_binary({"data", "list", "--device", "auto"}).status, 0);
}

#ifdef CREG_HAS_TORCH
// Nothing falls back to the CPU.
TEST(Cli, AGpuThatIsNotThereIsAnErrorWithWhatIsMissing) {
  const RunResult result =
      run_binary({"train", "--device", "cuda:57", "--epochs", "1", "--progress", "none"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "--device")) << result.err;
  EXPECT_TRUE(contains(result.err, "cuda:57")) << result.err;
}
#endif

TEST(Cli, ASeedIsNotNegative) {
  const RunResult result = run_binary({"data", "list", "--seed", "-1"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "--seed")) << result.err;
  EXPECT_EQ(run_binary({"data", "list", "--seed", "18446744073709551615"}).status, 0);
}

TEST(Cli, HelpIsAWordToo) {
  EXPECT_EQ(run_binary({"help", "data", "list"}).out, run_binary({"data", "list", "--help"}).out);
  EXPECT_EQ(run_binary({"help"}).out, run_binary({"--help"}).out);
  EXPECT_EQ(run_binary({"help"}).status, 0);
  for (const Words& words : {Words{"help", "trian"}, Words{"trian", "--help"}}) {
    const RunResult slip = run_binary(words);
    EXPECT_EQ(slip.status, 2) << slip.out;
    EXPECT_TRUE(contains(slip.err, "unknown word 'trian'")) << slip.err;
  }
  const RunResult inner = run_binary({"help", "data", "conver", "--json"});
  EXPECT_EQ(inner.status, 2);
  EXPECT_TRUE(contains(inner.err, "convert")) << inner.err;
  EXPECT_TRUE(contains(inner.out, "\"error\"")) << inner.out;
#ifdef CREG_HAS_TORCH
  const RunResult train = run_binary({"help", "train"});
  EXPECT_EQ(train.status, 0);
  EXPECT_EQ(train.out, run_binary({"train", "--help"}).out);
#endif
}

/// The parts of a message by name, null where there is none; the words stay on standard error.
TEST(Cli, WithJsonAnErrorIsAnObjectToo) {
  for (const Words& format : {Words{"--json"}, Words{"--format", "json"}, Words{"--format=json"}}) {
    Words words = {"data", "info", "corra"};
    words.insert(words.end(), format.begin(), format.end());
    const RunResult result = run_binary(words);
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(contains(result.err, "corra")) << result.err;
    const json error = json::parse(result.out)["error"];
    std::vector<std::string> keys;
    for (const auto& [key, value] : error.items()) keys.push_back(key);
    EXPECT_EQ(keys,
              (std::vector<std::string>{"expected", "file", "found", "hint", "place", "what"}));
    EXPECT_TRUE(error["what"].is_string());
    EXPECT_TRUE(error["place"].is_null()) << result.out;
  }
  const RunResult usage = run_binary({"data", "list", "--markdwon", "--json"});
  EXPECT_EQ(usage.status, 2);
  EXPECT_TRUE(contains(json::parse(usage.out)["error"]["what"], "did you mean --markdown?"));
  EXPECT_EQ(json::parse(usage.out)["error"]["hint"], "see creg data list --help");
  EXPECT_EQ(run_binary({"data", "info", "corra"}).out, "");
#ifdef CREG_HAS_TORCH
  const RunResult train = run_binary({"train", "--method", "grcae", "--json"});
  EXPECT_EQ(train.status, 2);
  EXPECT_TRUE(contains(json::parse(train.out)["error"]["hint"], "did you mean grace?"))
      << train.out;
#endif
}

TEST(Cli, NamesInMessagesDoNotSteerTheTerminal) {
  const RunResult run = run_binary({"data", "info", "no\x1b[31m\xe9.creg"});
  EXPECT_NE(run.status, 0);
  EXPECT_NE(run.err.find("no\\x1b[31m\\xe9.creg"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
}

TEST(Cli, FormatChoosesHowResultsArePrinted) {
  const auto out = [](const std::vector<std::string>& words) {
    const RunResult result = run_binary(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  const std::string text = out({"data", "list"});
  EXPECT_EQ(out({"data", "list", "--format", "text"}), text);
  EXPECT_TRUE(text.starts_with("name               here  protocol ")) << text;
  const std::string object = out({"data", "list", "--json"});
  EXPECT_EQ(out({"--format", "json", "data", "list"}), object);
  EXPECT_EQ(out({"data", "list", "--json", "--format", "json"}), object);
  EXPECT_EQ(json::parse(object)["datasets"][0]["name"], "cora");
  const std::string markdown = out({"data", "list", "--format", "md"});
  EXPECT_TRUE(
      markdown.starts_with("| name | here | protocol | title |\n|---|---|---|---|\n| cora |"))
      << markdown;
  const std::string csv = out({"data", "list", "--format", "csv"});
  EXPECT_TRUE(csv.starts_with("name,title,here,protocol,licence\ncora,Cora (Planetoid),")) << csv;
  EXPECT_TRUE(contains(out({"info", "--format", "csv"}), "key,value\nversion,0.1.0\n"));
}

TEST(Cli, FormatsThatCannotBeMeantAreRefusedBeforeTheWork) {
  const RunResult unknown = run_binary({"data", "info", "nothing", "--format", "xml"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_TRUE(contains(unknown.err,
                       "--format: unknown format of results: found 'xml', expected "
                       "text, json, md, csv or latex"))
      << unknown.err;
  const RunResult both = run_binary({"info", "--json", "--format", "md"});
  EXPECT_EQ(both.status, 2);
  EXPECT_EQ(json::parse(both.out)["error"]["what"], "--json and --format ask for different things");
  EXPECT_TRUE(contains(both.err, "--json and --format ask for different things")) << both.err;
}

TEST(Cli, InfoTellsTheBuild) {
  const RunResult table = run_binary({"info"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "libtorch"));
  const RunResult result = run_binary({"info", "--json", "--threads", "1"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json info = json::parse(result.out);
  EXPECT_EQ(info["version"], "0.1.0");
  const auto sources = info["sources"].get<std::string>();
  EXPECT_EQ(sources.size(), 12U);
  EXPECT_EQ(sources.find_first_not_of("0123456789abcdef"), std::string::npos) << sources;
  EXPECT_EQ(info["threads"], 1);
  EXPECT_TRUE(info.contains("blas"));
  EXPECT_TRUE(info["faiss"].is_boolean());
  EXPECT_TRUE(info["metis"].is_boolean());
  EXPECT_TRUE(info["scotch"].is_boolean());
  EXPECT_EQ(info["page"], !page_shell().empty());
  EXPECT_TRUE(contains(table.out, "streaming")) << table.out;
  EXPECT_EQ(info["devices"][0], "cpu");
}

// Fails without the new start where OpenBLAS is older than the processor.
TEST(Cli, OpenBlasUsesTheWideKernelsUnlessToldOtherwise) {
  const json info = json::parse(run_binary({"info", "--json"}).out);
  const std::string blas = info["blas"].is_string() ? info["blas"] : "";
  if (!contains(blas, "OpenBLAS") || !contains(info["instruction_set"], "AVX")) {
    GTEST_SKIP() << "needs OpenBLAS on a processor with AVX2";
  }
  EXPECT_FALSE(contains(blas, "Prescott")) << blas;
  const RunResult told =
      run_binary({"info", "--json"}, {.environment = {"OPENBLAS_CORETYPE=Prescott"}});
  EXPECT_TRUE(contains(json::parse(told.out)["blas"], "Prescott")) << told.out;
}

TEST(Cli, WaitingThreadsSleepSoonUnlessToldOtherwise) {
  const auto shown = [](Words environment) {
    environment.emplace_back("OMP_DISPLAY_ENV=verbose");
    return run_binary({"info"}, {.environment = std::move(environment)}).err;
  };
  if (shown({}).find("GOMP_SPINCOUNT") == std::string::npos) {
    GTEST_SKIP() << "the threads are not libgomp's";
  }
  EXPECT_NE(shown({}).find("GOMP_SPINCOUNT = '500'"), std::string::npos) << shown({});
  EXPECT_NE(shown({"GOMP_SPINCOUNT=77"}).find("GOMP_SPINCOUNT = '77'"), std::string::npos);
  EXPECT_EQ(shown({"OMP_WAIT_POLICY=active"}).find("GOMP_SPINCOUNT = '500'"), std::string::npos);
}

TEST(Cli, AFullOutputIsAFailure) {
  for (const Words& words : {Words{"info"}, Words{}}) {
    const RunResult result = run_binary(words, {.stdout_path = "/dev/full"});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(contains(result.err, "No space left on device")) << result.err;
  }
}

#ifdef CREG_HAS_TORCH
// Loading libtorch takes half a second and 150 MB: only commands that compute pay for it.
TEST(Cli, WhatComputesNothingLoadsNoLibtorch) {
  const test::RunOptions traced{.environment = {"LD_DEBUG=libs"}};
  for (const Words& words : {Words{"--version"}, Words{"--help"}, Words{}, Words{"trian"},
                             Words{"data", "list"}, Words{"data", "info", "--help"},
                             Words{"history", "/nowhere"}, Words{"info", "--threads", "many"}}) {
    const RunResult result = run_binary(words, traced);
    EXPECT_TRUE(contains(result.err, "find library=")) << "the loader was not traced";
    EXPECT_FALSE(contains(result.err, "libtorch")) << testing::PrintToString(words);
  }
  EXPECT_TRUE(contains(run_binary({"info"}, traced).err, "libtorch"));
}

TEST(Cli, WithoutItsLibraryTheCommandDoesWhatItCan) {
  const TempDir dir;
  const std::string alone = (dir / "creg").string();
  std::filesystem::copy_file(CREG_BINARY, alone);
  const test::RunOptions options{.binary = alone};
  EXPECT_EQ(run_binary({"--version"}, options).status, 0);
  EXPECT_EQ(run_binary({"data", "list"}, options).status, 0);
  EXPECT_TRUE(contains(run_binary({"--help-all"}, options).out, "Folders of creg train"));
  const RunResult info = run_binary({"info", "--json"}, options);
  ASSERT_EQ(info.status, 0) << info.err;
  EXPECT_TRUE(json::parse(info.out)["libtorch"].is_null()) << info.out;
  EXPECT_TRUE(contains(info.err, CREG_LIBRARY)) << info.err;
  for (const std::string& name : computing_commands) {
    const RunResult result = run_binary({"--quiet", name, "--help"}, options);
    EXPECT_EQ(result.status, 1) << name;
    EXPECT_TRUE(contains(result.err, name + " needs " CREG_LIBRARY)) << result.err;
    // Behind the folders of LD_LIBRARY_PATH, where that is set.
    EXPECT_TRUE(contains(result.err, "looked for in /")) << result.err;
    EXPECT_TRUE(contains(result.err, dir.path().string() + ",")) << result.err;
  }
}

TEST(Cli, ABrokenLibraryIsNamed) {
  const TempDir dir;
  const std::string alone = (dir / "creg").string();
  std::filesystem::copy_file(CREG_BINARY, alone);
  const std::string library = dir.write(CREG_LIBRARY, "not a library").string();
  const RunResult result = run_binary({"train"}, {.binary = alone});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.err, library)) << result.err;
}

TEST(Cli, WordsBeforeAndAfterACommandReachTheLibrary) {
  const RunResult result = run_binary({"--json", "-q", "train", "--dry-run", "--out", "there"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(json::parse(result.out)["out"], "there") << result.out;
  const RunResult wrong = run_binary({"train", "--epohcs", "3"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "did you mean --epochs?")) << wrong.err;
}
#endif

}  // namespace
}  // namespace creg::general_test
