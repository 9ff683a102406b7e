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

std::string inflate(const std::string& packed, const std::string& name, Compression form) {
  Inflater inflater(Bytes::from_string(packed, name), form);
  std::string out;
  while (!inflater.finished()) {
    std::string piece(1 << 12, '\0');
    piece.resize(inflater.read(std::as_writable_bytes(std::span(piece))));
    out += piece;
  }
  return out;
}

TEST(Inflate, RestoresGzipAndRawDeflate) {
  EXPECT_EQ(inflate(test::gzip(sample), "a.gz", Compression::gzip), sample);
  EXPECT_EQ(inflate(test::deflate_raw(sample), "a", Compression::raw_deflate), sample);
}

TEST(Inflate, ReadsSeveralGzipMembersAsOne) {
  EXPECT_EQ(inflate(test::gzip("first ") + test::gzip("second"), "a.gz", Compression::gzip),
            "first second");
}

TEST(Inflate, RefusesCutOffAndFlippedBytes) {
  const std::string whole = test::gzip(sample);
  test::expect_error(
      [&] { inflate(whole.substr(0, whole.size() / 2), "half.gz", Compression::gzip); },
      {"half.gz", "compressed byte", "end too early"});
  std::string flipped = whole;
  flipped[flipped.size() / 2] ^= 0x10;
  test::expect_error([&] { inflate(flipped, "bad.gz", Compression::gzip); }, {"bad.gz", "damaged"});
  test::expect_error([&] { inflate("", "none.gz", Compression::gzip); },
                     {"none.gz", "end too early"});
}

}  // namespace
}  // namespace creg::inflate_test
