#include "io/text/text_fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/compress.h"
#include "support/expect_error.h"

namespace creg::text_fields_test {
namespace {

using Texts = std::vector<std::string>;

TEST(Fields, AreSplitAtTheSeparator) {
  EXPECT_EQ(split_row("a,b,c", Separator::comma), (Texts{"a", "b", "c"}));
  EXPECT_EQ(split_row(" a , b c\t,", Separator::comma), (Texts{"a", "b c", ""}));
  EXPECT_EQ(split_row("a\t b \t\tc", Separator::tab), (Texts{"a", "b", "", "c"}));
  EXPECT_EQ(split_row("  a \t b  ", Separator::space), (Texts{"a", "b"}));
  EXPECT_EQ(split_row("", Separator::space), Texts{});
  EXPECT_EQ(split_row("", Separator::comma), Texts{""});
  EXPECT_EQ(split_row("a;b", Separator::semicolon), (Texts{"a", "b"}));
}

TEST(Fields, MayBeQuoted) {
  EXPECT_EQ(split_row(R"("a,b","say ""hi""",c)", Separator::comma),
            (Texts{"a,b", "say \"hi\"", "c"}));
  EXPECT_EQ(split_row(R"( "a" , "" )", Separator::comma), (Texts{"a", ""}));
  EXPECT_EQ(split_row(R"("New York" Paris)", Separator::space), (Texts{"New York", "Paris"}));
  EXPECT_EQ(split_row("\"a\tb\"\t\"\"\"\"", Separator::tab), (Texts{"a\tb", "\""}));
  EXPECT_EQ(split_row(R"(5" pipe,x)", Separator::comma), (Texts{"5\" pipe", "x"}));
}

TEST(Fields, SayWhatIsWrongWithQuotes) {
  std::deque<std::string> unescaped;
  Field field;
  for (const auto& [row, problem] : std::vector<std::pair<std::string, std::string>>{
           {"\"abc", "does not end"}, {"\"abc\"\"", "does not end"}, {"\"abc\"d,e", "follows"}}) {
    FieldReader reader(row, Separator::comma, unescaped);
    ASSERT_TRUE(reader.next(field));
    ASSERT_NE(field.problem, nullptr) << row;
    EXPECT_NE(std::string(field.problem).find(problem), std::string::npos);
    EXPECT_FALSE(reader.next(field));
  }
}

TEST(Separator, IsDetected) {
  EXPECT_EQ(detect_separator("a b"), Separator::space);
  EXPECT_EQ(detect_separator("a, b"), Separator::comma);
  EXPECT_EQ(detect_separator("a, b\tc"), Separator::tab);
  EXPECT_EQ(detect_separator("a;b c"), Separator::semicolon);
  EXPECT_EQ(detect_separator("\"a,b\" c"), Separator::space);
}

TEST(Separator, HasNames) {
  for (const Separator separator : {Separator::automatic, Separator::comma, Separator::tab,
                                    Separator::semicolon, Separator::space}) {
    EXPECT_EQ(parse_separator(separator_name(separator), "x"), separator);
  }
  EXPECT_EQ(parse_separator("\t", "x"), Separator::tab);
  EXPECT_EQ(parse_separator(",", "x"), Separator::comma);
  test::expect_error([] { parse_separator("|", "--separator"); },
                     {"--separator", "unknown separator", "'|'", "semicolon"});
}

TEST(Comments, AreRecognised) {
  for (const char* line : {"", "  ", "# a", "  % a", "\t// a"}) {
    EXPECT_TRUE(is_blank_or_comment(line)) << line;
  }
  for (const char* line : {"a # b", "/a", "1 2", "\"#a\" b"}) {
    EXPECT_FALSE(is_blank_or_comment(line)) << line;
  }
}

TEST(Head, FindsTheFirstRows) {
  const std::string text = "\xef\xbb\xbf# comment\r\n\n first row\r\n% x\nsecond";
  for (const std::string& form : {text, test::gzip(text)}) {
    const TextHead head = read_head(Bytes::from_string(form, "t"), 3);
    ASSERT_EQ(head.rows.size(), 2U);
    EXPECT_EQ(head.rows[0].text, " first row");
    EXPECT_EQ(text.substr(static_cast<std::size_t>(head.rows[0].begin), 6), " first");
    EXPECT_EQ(text[static_cast<std::size_t>(head.rows[0].end)], '%');
    EXPECT_EQ(head.rows[1].text, "second");
    EXPECT_EQ(head.rows[1].end, static_cast<std::int64_t>(text.size()));
  }
  EXPECT_EQ(read_head(Bytes::from_string("a\nb\nc\n", "t"), 2).rows.size(), 2U);
  EXPECT_EQ(read_head(Bytes::from_string("", "t"), 2).rows.size(), 0U);
}

TEST(Head, ReadsFarIntoACompressedFile) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "# " + std::to_string(i) + "\n";
  const TextHead head = read_head(Bytes::from_string(test::gzip(text + "row\n"), "t.gz"), 1);
  ASSERT_EQ(head.rows.size(), 1U);
  EXPECT_EQ(head.rows[0].begin, static_cast<std::int64_t>(text.size()));
}

TEST(Numbers, AreFinite) {
  EXPECT_EQ(parse_finite("1.5"), 1.5F);
  EXPECT_EQ(parse_finite("-2e3"), -2000.0F);
  EXPECT_EQ(parse_finite("+4"), 4.0F);
  EXPECT_EQ(parse_finite(".5"), 0.5F);
  EXPECT_EQ(parse_finite("3.4028235e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(parse_finite("1e-45"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(parse_finite("1e-60"), 0.0F);
  EXPECT_EQ(parse_finite("1e-999"), 0.0F);
  EXPECT_EQ(parse_finite("0." + std::string(500, '0') + "1"), 0.0F);
  for (const char* text : {"", "+", "-", "abc", "1x", "1 2", "0x10", "nan", "inf", "-inf", "1e39",
                           "-1e999", "+-1", "1,5"}) {
    EXPECT_EQ(parse_finite(text), std::nullopt) << text;
  }
}

TEST(Numbers, ErrorsTellNoNumberFromNotFinite) {
  EXPECT_EQ(number_error("abc", "a weight").what, "a weight is not a number");
  for (const char* text : {"nan", "-inf", "1e39", "1e999"}) {
    EXPECT_EQ(number_error(text, "a weight").what, "a weight is not finite") << text;
  }
}

TEST(PlainIntegers, HaveDigitsAlone) {
  EXPECT_EQ(parse_plain_integer("0", 10), 0);
  EXPECT_EQ(parse_plain_integer("10", 10), 10);
  EXPECT_EQ(parse_plain_integer("11", 10), std::nullopt);
  EXPECT_EQ(parse_plain_integer("999999999999999999999", 1LL << 60), std::nullopt);
  EXPECT_TRUE(is_plain_integer("999999999999999999999"));
  for (const char* text : {"", "01", "-1", "+1", "1.0", "1e3", " 1"}) {
    EXPECT_FALSE(is_plain_integer(text)) << text;
    EXPECT_EQ(parse_plain_integer(text, 100), std::nullopt) << text;
  }
  EXPECT_TRUE(plain_integer_less("9", "10"));
  EXPECT_TRUE(plain_integer_less("10", "11"));
  EXPECT_FALSE(plain_integer_less("11", "11"));
}

}  // namespace
}  // namespace creg::text_fields_test
