// What a server says before the body of a download.
#include "io/catalogue/http_headers.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  creg::HttpHeaders headers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    headers.read_line(text.substr(0, end));
    text.remove_prefix(end);
  }
  const creg::ContentRange range = creg::parse_content_range(headers.content_range);
  if (range.start < -1 || range.total < -1) __builtin_trap();
  return 0;
}
