#include "io/containers/ndarray.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "io/files/byte_order.h"

namespace creg {
namespace {

constexpr const char* supported_types =
    "bool, i1 i2 i4 i8, u1 u2 u4 u8, f2 f4 f8, or strings (S, U)";

// IEEE 754 binary16.
struct Half {
  std::uint16_t bits;
  explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
    const std::uint32_t fraction = bits & 0x3ffU;
    if (exponent == 0) {
      const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
      return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide = exponent == 0x1f ? 0xffU : exponent + (127 - 15);
    return std::bit_cast<float>(sign | (wide << 23U) | (fraction << 13U));
  }
};

std::int64_t items_of(const std::vector<std::int64_t>& shape, std::int64_t item_size,
                      const std::string& source) {
  // Zero dimensions make the product zero, but the others must still be sane.
  std::int64_t product = 1;
  bool empty = false;
  const std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(item_size, 1);
  for (const std::int64_t extent : shape) {
    if (extent < 0 || extent > most || product > most / std::max<std::int64_t>(extent, 1)) {
      fail_input({.what = "an array's shape is absurd",
                  .file = source,
                  .found = std::to_string(extent),
                  .expected = "a shape that fits in memory"});
    }
    empty = empty || extent == 0;
    product *= std::max<std::int64_t>(extent, 1);
  }
  return empty ? 0 : product;
}

}  // namespace

DType DType::parse(std::string_view text, const std::string& source) {
  const auto refuse = [&] {
    fail_input({.what = "an element type that is not supported",
                .file = source,
                .found = in_quotes(text),
                .expected = supported_types});
  };
  DType type;
  std::string_view rest = text;
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    if (rest[0] == '<') type.order = std::endian::little;
    if (rest[0] == '>') type.order = std::endian::big;
    rest.remove_prefix(1);
  }
  if (rest.empty()) refuse();
  const char letter = rest[0];
  rest.remove_prefix(1);
  if (letter == 'O') {
    // Written as plain O, or with the size of a pointer.
    type.kind = ScalarKind::object;
    return type;
  }
  std::int64_t number = letter == '?' ? 1 : -1;
  if (letter != '?') {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || end != rest.data() + rest.size()) refuse();
  } else if (!rest.empty()) {
    refuse();
  }
  const bool power = number == 1 || number == 2 || number == 4 || number == 8;
  constexpr std::int64_t longest_string = std::numeric_limits<std::int32_t>::max() / 4;
  bool known = false;
  switch (letter) {
    case '?':
    case 'b':
      type.kind = ScalarKind::boolean;
      known = number == 1;
      break;
    case 'i':
      type.kind = ScalarKind::signed_integer;
      known = power;
      break;
    case 'u':
      type.kind = ScalarKind::unsigned_integer;
      known = power;
      break;
    case 'f':
      type.kind = ScalarKind::floating;
      known = power && number > 1;
      break;
    case 'S':
    case 'a':
      type.kind = ScalarKind::byte_string;
      known = number >= 0 && number <= longest_string;
      break;
    case 'U':
      type.kind = ScalarKind::unicode;
      known = number >= 0 && number <= longest_string;
      break;
    default:
      break;
  }
  if (!known) refuse();
  type.item_size = type.kind == ScalarKind::unicode ? number * 4 : number;
  return type;
}

std::string DType::text() const {
  switch (kind) {
    case ScalarKind::object:
      return "O";
    case ScalarKind::boolean:
      return "bool";
    case ScalarKind::byte_string:
      return fmt::format("S{}", item_size);
    case ScalarKind::unicode:
      return fmt::format("U{}", item_size / 4);
    case ScalarKind::signed_integer:
      return fmt::format("int{}", item_size * 8);
    case ScalarKind::unsigned_integer:
      return fmt::format("uint{}", item_size * 8);
    case ScalarKind::floating:
      return fmt::format("float{}", item_size * 8);
  }
  return {};
}

