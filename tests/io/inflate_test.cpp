#include "io/containers/inflate.h"

#include <gtest/gtest.h>

#include "support/compress.h"
#include "support/expect_error.h"

namespace creg::inflate_test {
namespace {

const std::string sample = [] {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}();

TEST(Inflate, RestoresGzipAndRawDeflate) {
  EXPECT_EQ(inflate_all(Bytes::from_string(test::gzip(sample), "a.gz"), Compression::gzip, 1 << 20)
                .text(),
            sample);
  EXPECT_EQ(inflate_all(Bytes::from_string(test::deflate_raw(sample), "a"),
                        Compression::raw_deflate, 1 << 20)
                .text(),
            sample);
}

TEST(Inflate, ReadsSeveralGzipMembersAsOne) {
  const std::string two = test::gzip("first ") + test::gzip("second");
  EXPECT_EQ(inflate_all(Bytes::from_string(two, "a.gz"), Compression::gzip, 100).text(),
            "first second");
}

TEST(Inflate, RefusesCutOffAndFlippedBytes) {
  const std::string whole = test::gzip(sample);
  test::expect_error(
      [&] {
        inflate_all(Bytes::from_string(whole.substr(0, whole.size() / 2), "half.gz"),
                    Compression::gzip, 1 << 20);
      },
      {"half.gz", "compressed byte", "end too early"});
  std::string flipped = whole;
  flipped[flipped.size() / 2] ^= 0x10;
  test::expect_error(
      [&] { inflate_all(Bytes::from_string(flipped, "bad.gz"), Compression::gzip, 1 << 20); },
      {"bad.gz", "damaged"});
  test::expect_error([&] { inflate_all(Bytes::from_string("", "none.gz"), Compression::gzip, 9); },
                     {"none.gz", "end too early"});
}

TEST(Inflate, StopsABombAtTheLimit) {
  const std::string bomb = test::gzip(std::string(8 << 20, '\0'));
  EXPECT_LT(bomb.size(), 20000U);
  test::expect_error(
      [&] { inflate_all(Bytes::from_string(bomb, "bomb.gz"), Compression::gzip, 1 << 20); },
      {"bomb.gz", "more than the limit", "at most 1.0 MiB"});
}

}  // namespace
}  // namespace creg::inflate_test
