#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "cli/run_creg.h"
#include "support/temp_dir.h"

namespace creg::completion_test {
namespace {

using test::read_text;
using test::run_binary;
using test::run_creg;
using test::RunResult;
using test::TempDir;
using Words = std::vector<std::string>;

Words sorted_lines(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    // fish says what a word is, behind a tab.
    line = line.substr(0, line.find('\t'));
    if (!line.empty()) lines.insert(line);
  }
  return {lines.begin(), lines.end()};
}

/// A shell with its completions, in a folder with some files.
class Shell {
 public:
  explicit Shell(const std::string& name) : name_(name) {
    dir_.write("graph.toml", "");
    std::filesystem::create_directory(dir_ / "runs");
    const RunResult made = run_creg({"completion", name, "--out", script()});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.out, "");
  }

  bool is_there() const { return std::filesystem::exists(binary()); }

  /// What it offers behind this line, each once, sorted.
  Words offers(const std::string& line) const {
    const std::string there = "cd '" + dir_.path().string() + "'; ";
    const std::string source = "source '" + script() + "'; ";
    if (name_ == "bash") {
      return run({"--norc", "-c",
                  there + source + "COMP_LINE='" + line +
                      "' COMP_POINT=${#COMP_LINE}; _creg; printf '%s\\n' \"${COMPREPLY[@]}\""});
    }
    if (name_ == "fish") return run({"-c", there + source + "complete -C '" + line + "'"});
    return run(
        {"-f", "-c", there + "source '" CREG_COMPLETE_ZSH "' '" + script() + "' '" + line + "'"});
  }

 private:
  std::string binary() const { return (name_ == "bash" ? "/bin/" : "/usr/bin/") + name_; }
  std::string script() const { return (dir_ / "script").string(); }
  Words run(const Words& arguments) const {
    const RunResult result = run_binary(
        arguments,
        {.environment = {"HOME=" + dir_.path().string()}, .binary = binary(), .seconds = 60});
    EXPECT_EQ(result.err, "") << name_;
    return sorted_lines(result.out);
  }

  std::string name_;
  TempDir dir_;
};

class ShellsComplete : public testing::TestWithParam<const char*> {};

TEST_P(ShellsComplete, CommandsFlagsAndValues) {
  const Shell shell(GetParam());
  if (!shell.is_there()) GTEST_SKIP() << "needs " << GetParam();
  EXPECT_EQ(shell.offers("creg hist"), (Words{"history"}));
  EXPECT_EQ(shell.offers("creg data c"), (Words{"convert"}));
  EXPECT_EQ(shell.offers("creg --quiet data get cora-"), (Words{"cora-ml", "cora-npz"}));
  EXPECT_EQ(shell.offers("creg data info --unk"), (Words{"--unknown-ids"}));
  // Those of creg itself are every command's, before and behind it.
  EXPECT_EQ(shell.offers("creg --prog"), (Words{"--progress"}));
  EXPECT_EQ(shell.offers("creg data info --prog"), (Words{"--progress"}));
  EXPECT_EQ(shell.offers("creg --format "), (Words{"csv", "json", "latex", "md", "text"}));
  EXPECT_EQ(shell.offers("creg data split --protocol random-1"),
            (Words{"random-10-10-80", "random-10-90-ovr"}));
  // Paths beside names; folders alone where a folder is meant.
  EXPECT_EQ(shell.offers("creg data info g"), (Words{"graph.toml"}));
  const Words folders = shell.offers("creg history --out ");
  ASSERT_EQ(folders.size(), 1U) << testing::PrintToString(folders);
  EXPECT_EQ(folders.front().substr(0, 4), "runs");
#ifdef CREG_HAS_TORCH
  EXPECT_EQ(shell.offers("creg train cora --meth"), (Words{"--method"}));
  EXPECT_EQ(shell.offers("creg train --method ggd --encoder ga"), (Words{"gat"}));
  EXPECT_EQ(shell.offers("creg train --method gc"), (Words{"gca", "gcn-neg", "gcn-supervised"}));
  EXPECT_EQ(shell.offers("creg sweep ml/cor"), (Words{"ml/cora"}));
  // A value that has the name of a command is none.
  EXPECT_EQ(shell.offers("creg train --out data --resum"), (Words{"--resume"}));
#endif
}

