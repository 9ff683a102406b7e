#include "io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/files/byte_order.h"

namespace creg {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t header_alignment = 64;
constexpr std::size_t most_dimensions = 32;

struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

// The header is a Python dict display with three known keys. This reads that much of Python and
// no more; nothing is evaluated.
class HeaderParser {
 public:
  HeaderParser(const Bytes& file, std::int64_t offset, std::int64_t size)
      : file_(file),
        start_(static_cast<std::size_t>(offset)),
        text_(file.text().substr(start_, static_cast<std::size_t>(size))) {}

  Header run() {
    Header header;
    expect('{');
    while (!accept('}')) {
      const std::size_t key_at = at_;
      const std::string key = string();
      expect(':');
      if (key == "descr" && !header.descr) {
        header.descr = descr();
      } else if (key == "fortran_order" && !header.fortran_order) {
        header.fortran_order = boolean();
      } else if (key == "shape" && !header.shape) {
        header.shape = shape();
      } else {
        at_ = key_at;
        fail("an unknown or repeated key in the header", "descr, fortran_order and shape, once");
      }
      if (!accept(',') && !next_is('}')) fail("a damaged header", "',' or '}'");
    }
    skip_space();
    if (at_ != text_.size()) fail("something follows the header", "spaces and a line end");
    if (!header.descr || !header.fortran_order || !header.shape) {
      fail("the header lacks a key", "descr, fortran_order and shape");
    }
    return header;
  }

 private:
  [[noreturn]] void fail(std::string what, std::string expected) const {
    constexpr std::size_t shown = 20;
    const std::string_view rest = text_.substr(at_, shown);
    fail_input({.what = std::move(what),
                .file = file_.name,
                .place = fmt::format("byte {}", start_ + at_),
                .found = rest.empty() ? "the header's end" : in_quotes(rest),
                .expected = std::move(expected)});
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  bool next_is(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }

  bool accept(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail("a damaged header", fmt::format("'{}'", c));
  }

  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("a damaged header", "a string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string without an end", "a closing quote");
    std::string out(text_.substr(at_ + 1, end - at_ - 1));
    if (out.find('\\') != std::string::npos) fail("an escaped character", "a plain string");
    at_ = end + 1;
    return out;
  }

  std::string descr() {
    if (next_is('[') || next_is('(')) {
      fail("an array of records", "an array of plain numbers or strings");
    }
    return string();
  }

  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    fail("a damaged header", "True or False");
  }

  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> out;
    expect('(');
    while (!accept(')')) {
      if (out.size() == most_dimensions) {
        fail("too many dimensions", fmt::format("at most {}", most_dimensions));
      }
      skip_space();
      std::int64_t extent = -1;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) fail("a damaged shape", "a size of 63 bits");
      at_ = static_cast<std::size_t>(end - text_.data());
      out.push_back(extent);
      accept('L');  // how Python 2 wrote long integers
      if (!accept(',') && !next_is(')')) fail("a damaged shape", "',' or ')'");
    }
    return out;
  }

  const Bytes& file_;
  std::size_t start_;
  std::string_view text_;
  std::size_t at_ = 0;
};

[[noreturn]] void fail_short(const Bytes& file, std::int64_t needed) {
  fail_input({.what = "the file ends inside its header",
              .file = file.name,
              .found = with_commas(file.size()) + " bytes",
              .expected = "at least " + with_commas(needed),
              .hint = "the file is damaged or cut off: get it again"});
}

template <class Number>
void write_vector(AtomicFile& file, std::span<const Number> values,
                  std::span<const std::int64_t> shape) {
  file.write(npy_header(npy_descr<Number>(), shape));
  file.write(std::as_bytes(values));
}

}  // namespace

bool is_npy(const Bytes& bytes) {
  return bytes.text().starts_with(magic);
}

namespace {

/// The header, and where the data begin.
std::pair<Header, std::int64_t> read_header(const Bytes& file) {
  constexpr std::int64_t version_at = 6;
  constexpr std::int64_t length_at = 8;
  if (!is_npy(file)) {
    fail_input({.what = "not an .npy array",
                .file = file.name,
                .found = in_quotes(file.text().substr(0, magic.size())),
                .expected = in_quotes(magic) + " at the start"});
  }
  if (file.size() < length_at) fail_short(file, length_at);
  const auto major = load_little<std::uint8_t>(file.data.data() + version_at);
  const auto minor = load_little<std::uint8_t>(file.data.data() + version_at + 1);
  if (major < 1 || major > 3 || minor != 0) {
    fail_input({.what = "an unknown version of the .npy format",
                .file = file.name,
                .place = fmt::format("byte {}", version_at),
                .found = fmt::format("{}.{}", major, minor),
                .expected = "1.0, 2.0 or 3.0"});
  }
  const std::int64_t header_at = length_at + (major == 1 ? 2 : 4);
  if (file.size() < header_at) fail_short(file, header_at);
  const std::int64_t length = major == 1 ? load_little<std::uint16_t>(file.data.data() + length_at)
                                         : load_little<std::uint32_t>(file.data.data() + length_at);
  if (length > file.size() - header_at) fail_short(file, header_at + length);
  return {HeaderParser(file, header_at, length).run(), header_at + length};
}

}  // namespace

std::vector<std::int64_t> read_npy_shape(const Bytes& start) {
  return *read_header(start).first.shape;
}

NdArray read_npy(const Bytes& file) {
  const auto [header, data_at] = read_header(file);
  return {DType::parse(*header.descr, file.name), *header.shape, *header.fortran_order,
          file.slice(data_at, file.size() - data_at, file.name)};
}

template <class Number>
std::string npy_descr() {
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  return fmt::format("{}{}{}", order, std::is_floating_point_v<Number> ? 'f' : 'i', sizeof(Number));
}
template std::string npy_descr<float>();
template std::string npy_descr<std::int32_t>();
template std::string npy_descr<std::int64_t>();

std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape) {
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::int64_t before_dict = 10;
  const auto used = before_dict + static_cast<std::int64_t>(dict.size()) + 1;
  dict.append(
      static_cast<std::size_t>((header_alignment - used % header_alignment) % header_alignment),
      ' ');
  dict += '\n';
  std::string out(magic);
  out += '\x01';
  out += '\0';
  append_little(out, static_cast<std::uint16_t>(dict.size()));
  return out + dict;
}

void write_npy(AtomicFile& file, const DenseMatrix& matrix) {
  invariant(matrix.values.size() == matrix.rows * matrix.cols, "a matrix holds all its values");
  write_vector<float>(file, matrix.values, std::array{matrix.rows, matrix.cols});
}

void write_npy(const std::filesystem::path& path, const DenseMatrix& matrix) {
  AtomicFile file(path);
  write_npy(file, matrix);
  file.commit();
}

void write_npy(const std::filesystem::path& path, std::span<const std::int32_t> values) {
  AtomicFile file(path);
  write_vector(file, values, std::array{static_cast<std::int64_t>(values.size())});
  file.commit();
}

}  // namespace creg
