#include "io/text/text_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "io/containers/inflate.h"

namespace creg {
namespace {

struct SeparatorName {
  Separator separator;
  std::string_view name;
  std::string_view character;
};

constexpr std::array separator_names = {
    SeparatorName{Separator::automatic, "auto", "auto"},
    SeparatorName{Separator::comma, "comma", ","},
    SeparatorName{Separator::tab, "tab", "\t"},
    SeparatorName{Separator::semicolon, "semicolon", ";"},
    SeparatorName{Separator::space, "space", " "},
};

// Finds data rows in a text that may still grow.
class HeadScanner {
 public:
  HeadScanner(std::size_t count) : count_(count) {}  // NOLINT(google-explicit-constructor)

  // Takes whole lines of `text` from where it stopped; with `whole` also a last one without LF.
  void scan(std::string_view text, bool whole) {
    if (at_ == 0 && text.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
    while (!done() && at_ < text.size()) {
      const std::size_t newline = text.find('\n', at_);
      if (newline == std::string_view::npos && !whole) return;
      const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
      std::string_view line = text.substr(at_, std::min(newline, text.size()) - at_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!is_blank_or_comment(line)) {
        head_.rows.push_back({.text = std::string(line),
                              .begin = static_cast<std::int64_t>(at_),
                              .end = static_cast<std::int64_t>(end)});
      }
      at_ = end;
    }
  }
  bool done() const { return head_.rows.size() == count_; }
  TextHead take() { return std::move(head_); }

 private:
  std::size_t count_;
  std::size_t at_ = 0;
  TextHead head_;
};

// True when the text of a number that no double can hold is one near zero.
bool is_underflow(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos && exponent + 1 < text.size()) {
    return text[exponent + 1] == '-';
  }
  const std::size_t first = text.find_first_not_of("-0");
  return first != std::string_view::npos && text[first] == '.';
}

std::string_view without_plus(std::string_view text) {
  if (text.size() >= 2 && text[0] == '+' && text[1] != '-' && text[1] != '+') {
    text.remove_prefix(1);
  }
  return text;
}

}  // namespace

Separator parse_separator(std::string_view text, const std::string& where) {
  for (const SeparatorName& known : separator_names) {
    if (text == known.name || text == known.character) return known.separator;
  }
  fail_input({.what = "unknown separator",
              .file = where,
              .found = in_quotes(text),
              .expected = "auto, comma, tab, semicolon or space"});
}

std::string separator_name(Separator separator) {
  for (const SeparatorName& known : separator_names) {
    if (known.separator == separator) return std::string(known.name);
  }
  return "unknown";
}

Separator detect_separator(std::string_view row) {
  bool comma = false;
  bool semicolon = false;
  bool in_quote = false;
  for (const char c : row) {
    if (c == '"') in_quote = !in_quote;
    if (in_quote) continue;
    if (c == '\t') return Separator::tab;
    comma = comma || c == ',';
    semicolon = semicolon || c == ';';
  }
  if (comma) return Separator::comma;
  return semicolon ? Separator::semicolon : Separator::space;
}

bool is_blank_or_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return true;
  line.remove_prefix(first);
  return line[0] == '#' || line[0] == '%' || line.starts_with("//");
}

void FieldReader::read_quoted(Field& field) {
  const char* begin = ++next_;
  bool escapes = false;
  for (;;) {
    next_ = std::find(next_, end_, '"');
    if (next_ == end_) {
      field.problem = "a quoted field does not end on its line";
      field.text = {begin, static_cast<std::size_t>(end_ - begin)};
      done_ = true;
      return;
    }
    if (next_ + 1 == end_ || next_[1] != '"') break;
    escapes = true;
    next_ += 2;
  }
  field.text = {begin, static_cast<std::size_t>(next_ - begin)};
  if (escapes) {
    std::string& plain = unescaped_.emplace_back();
    for (std::size_t i = 0; i < field.text.size(); ++i) {
      plain += field.text[i];
      if (field.text[i] == '"') ++i;
    }
    field.text = plain;
  }
  ++next_;
  const char* behind = next_;
  skip_blanks();
  const bool at_separator = separator_ == Separator::space
                                ? behind != next_
                                : next_ != end_ && *next_ == static_cast<char>(separator_);
  if (next_ != end_ && !at_separator) {
    field.problem = "text follows the closing quote of a field";
    done_ = true;
    return;
  }
  if (separator_ == Separator::space) {
    done_ = next_ == end_;
  } else {
    pass_separator();
  }
}

std::vector<std::string> split_row(std::string_view row, Separator separator) {
  std::deque<std::string> unescaped;
  std::vector<std::string> fields;
  FieldReader reader(row, separator, unescaped);
  for (Field field; reader.next(field);) fields.emplace_back(field.text);
  return fields;
}

TextHead read_head(const Bytes& bytes, std::size_t count) {
  HeadScanner scanner(count);
  if (!is_gzip(bytes)) {
    scanner.scan(bytes.text(), true);
    return scanner.take();
  }
  // As much of it as the longest line that for_each_batch accepts.
  Inflater inflater(bytes, Compression::gzip);
  std::string text;
  std::size_t size = 0;
  const auto most = static_cast<std::size_t>(TextOptions{}.batch_bytes);
  constexpr std::size_t first_piece = std::size_t{1} << 14;
  while (!scanner.done() && !inflater.finished() && size < most) {
    text.resize(std::max(first_piece, text.size() * 2));
    size += inflater.read(std::as_writable_bytes(std::span(text).subspan(size)));
    scanner.scan(std::string_view(text).substr(0, size), inflater.finished());
  }
  return scanner.take();
}

std::optional<float> parse_finite(std::string_view text) {
  text = without_plus(text);
  const char* end = text.data() + text.size();
  float value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc()) {
    if (stop != end || !std::isfinite(value)) return std::nullopt;
    return value;
  }
  if (error != std::errc::result_out_of_range || stop != end) return std::nullopt;
  double wide = 0;
  if (std::from_chars(text.data(), end, wide).ec == std::errc()) {
    if (std::abs(wide) > std::numeric_limits<float>::max()) return std::nullopt;
    return static_cast<float>(wide);
  }
  if (is_underflow(text)) return 0.0F;
  return std::nullopt;
}

bool looks_numeric(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && stop == text.data() + text.size();
}

ErrorDetail number_error(std::string_view text, std::string what) {
  return {.what = std::move(what) + (looks_numeric(text) ? " is not finite" : " is not a number"),
          .found = in_quotes(text),
          .expected = "a finite number"};
}

bool is_plain_integer(std::string_view text) {
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::int64_t> parse_plain_integer(std::string_view text, std::int64_t largest) {
  constexpr std::size_t most_digits = 18;  // of these every number fits
  if (text.empty() || text.size() > most_digits || (text[0] == '0' && text.size() > 1)) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (value > largest) return std::nullopt;
  return value;
}

bool plain_integer_less(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace creg
