#include <gtest/gtest.h>

#include "report/small_report.h"
#include "report/writers.h"

namespace creg::markdown_test {
namespace {

TEST(MarkdownWriter, WritesHeadingsParagraphsAndTables) {
  EXPECT_EQ(to_markdown(test::small_report()),
            "ring: a test  \n"
            "of two lines\n"
            "\n"
            "|  |  |  |\n"
            "|---|---:|---|\n"
            "| nodes | 12,345 |  |\n"
            "| share | 81.50 % | of all |\n"
            "\n"
            "| percent | mean | std | least | most |\n"
            "|---|---:|---:|---:|---:|\n"
            "| accuracy | 62.50 | 12.50 | 50.00 | 75.00 |\n"
            "\n"
            "### for people alone\n"
            "\n"
            "|  |  |\n"
            "|---|---|\n"
            "| σ | 1.5000 |\n"
            "| words | a\\|b |\n"
            "\n"
            "### what was read\n"
            "\n"
            "| name | size | hit % | note |\n"
            "|---|---:|---:|---|\n"
            "| a\\|b | 1.5 KiB | 25.00 | first file |\n"
            "| long, \"name\" | - | - | x |\n"
            "\n"
            "the end\n");
}

}  // namespace
}  // namespace creg::markdown_test
