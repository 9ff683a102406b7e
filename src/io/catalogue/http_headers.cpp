#include "io/catalogue/http_headers.h"

#include <algorithm>
#include <charconv>

namespace creg {
namespace {

std::int64_t leading_number(std::string_view text) {
  std::int64_t value = -1;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && value >= 0 ? value : -1;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

void HttpHeaders::read_line(std::string_view line) {
  if (line.starts_with("HTTP/")) *this = {};
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  std::string_view value = line.substr(colon + 1);
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = value.find_first_not_of(blank);
  if (first == std::string_view::npos) return;
  const std::size_t last = value.find_last_not_of(blank);
  value = value.substr(first, last - first + 1);
  if (equals_ignoring_case(name, "etag")) etag = value;
  if (equals_ignoring_case(name, "content-range")) content_range = value;
}

ContentRange parse_content_range(std::string_view text) {
  constexpr std::string_view unit = "bytes ";
  if (!text.starts_with(unit)) return {};
  text.remove_prefix(unit.size());
  ContentRange range{.start = leading_number(text)};
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) range.total = leading_number(text.substr(slash + 1));
  return range;
}

}  // namespace creg
