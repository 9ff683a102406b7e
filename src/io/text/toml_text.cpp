#include "io/text/toml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/utf8.h"
#include "creg/core/error.h"
#include "io/run_files.h"

namespace creg {
namespace {

constexpr std::size_t coded_size = 3;  // %XX

/// Where the escape stands in the text. Behind an odd number of backslashes it is none, because the
/// last of those takes its backslash away: "\\u0025" is a backslash and five letters.
std::size_t find_escape(std::string_view text, std::string_view escape) {
  for (std::size_t at = text.find(escape); at != std::string_view::npos;
       at = text.find(escape, at + 1)) {
    const std::size_t before = text.find_last_not_of('\\', at);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    if ((at - start) % 2 == 0) return at;
  }
  return std::string_view::npos;
}

std::string line_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return fmt::format("line {}", std::count(before.begin(), before.end(), '\n') + 1);
}

}  // namespace

std::string to_ascii_toml(const Bytes& bytes) {
  std::string_view text = bytes.text();
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const bool of_a_run = text.starts_with(run_record_head) || text.starts_with(own_dataset_head);
  if (!of_a_run && !decode_utf8(text)) {
    fail_input({.what = "not valid TOML: the text is not UTF-8", .file = bytes.name});
  }
  // As an escape it would be mistaken for one of ours.
  for (const std::string_view escape : {"\\u0025", "\\U00000025"}) {
    if (const std::size_t at = find_escape(text, escape); at != std::string_view::npos) {
      fail_input({.what = "a percent sign as an escape",
                  .file = bytes.name,
                  .place = line_of(text, at),
                  .found = std::string(escape),
                  .expected = "the sign itself: %"});
    }
  }
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && c != '%') {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

std::string from_ascii_toml(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && text.size() - i >= coded_size &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      i += coded_size - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace creg
