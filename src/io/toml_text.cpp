#include "creg/io/toml_text.h"

#include <algorithm>
#include <string_view>

#include "creg/core/error.h"
#include "creg/core/text.h"

namespace creg {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

class TomlScanner {
 public:
  explicit TomlScanner(const Bytes& bytes) : bytes_(bytes), text_(bytes.text()) {}

  void run() {
    if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        string(c);
      } else {
        require_ascii();
        ++at_;
      }
    }
  }

 private:
  void require_ascii() const {
    if (at_ >= text_.size() || is_ascii(text_[at_])) return;
    const std::string_view before = text_.substr(0, at_);
    constexpr std::size_t longest_character = 4;
    fail_input(
        {.what = "a character that TOML allows only in strings and comments",
         .file = bytes_.name,
         .place = "line " + std::to_string(std::count(before.begin(), before.end(), '\n') + 1),
         .found = in_quotes(text_.substr(at_, longest_character)),
         .expected = "ASCII"});
  }

  // From its opening quote to behind its closing one, or to where the parser will complain.
  void string(char quote) {
    const std::string_view three = quote == '"' ? R"(""")" : "'''";
    const bool long_form = text_.substr(at_).starts_with(three);
    at_ += long_form ? three.size() : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (quote == '"' && c == '\\') {
        escape(long_form);
      } else if (!long_form && (c == quote || c == '\n')) {
        ++at_;
        return;
      } else if (long_form && text_.substr(at_).starts_with(three)) {
        at_ += three.size();
        // Up to two quotes may stand before the closing three.
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      } else {
        ++at_;
      }
    }
  }

  void escape(bool long_form) {
    ++at_;
    if (!long_form) {
      if (at_ < text_.size() && text_[at_] != '\n') ++at_;
      return;
    }
    const std::size_t first = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    const bool joins_lines = first > at_;
    at_ = first;
    require_ascii();
    if (!joins_lines && at_ < text_.size()) ++at_;
  }

  const Bytes& bytes_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void check_toml_text(const Bytes& bytes) {
  TomlScanner(bytes).run();
}

}  // namespace creg
