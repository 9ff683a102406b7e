#include "creg/io/toml_text.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace creg {
namespace {

void check(const std::string& text) {
  check_toml_text(Bytes::from_string(text, "a.toml"));
}

TEST(TomlText, AnyCharacterMayStandInStringsAndComments) {
  for (const char* text :
       {"", "a = 1 # é\nb = 2", "a = \"é\"", "a = 'é'", "a = \"\"\"é\n\"é\" \"\"\"\nb = 1",
        "a = '''é\n'é' ''''\nb = 'é'", "a = \"\\\"é\"", "a = \"\\\\\" # é", "a = 'x\\' # é",
        "\xef\xbb\xbf"
        "a = 1",
        "a = \"\"\"x\\\n   y é\"\"\"", "\"é\" = 1", "a = \"\" # é", "a = \"\"\"\"\"\" # é",
        "a = \"\"\"x\"\"\"\"\" # é", "a = \"\"\"\\\"\"\"\"# é"}) {
    EXPECT_NO_THROW(check(text)) << text;
  }
}

TEST(TomlText, NowhereElse) {
  test::expect_error([] { check("a = 1\né = 2"); }, {"a.toml: line 2", "'\\xc3\\xa9", "ASCII"});
  for (const char* text :
       {"a = é", "a = \"x\" é", "a = \"\"\"x\"\"\" é", "a = 'x\\' é", "é", "# é\né", "a = \"x\né",
        "a = \"\"\"\\é\"\"\"", "a = \"\"\"\\\n é\"\"\"", "a = \"\"\"\\\"\"\"\" é"}) {
    test::expect_error([&] { check(text); }, {"a.toml: line", "strings and comments"});
  }
}

}  // namespace
}  // namespace creg