NdArray::NdArray(DType type, std::vector<std::int64_t> shape, bool fortran_order, Bytes data)
    : type_(type), shape_(std::move(shape)), data_(std::move(data)) {
  size_ = items_of(shape_, type_.item_size, data_.name);
  // With at most one long dimension both orders are the same.
  transposed_ = fortran_order && std::count_if(shape_.begin(), shape_.end(),
                                               [](std::int64_t n) { return n != 1; }) > 1;
  if (is_object()) return;
  if (type_.item_size == 0 && size_ > 0) {
    fail("strings of no characters", type_.text(), "room for at least one");
  }
  if (data_.size() != size_ * type_.item_size) {
    fail("the array's length does not match its shape", with_commas(data_.size()) + " bytes",
         fmt::format("{} ({} of {})", with_commas(size_ * type_.item_size), shape_text(),
                     type_.text()));
  }
}

void NdArray::fail(std::string what, std::string found, std::string expected,
                   std::string place) const {
  fail_input({.what = std::move(what),
              .file = data_.name,
              .place = std::move(place),
              .found = std::move(found),
              .expected = std::move(expected)});
}

void NdArray::refuse_objects(const char* wanted) const {
  if (is_object()) fail("an array of the wrong type", "pickled Python objects", wanted);
}

std::string NdArray::shape_text() const {
  if (shape_.empty()) return "a single value";
  return fmt::format("{}", fmt::join(shape_, " x "));
}

void NdArray::require_dimensions(std::size_t count) const {
  if (dimensions() == count) return;
  fail("the array has the wrong number of dimensions", "shape " + shape_text(),
       count == 1 ? "one dimension" : fmt::format("{} dimensions", count));
}

// Calls visit(from, index): element `index` in C order is stored as element `from`.
template <class Visit>
void NdArray::visit_positions(Visit visit) const {
  if (!transposed_ || size_ == 0) {
    for (std::int64_t i = 0; i < size_; ++i) visit(i, i);
    return;
  }
  // An odometer over the shape; in Fortran order the first index moves fastest.
  std::vector<std::int64_t> strides(shape_.size());
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    strides[d] = stride;
    stride *= shape_[d];
  }
  std::vector<std::int64_t> index(shape_.size(), 0);
  std::int64_t from = 0;
  for (std::int64_t i = 0; i < size_; ++i) {
    visit(from, i);
    for (std::size_t d = shape_.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape_[d]) break;
      from -= index[d] * strides[d];
      index[d] = 0;
    }
  }
}

// Calls visit(value, index) for each element in C order.
template <class Number, class Visit>
void NdArray::visit_as(Visit visit) const {
  const std::byte* data = data_.data.data();
  constexpr auto width = static_cast<std::int64_t>(sizeof(Number));
  visit_positions([&](std::int64_t from, std::int64_t i) {
    visit(load_number<Number>(data + from * width, type_.order), i);
  });
}

template <class Visit>
void NdArray::visit_numbers(Visit visit, const char* wanted) const {
  const auto half = [&](Half value, std::int64_t i) { visit(static_cast<float>(value), i); };
  switch (type_.kind) {
    case ScalarKind::boolean:
      return visit_as<std::uint8_t>(
          [&](std::uint8_t value, std::int64_t i) { visit(std::uint8_t{value != 0}, i); });
    case ScalarKind::signed_integer:
      if (type_.item_size == 1) return visit_as<std::int8_t>(visit);
      if (type_.item_size == 2) return visit_as<std::int16_t>(visit);
      if (type_.item_size == 4) return visit_as<std::int32_t>(visit);
      return visit_as<std::int64_t>(visit);
    case ScalarKind::unsigned_integer:
      if (type_.item_size == 1) return visit_as<std::uint8_t>(visit);
      if (type_.item_size == 2) return visit_as<std::uint16_t>(visit);
      if (type_.item_size == 4) return visit_as<std::uint32_t>(visit);
      return visit_as<std::uint64_t>(visit);
    case ScalarKind::floating:
      if (type_.item_size == 2) return visit_as<Half>(half);
      if (type_.item_size == 4) return visit_as<float>(visit);
      return visit_as<double>(visit);
    default:
      refuse_objects(wanted);
      fail("an array of the wrong type", type_.text(), wanted);
  }
}

namespace {

// True when `value` is kept by the target; for floats up to rounding, but never to infinity.
template <class Target, class Number>
bool is_kept(Number value) {
  if constexpr (std::is_same_v<Target, float>) {
    if constexpr (std::is_same_v<Number, double>) {
      return !std::isfinite(value) || std::isfinite(static_cast<float>(value));
    }
    return true;
  } else if constexpr (std::is_floating_point_v<Number>) {
    // The smallest integer is a power of two, so both bounds are exact.
    constexpr auto low = static_cast<double>(std::numeric_limits<Target>::min());
    const double wide = value;
    return wide >= low && wide < -low && std::trunc(wide) == wide;
  } else {
    return std::in_range<Target>(value);
  }
}

}  // namespace

