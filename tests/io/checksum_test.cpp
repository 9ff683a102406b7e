#include "io/checksum.h"

#include <gtest/gtest.h>

#include "creg/core/random.h"
#include "support/expect_error.h"

namespace creg::checksum_test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// One bit at a time, straight from the definition.
std::uint32_t slow_crc(std::string_view text) {
  std::uint32_t state = 0xffffffff;
  for (const char c : text) {
    state ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0x82f63b78 : 0);
  }
  return ~state;
}

std::string random_text(std::size_t size) {
  RandomStream random(size, Purpose::test);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

TEST(Crc32c, KnownValues) {
  for (const auto crc : {crc32c, crc32c_portable}) {
    EXPECT_EQ(crc({}, 0), 0U);
    EXPECT_EQ(crc(bytes_of("123456789"), 0), 0xe3069283U);
    EXPECT_EQ(crc(bytes_of("a"), 0), 0xc1d04330U);
    EXPECT_EQ(crc(bytes_of(std::string(32, '\0')), 0), 0x8a9136aaU);
    EXPECT_EQ(crc(bytes_of(std::string(32, '\xff')), 0), 0x62a8ab43U);
  }
}

TEST(Crc32c, EveryPathAgreesAtEverySizeAndAlignment) {
  const std::string text = random_text(20000);
  for (const std::size_t size : {0, 1, 7, 8, 9, 63, 2048, 6143, 6144, 6145, 12288, 13001}) {
    for (const std::size_t start : {0, 1, 5}) {
      const std::string_view part = std::string_view(text).substr(start, size);
      EXPECT_EQ(crc32c(bytes_of(part)), slow_crc(part)) << size << " at " << start;
      EXPECT_EQ(crc32c_portable(bytes_of(part)), slow_crc(part)) << size << " at " << start;
    }
  }
}

TEST(Crc32c, GoesOnFromAPreviousPieceAndJoins) {
  const std::string text = random_text(9000);
  const std::uint32_t whole = slow_crc(text);
  for (const std::size_t cut : {0, 1, 100, 7000, 9000}) {
    const auto first = bytes_of(text).first(cut);
    const auto second = bytes_of(text).subspan(cut);
    EXPECT_EQ(crc32c(second, crc32c(first)), whole);
    EXPECT_EQ(crc32c_portable(second, crc32c_portable(first)), whole);
    EXPECT_EQ(crc32c_join(crc32c(first), crc32c(second), second.size()), whole);
  }
}

TEST(Crc32c, ParallelIsTheSame) {
  const Context context({.threads = 3});
  for (const std::size_t size : {std::size_t{0}, std::size_t{1} << 20, std::size_t{3'333'333}}) {
    const std::string text = random_text(size);
    EXPECT_EQ(crc32c_parallel(context, bytes_of(text)), crc32c_portable(bytes_of(text))) << size;
  }
}

TEST(Sha256, KnownValues) {
  const Bytes abc = Bytes::from_string("abc", "abc.txt");
  if (!sha256_available()) {
    test::expect_error([&] { sha256(abc); }, {"abc.txt", "no OpenSSL"}, ErrorKind::environment);
    return;
  }
  EXPECT_EQ(sha256(abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(Bytes::from_string("", "")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(GitBlobId, KnownValues) {
  if (!sha256_available()) GTEST_SKIP() << "needs OpenSSL";
  EXPECT_EQ(git_blob_id(Bytes::from_string("", "")), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_id(Bytes::from_string("hello\n", "")),
            "ce013625030ba8dba906f756967f9e9ca394464a");
}

}  // namespace
}  // namespace creg::checksum_test
