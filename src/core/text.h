// Small text helpers for messages that people read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace creg {

/// 1234567 -> "1,234,567".
std::string with_commas(std::int64_t value);
/// (3, "node") -> "3 nodes".
std::string counted(std::int64_t count, std::string_view one);
/// 1536 -> "1.5 KiB".
std::string human_bytes(std::int64_t bytes);
/// 0.042 -> "42 ms", 75 -> "1m 15s".
std::string human_seconds(double seconds);
/// At most `limit` characters of `text`, with control and non-ASCII bytes escaped, in quotes: safe
/// to print whatever a file holds.
std::string in_quotes(std::string_view text, std::size_t limit = 60);
/// "a, b and c".
std::string join_words(std::span<const std::string> words, std::string_view last = " and ");
/// The candidates nearest to `name` by edit distance, best first; empty when none is close.
std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates,
                                       std::size_t limit = 3);
/// "did you mean 'cora'?" or, with nothing near, the whole list.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace creg
