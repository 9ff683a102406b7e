// The headers of an answer over HTTP, as far as they matter to a download.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace creg {

struct HttpHeaders {
  std::string etag;
  std::string content_range;

  /// Takes in a line; that of a status begins anew, for each answer of a chain of redirects.
  void read_line(std::string_view line);
};

/// "bytes 10-99/100" or "bytes */100"; -1 for what is not there.
struct ContentRange {
  std::int64_t start = -1;
  std::int64_t total = -1;
};
ContentRange parse_content_range(std::string_view text);

}  // namespace creg
