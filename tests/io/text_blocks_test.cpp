#include "io/text/text_blocks.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/compress.h"
#include "support/expect_error.h"

namespace creg::text_blocks_test {
namespace {

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

// Everything that the batches hold, one after the other.
std::string collect(const Bytes& bytes, const TextOptions& options, int threads = 2) {
  const Context context(Context::Options{.threads = threads});
  std::string all;
  for_each_batch(context, bytes, options, [&](std::span<const TextBlock> blocks) {
    for (const TextBlock& block : blocks) {
      EXPECT_FALSE(block.text().empty());
      all += block.text();
    }
    return true;
  });
  return all;
}

TEST(TextBlocks, GiveTheWholeTextInOrder) {
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("x"), std::string("\n\n\nx"),
        numbered_lines(1000), numbered_lines(1000) + "no newline at the end"}) {
    for (const std::int64_t block : {1, 7, 100, 1 << 20}) {
      // A compressed batch must hold the longest line.
      const TextOptions options{.block_bytes = block,
                                .batch_bytes = std::max<std::int64_t>(block, 64)};
      EXPECT_EQ(collect(Bytes::from_string(text, "t"), options), text);
      EXPECT_EQ(collect(Bytes::from_string(test::gzip(text), "t.gz"), options), text);
      EXPECT_EQ(collect(Bytes::from_string(test::gzip(text), "t.gz"), options, 1), text);
    }
  }
}

TEST(TextBlocks, HoldWholeLines) {
  const std::string text = numbered_lines(500);
  for (const std::string& form : {text, test::gzip(text)}) {
    for_each_batch(Context(), Bytes::from_string(form, "t"),
                   {.block_bytes = 50, .batch_bytes = 200}, [](std::span<const TextBlock> blocks) {
                     for (const TextBlock& block : blocks) {
                       EXPECT_TRUE(block.text().starts_with("line "));
                       EXPECT_TRUE(block.text().ends_with("\n"));
                       EXPECT_LT(block.text().size(), 80U);
                     }
                     return true;
                   });
  }
}

TEST(TextBlocks, ErrorsNameTheLineAndTheColumn) {
  const std::string text = numbered_lines(2000) + "here is BAD text\n" + numbered_lines(500);
  for (const std::string& form : {text, test::gzip(text)}) {
    test::expect_error(
        [&] {
          const Context context;
          for_each_batch(context, Bytes::from_string(form, "some.txt"),
                         {.block_bytes = 100, .batch_bytes = 1000},
                         [&](std::span<const TextBlock> blocks) {
                           for_blocks(context, blocks, [&](std::size_t b) {
                             const std::size_t at = blocks[b].text().find("BAD");
                             if (at == std::string_view::npos) return;
                             blocks[b].fail(blocks[b].text().data() + at, {.what = "not nice"});
                           });
                           return true;
                         });
        },
        {"some.txt: line 2001, column 3: not nice"});
  }
}

TEST(TextBlocks, ColumnsAreFieldsWhateverTheyHold) {
  const auto place = [](const std::string& text, Separator separator, std::size_t at,
                        const std::string& expected) {
    test::expect_error(
        [&] {
          for_each_batch(Context(), Bytes::from_string(text, "t"), {.separator = separator},
                         [&](std::span<const TextBlock> blocks) -> bool {
                           blocks[0].fail(blocks[0].text().data() + at, {.what = "bad"});
                         });
        },
        {"t: line 1, column " + expected + ": bad"});
  };
  place("alpha,\"b,c\",gamma\n", Separator::comma, 12, "3");
  place("  a b \n", Separator::space, 0, "1");
  place("  a b \n", Separator::space, 4, "2");
  place("a b, c\td\n", Separator::tab, 7, "2");
  place("a,,c\r\n", Separator::comma, 2, "2");
  // A field that is missing at the end comes after the last.
  place("a,\n", Separator::comma, 2, "2");
  place("a\tb\r\n", Separator::space, 3, "3");
  place("a;b", Separator::automatic, 2, "2");
}

