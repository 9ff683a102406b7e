// Rows of separated values: what separates them, where the rows begin, fields and numbers.
//
// Rows are lines. Blank lines and lines whose first character after blanks is '#', '%' or '//' are
// comments and may stand anywhere. A field may be quoted, "like, this", with "" for one quote
// inside; a quoted field ends on its line. Blanks around unquoted fields do not count.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "creg/io/dataset.h"
#include "io/file.h"
#include "io/text/text_blocks.h"

namespace creg {

/// "auto", "comma", "tab", "semicolon", "space" or the character itself; else an input error that
/// names `where`.
Separator parse_separator(std::string_view text, const std::string& where);
std::string separator_name(Separator separator);

/// The separator that `row` uses: a tab, else a comma, else a semicolon, else blanks.
Separator detect_separator(std::string_view row);

bool is_blank_or_comment(std::string_view line);

struct Field {
  std::string_view text;     ///< without quotes and without blanks around it
  const char* at = nullptr;  ///< where it begins in the line
  bool quoted = false;
  const char* problem = nullptr;  ///< what is wrong with its quotes, if anything
};

/// The fields of one line from left to right. Quoted fields with "" inside are kept in `unescaped`.
class FieldReader {
 public:
  FieldReader(std::string_view line, Separator separator, std::deque<std::string>& unescaped)
      : next_(line.data()),
        end_(line.data() + line.size()),
        separator_(separator),
        unescaped_(unescaped) {
    if (separator_ == Separator::space) skip_blanks();
    done_ = separator_ == Separator::space && next_ == end_;
  }

  bool next(Field& field) {
    if (done_) return false;
    skip_blanks();
    field.at = next_;
    field.problem = nullptr;
    field.quoted = next_ != end_ && *next_ == '"';
    if (field.quoted) {
      read_quoted(field);
      return true;
    }
    if (separator_ == Separator::space) {
      while (next_ != end_ && !is_blank(*next_)) ++next_;
      field.text = {field.at, static_cast<std::size_t>(next_ - field.at)};
      skip_blanks();
      done_ = next_ == end_;
      return true;
    }
    while (next_ != end_ && *next_ != static_cast<char>(separator_)) ++next_;
    const char* last = next_;
    while (last != field.at && is_blank(last[-1])) --last;
    field.text = {field.at, static_cast<std::size_t>(last - field.at)};
    pass_separator();
    return true;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  void skip_blanks() {
    while (next_ != end_ && is_blank(*next_) && *next_ != hard_separator()) ++next_;
  }
  // A separator that a blank could be mistaken for.
  char hard_separator() const { return separator_ == Separator::tab ? '\t' : '\0'; }
  void pass_separator() {
    done_ = next_ == end_;
    if (!done_) ++next_;
  }
  void read_quoted(Field& field);

  const char* next_;
  const char* end_;
  Separator separator_;
  bool done_ = false;
  std::deque<std::string>& unescaped_;
};

/// The fields of a whole row, copied.
std::vector<std::string> split_row(std::string_view row, Separator separator);

/// The first rows of a text that are no comments, at most `count`.
struct TextHead {
  struct Row {
    std::string text;
    std::int64_t begin = 0;  ///< byte of the (decompressed) text
    std::int64_t end = 0;    ///< behind its newline
  };
  std::vector<Row> rows;
};
TextHead read_head(const Bytes& bytes, std::size_t count);

/// A finite number that a float can hold; numbers too small for it become 0.
std::optional<float> parse_finite(std::string_view text);
/// True for anything written as a number, also one that is not finite.
bool looks_numeric(std::string_view text);
/// The fields of an error about `text`, which parse_finite refused.
ErrorDetail number_error(std::string_view text, std::string what);

/// Digits alone, without leading zeros, of any length.
bool is_plain_integer(std::string_view text);
/// The same as a number, where it is at most `largest`.
std::optional<std::int64_t> parse_plain_integer(std::string_view text, std::int64_t largest);
/// a < b for plain integers of any length.
bool plain_integer_less(std::string_view a, std::string_view b);

/// ASCII letters in lower case, for comparing column names.
std::string lower_case(std::string_view text);

}  // namespace creg
