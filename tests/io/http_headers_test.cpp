#include "io/catalogue/http_headers.h"

#include <gtest/gtest.h>

namespace creg::http_headers_test {
namespace {

TEST(HttpHeaders, TheLastAnswerOfAChainCounts) {
  HttpHeaders headers;
  headers.read_line("HTTP/1.1 302 Found\r\n");
  headers.read_line("ETag: \"old\"\r\n");
  EXPECT_EQ(headers.etag, "\"old\"");
  headers.read_line("HTTP/1.1 206 Partial Content\r\n");
  EXPECT_EQ(headers.etag, "");
  headers.read_line("CONTENT-RANGE:\t bytes 10-99/100 \r\n");
  headers.read_line("etag\r\n");
  headers.read_line("etag:   \r\n");
  headers.read_line("\r\n");
  EXPECT_EQ(headers.content_range, "bytes 10-99/100");
  EXPECT_EQ(headers.etag, "");
}

TEST(HttpHeaders, RangesOfBytes) {
  const auto range = [](std::string_view text) {
    const ContentRange found = parse_content_range(text);
    return std::pair(found.start, found.total);
  };
  EXPECT_EQ(range("bytes 10-99/100"), std::pair(std::int64_t{10}, std::int64_t{100}));
  EXPECT_EQ(range("bytes */100"), std::pair(std::int64_t{-1}, std::int64_t{100}));
  EXPECT_EQ(range("bytes 10-99/*"), std::pair(std::int64_t{10}, std::int64_t{-1}));
  EXPECT_EQ(range("bytes -5-9/-7"), std::pair(std::int64_t{-1}, std::int64_t{-1}));
  EXPECT_EQ(range("lines 1-2/3"), std::pair(std::int64_t{-1}, std::int64_t{-1}));
  EXPECT_EQ(range("bytes 99999999999999999999-1/2").first, -1);
}

}  // namespace
}  // namespace creg::http_headers_test