TEST(TextBlocks, SkippedBytesCountAsLines) {
  const std::string text = numbered_lines(300);
  const auto skip = static_cast<std::int64_t>(text.find("line 42\n"));
  for (const std::string& form : {text, test::gzip(text)}) {
    const TextOptions options{.skip = skip, .block_bytes = 10, .batch_bytes = 60};
    EXPECT_EQ(collect(Bytes::from_string(form, "t"), options),
              text.substr(static_cast<std::size_t>(skip)));
    test::expect_error(
        [&] {
          for_each_batch(Context(), Bytes::from_string(form, "t"), options,
                         [&](std::span<const TextBlock> blocks) -> bool {
                           blocks[0].fail(blocks[0].text().data(), {.what = "first"});
                         });
        },
        {"t: line 42, column 1: first"});
  }
}

TEST(TextBlocks, TheFirstErrorOfTheTextWins) {
  const std::string text = numbered_lines(4000);
  for (int repetition = 0; repetition < 20; ++repetition) {
    const Context context(Context::Options{.threads = 4});
    test::expect_error(
        [&] {
          for_each_batch(context, Bytes::from_string(text, "t"), {.block_bytes = 20},
                         [&](std::span<const TextBlock> blocks) {
                           for_blocks(context, blocks, [&](std::size_t b) {
                             if (b < 5) return;
                             blocks[b].fail(blocks[b].text().data(), {.what = "bad"});
                           });
                           return true;
                         });
        },
        // Three lines of at most 8 bytes are needed to pass 20 bytes.
        {"line 16, column 1"});
  }
}

TEST(TextBlocks, ErrorsOfABatchComeBeforeDamageBehindIt) {
  std::string text = "BAD\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  std::string damaged = test::gzip(text);
  damaged.resize(damaged.size() / 2);
  const auto read = [&](bool complain) {
    for_each_batch(Context(), Bytes::from_string(damaged, "d.gz"), {.batch_bytes = 4096},
                   [&](std::span<const TextBlock> blocks) {
                     if (complain) blocks[0].fail(blocks[0].text().data(), {.what = "not nice"});
                     return true;
                   });
  };
  test::expect_error([&] { read(true); }, {"d.gz: line 1, column 1: not nice"});
  test::expect_error([&] { read(false); }, {"d.gz", "end too early"});
}

TEST(TextBlocks, RefuseALineWithoutEndInAGzipFile) {
  const std::string bomb = test::gzip("short\n" + std::string(8 << 20, 'x'));
  test::expect_error(
      [&] { collect(Bytes::from_string(bomb, "bomb.gz"), {.batch_bytes = 1 << 20}); },
      {"bomb.gz: line 2", "a line is too long", "1.0 MiB"});
}

TEST(TextBlocks, StopWhenTheBodySaysSo) {
  const std::string text = numbered_lines(1000);
  for (const std::string& form : {text, test::gzip(text)}) {
    int batches = 0;
    EXPECT_FALSE(for_each_batch(Context(), Bytes::from_string(form, "t"), {.batch_bytes = 100},
                                [&](std::span<const TextBlock>) { return ++batches < 3; }));
    EXPECT_EQ(batches, 3);
  }
}

TEST(TextBlocks, NoticeCtrlC) {
  const auto stop = std::make_shared<const std::atomic<bool>>(true);
  const Context context(Context::Options{.stop = stop});
  EXPECT_THROW(for_each_batch(context, Bytes::from_string("a\n", "t"), {},
                              [](std::span<const TextBlock>) { return true; }),
               Interrupted);
}

TEST(ForEachLine, TakesBothLineEnds) {
  std::vector<std::string> lines;
  for_each_line("a\r\nb\n\nc\r", [&](std::string_view line) { lines.emplace_back(line); });
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "", "c"}));
}

}  // namespace
}  // namespace creg::text_blocks_test