template <class Target>
bool NdArray::is_stored_as() const {
  const ScalarKind kind =
      std::is_floating_point_v<Target> ? ScalarKind::floating : ScalarKind::signed_integer;
  const auto address = reinterpret_cast<std::uintptr_t>(data_.data.data());
  return type_.kind == kind && type_.item_size == sizeof(Target) &&
         type_.order == std::endian::native && !transposed_ && address % alignof(Target) == 0;
}

template <class Target>
Array<Target> NdArray::convert(const char* wanted) const {
  if (is_stored_as<Target>()) {
    const auto* first = reinterpret_cast<const Target*>(data_.data.data());
    return Array<Target>::view({first, static_cast<std::size_t>(size_)}, data_.owner);
  }
  refuse_objects(wanted);
  Buffer<Target> out(size_);
  const auto visit = [&](auto value, std::int64_t i) {
    if (!is_kept<Target>(value)) {
      fail("a value that does not fit", fmt::format("{}", value), wanted,
           fmt::format("element {}", i));
    }
    // NOLINTNEXTLINE(bugprone-signed-char-misuse,cert-str34-c): i1 is a number, not a letter
    out[i] = static_cast<Target>(value);
  };
  visit_numbers(visit, wanted);
  return out;
}

Array<float> NdArray::to_float() const {
  return convert<float>("numbers that fit float32");
}

Array<std::int32_t> NdArray::to_int32() const {
  return convert<std::int32_t>("whole numbers from -2147483648 to 2147483647");
}

Array<std::int64_t> NdArray::to_int64() const {
  return convert<std::int64_t>("whole numbers of 64 bits");
}

bool NdArray::all_ones() const {
  bool ones = true;
  visit_numbers([&](auto value, std::int64_t) { ones = ones && value == 1; }, "numbers");
  return ones;
}

DenseMatrix NdArray::to_matrix() const {
  if (dimensions() != 1) require_dimensions(2);
  const std::int64_t rows = shape_[0];
  const std::int64_t cols = dimensions() == 1 ? 1 : shape_[1];
  if (rows > max_nodes || cols > max_nodes) {
    fail("a matrix that is too large", shape_text(),
         "at most " + with_commas(max_nodes) + " rows and columns");
  }
  return {.rows = rows, .cols = cols, .values = to_float()};
}

std::vector<std::string> NdArray::to_strings() const {
  refuse_objects("strings or whole numbers");
  std::vector<std::string> out(static_cast<std::size_t>(size_));
  if (!is_text()) {
    const auto visit = [&](auto value, std::int64_t i) {
      if constexpr (std::is_integral_v<decltype(value)>) {
        out[static_cast<std::size_t>(i)] = std::to_string(value);
      } else {
        fail("an array of the wrong type", type_.text(), "strings or whole numbers");
      }
    };
    visit_numbers(visit, "strings or whole numbers");
    return out;
  }
  visit_positions([&](std::int64_t from, std::int64_t i) {
    std::string& text = out[static_cast<std::size_t>(i)];
    const std::byte* item = data_.data.data() + from * type_.item_size;
    bool valid = true;
    if (type_.kind == ScalarKind::byte_string) {
      text.assign(reinterpret_cast<const char*>(item), static_cast<std::size_t>(type_.item_size));
      text.resize(text.find_last_not_of('\0') + 1);
      valid = decode_utf8(text).has_value();
    } else {
      std::int64_t length = type_.item_size / 4;
      const auto at = [&](std::int64_t k) {
        return load_number<char32_t>(item + k * 4, type_.order);
      };
      while (length > 0 && at(length - 1) == 0) --length;
      for (std::int64_t k = 0; valid && k < length; ++k) valid = append_utf8(text, at(k));
    }
    if (!valid) {
      fail("a string that is not valid Unicode", in_quotes(text), "UTF-8 or UTF-32 text",
           fmt::format("element {}", i));
    }
  });
  return out;
}

}  // namespace creg
