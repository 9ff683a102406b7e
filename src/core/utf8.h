// UTF-8, checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace creg {

/// What some editors put before a text in UTF-8.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Appends the code point; false (and nothing appended) when it is none: a surrogate or too large.
bool append_utf8(std::string& to, char32_t code_point);

/// Code points of `text`; nothing when it is not valid UTF-8 (shortest form, no surrogates).
std::optional<std::u32string> decode_utf8(std::string_view text);

/// Text of any origin as it may be shown on a terminal: bytes that are no UTF-8, control characters
/// other than line ends and tabs, and marks that turn the direction of writing are escaped as \x1b
/// or \u202e. What is left has neither colours nor a cursor to move.
std::string printable(std::string_view text);

/// The text itself where it is UTF-8, else as it may be shown: for formats that hold nothing else.
std::string as_utf8(std::string_view text);

}  // namespace creg