INSTANTIATE_TEST_SUITE_P(All, ShellsComplete, testing::Values("bash", "zsh", "fish"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Completion, BashKeepsWhatStandsBeforeAColonAnEqualsSignOrAComma) {
  const Shell bash("bash");
  EXPECT_EQ(bash.offers("creg data info synthetic:c"), (Words{"citation", "cora"}));
  EXPECT_EQ(bash.offers("creg --format=j"), (Words{"json"}));
  EXPECT_EQ(bash.offers("creg data info --transform binarise,largest"),
            (Words{"binarise,largest-component"}));
}

/// The long flags that a page of help begins lines with.
Words flags_of_help(const Words& words) {
  std::istringstream help(run_creg(words).out);
  std::set<std::string> flags;
  for (std::string line; std::getline(help, line);) {
    std::istringstream parts(line);
    std::string flag;
    parts >> flag;
    if (const std::size_t comma = flag.find(','); comma != std::string::npos) {
      flag.erase(0, comma + 1);
    }
    flag = flag.substr(0, flag.find('{'));
    if (flag.starts_with("--")) flags.insert(flag);
  }
  return {flags.begin(), flags.end()};
}

// Each page of help lists what its command takes, so nothing may be missing there.
TEST(Completion, EveryFlagOfTheHelpIsOffered) {
  const Shell bash("bash");
  const Words all = bash.offers("creg --");
  const auto expect_all = [&](const std::string& line, const Words& help) {
    Words offered = bash.offers(line + " --");
    const Words flags = flags_of_help(help);
    EXPECT_GT(flags.size(), 4U) << line;
    for (const std::string& flag : flags) {
      EXPECT_TRUE(std::ranges::binary_search(offered, flag)) << line << " " << flag;
    }
    EXPECT_TRUE(std::ranges::includes(offered, all)) << line;
  };
  expect_all("creg data convert", {"data", "convert", "--help"});
#ifdef CREG_HAS_TORCH
  expect_all("creg train", {"train", "--help-all"});
  expect_all("creg eval link", {"eval", "link", "--help-all"});
#endif
}

TEST(Completion, AShellThatIsNotKnownIsAnError) {
  EXPECT_EQ(run_creg({"completion"}).status, 2);
  const RunResult result = run_creg({"completion", "tcsh"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("tcsh"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(Manual, EveryCommandHasAPageWithoutAWarning) {
  const TempDir dir;
  const RunResult made = run_creg({"manual", "--out", (dir / "man1").string()});
  ASSERT_EQ(made.status, 0) << made.err;
  std::set<std::string> pages;
  for (const auto& entry : std::filesystem::directory_iterator(dir / "man1")) {
    pages.insert(entry.path().filename().string());
    const std::string text = read_text(entry.path());
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 32 && c < 127); }))
        << entry.path();
    if (!std::filesystem::exists("/usr/bin/groff")) continue;
    const RunResult read = run_binary({"-man", "-Tutf8", "-ww", "-z", entry.path().string()},
                                      {.binary = "/usr/bin/groff"});
    EXPECT_EQ(read.status, 0) << entry.path();
    EXPECT_EQ(read.err, "") << entry.path();
  }
  for (const char* const page : {"creg.1", "creg-data.1", "creg-data-info.1", "creg-history.1"}) {
    EXPECT_TRUE(pages.contains(page)) << page;
  }
#ifdef CREG_HAS_TORCH
  EXPECT_TRUE(pages.contains("creg-eval-classify.1"));
#endif
}

TEST(Manual, APageSaysWhatTheHelpSays) {
  const RunResult page = run_creg({"manual", "data", "convert"});
  ASSERT_EQ(page.status, 0) << page.err;
  EXPECT_TRUE(page.out.find(".SH NAME\ncreg\\-data\\-convert \\- Any graph to") !=
              std::string::npos)
      << page.out;
  EXPECT_NE(page.out.find("\\fB\\-\\-raw\\fR\nKeep the graph as stored"), std::string::npos);
  EXPECT_NE(page.out.find(".SS Your own files"), std::string::npos);
  const RunResult all = run_creg({"manual"});
  EXPECT_NE(all.out.find("\\fBcreg\\-data\\fR(1)"), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("CREG_DATA"), std::string::npos);
  const RunResult unknown = run_creg({"manual", "data", "convrt"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("did you mean convert?"), std::string::npos) << unknown.err;
}

#ifdef CREG_HAS_TORCH
TEST(Completion, WithoutTheLibraryItIsNotHalfMade) {
  const TempDir dir;
  const std::string alone = (dir / "creg").string();
  std::filesystem::copy_file(CREG_BINARY, alone);
  for (const Words& words : {Words{"completion", "bash"}, Words{"manual"}}) {
    const RunResult result = run_binary(words, {.binary = alone});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(CREG_LIBRARY), std::string::npos) << result.err;
  }
}
#endif

}  // namespace
}  // namespace creg::completion_test
