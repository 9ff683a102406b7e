#include <gtest/gtest.h>

#include "report/small_report.h"
#include "report/writers.h"

namespace creg::latex_test {
namespace {

TEST(LatexWriter, WritesParagraphsAndTables) {
  EXPECT_EQ(to_latex(test::small_report()),
            "ring: a test\\\\\n"
            "of two lines\n"
            "\n"
            "\\begin{table}\n\\centering\n\\begin{tabular}{lrl}\n\\hline\n"
            "  nodes & 12,345 &  \\\\\n"
            "  share & 81.50 \\% & of all \\\\\n"
            "\\hline\n\\end{tabular}\n\\end{table}\n"
            "\n"
            "\\begin{table}\n\\centering\n\\begin{tabular}{lrrrr}\n\\hline\n"
            "  percent & mean & std & least & most \\\\\n\\hline\n"
            "  accuracy & 62.50 & 12.50 & 50.00 & 75.00 \\\\\n"
            "\\hline\n\\end{tabular}\n\\end{table}\n"
            "\n"
            "\\begin{table}\n\\centering\n\\caption{for people alone}\n"
            "\\begin{tabular}{ll}\n\\hline\n"
            "  σ & 1.5000 \\\\\n"
            "  words & a\\textbar{}b \\\\\n"
            "\\hline\n\\end{tabular}\n\\end{table}\n"
            "\n"
            "\\begin{table}\n\\centering\n\\caption{what was read}\n"
            "\\begin{tabular}{lrrl}\n\\hline\n"
            "  name & size & hit \\% & note \\\\\n\\hline\n"
            "  a\\textbar{}b & 1.5 KiB & 25.00 & first file \\\\\n"
            "  long, \"name\" & - & - & x \\\\\n"
            "\\hline\n\\end{tabular}\n\\end{table}\n"
            "\n"
            "the end\n");
}

TEST(LatexWriter, NothingInWordsIsACommand) {
  const Report report{.body = {words("\\input{x} 5 % of $a_b^c$ & #1 ~ {<>}")}};
  EXPECT_EQ(to_latex(report),
            "\\textbackslash{}input\\{x\\} 5 \\% of \\$a\\_b\\textasciicircum{}c\\$ \\& \\#1 "
            "\\textasciitilde{} \\{\\textless{}\\textgreater{}\\}\n");
  const Report control{.body = {words("a\x01\tb")}};
  EXPECT_EQ(to_latex(control), "a  b\n");
}

TEST(LatexWriter, AMeanAndItsStdStandAroundPlusMinus) {
  const Report report{
      .body = {{"t", Table{.columns = {{"a", "a", Unit::rate}}, .rows = {{Sample{{0.5, 1}}}}}}}};
  EXPECT_NE(to_latex(report).find("  75.00 $\\pm$ 25.00 \\\\\n"), std::string::npos);
  EXPECT_EQ(write_report(report, ReportFormat::latex), to_latex(report));
}

}  // namespace
}  // namespace creg::latex_test
