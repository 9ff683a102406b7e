#include "io/text/table_text.h"

#include <gtest/gtest.h>

#include "support/compress.h"

namespace creg::table_text_test {
namespace {

Bytes text(std::string contents) {
  return Bytes::from_string(std::move(contents), "t.csv");
}

bool first_is_id(const RowFields& first, const RowFields& /*second*/) {
  return first[0] == "id";
}

TEST(TableHead, IsTheFirstRowOfDataBehindAHeader) {
  const TableHead head = read_table_head(Context(), text("# c\nid x,y\n1 2\n"), {}, first_is_id);
  EXPECT_EQ(head.separator, Separator::space);
  EXPECT_EQ(head.row, (RowFields{"1", "2"}));
  EXPECT_EQ(head.skip, 11);
}

TEST(TableHead, WithoutAHeaderTheFirstRowHasTheSay) {
  const TableHead head = read_table_head(Context(), text("# c\n1,2\n3 4\n"), {}, first_is_id);
  EXPECT_EQ(head.separator, Separator::comma);
  EXPECT_EQ(head.row, (RowFields{"1", "2"}));
  EXPECT_EQ(head.skip, 4);
  EXPECT_TRUE(read_table_head(Context(), text("\n# c\n"), {}, first_is_id).row.empty());
}

TEST(TableHead, OptionsComeBeforeWhatIsRecognised) {
  const TableOptions options{.separator = Separator::semicolon, .header = false};
  const TableHead head = read_table_head(Context(), text("id,x;y\n"), options, first_is_id);
  EXPECT_EQ(head.separator, Separator::semicolon);
  EXPECT_EQ(head.row, (RowFields{"id,x", "y"}));
}

TEST(ReadParts, JoinsWhatTheBlocksHoldInOrder) {
  std::string rows;
  for (int i = 0; i < 200000; ++i) rows += std::to_string(i) + "\n";
  struct Part {
    std::vector<std::int32_t> values;
    std::deque<std::string> unescaped;
    void clear() { values.clear(); }
  };
  GrowingBuffer<std::int32_t> all("t");
  std::int64_t expected = 0;
  const bool whole = read_parts<Part>(
      Context({.threads = 3}), text(rows), {.skip = 2},
      [](const TextBlock& block, Part& part) {
        for_each_row(block, Separator::comma, part.unescaped,
                     [&](std::string_view line, FieldReader& /*reader*/) {
                       part.values.push_back(std::stoi(std::string(line)));
                     });
      },
      [&](std::span<const TextBlock> blocks, std::span<Part> parts) {
        append_parts(Context(), parts, &Part::values, all);
        expected = expected_in_all(text(rows), blocks, all.size());
        return true;
      });
  EXPECT_TRUE(whole);
  const Array<std::int32_t> values = all.take();
  ASSERT_EQ(values.size(), 199999);  // two bytes, a row, were passed over
  for (std::int32_t i = 0; i < 199999; ++i) ASSERT_EQ(values[i], i + 1);
  EXPECT_GE(expected, 199999);
}

TEST(ReadParts, EndsWhereTheJoiningSaysSo) {
  EXPECT_FALSE(read_parts<std::vector<int>>(
      Context(), text("1\n"), {}, [](const TextBlock&, std::vector<int>&) {},
      [](std::span<const TextBlock>, std::span<std::vector<int>>) { return false; }));
}

TEST(ExpectedInAll, IsTheShareOfTheTextThatIsThere) {
  const Bytes bytes = text(std::string(1000, '\n'));
  const std::vector<TextBlock> first = {TextBlock(bytes.text().substr(0, 100))};
  EXPECT_EQ(expected_in_all(bytes, first, 50), 510);
  EXPECT_EQ(expected_in_all(text(test::gzip(std::string(1000, '\n'))), first, 50), 51);
  EXPECT_EQ(expected_in_all(text(""), {}, 0), 0);
}

}  // namespace
}  // namespace creg::table_text_test
