// NumPy arrays as files hold them: a type, a shape, and bytes that are converted on demand.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/array.h"
#include "creg/graph/graph.h"
#include "io/file.h"

namespace creg {

enum class ScalarKind {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,
  byte_string,
  unicode,
  object,  ///< pickled Python objects: known by name, never read
};

/// An element type: bool, i1 i2 i4 i8, u1 u2 u4 u8, f2 f4 f8, S<n>, U<n> or O.
struct DType {
  ScalarKind kind = ScalarKind::floating;
  std::int64_t item_size = 0;  ///< bytes
  std::endian order = std::endian::native;

  /// Reads NumPy's spelling, such as "<f4"; anything else is an input error that names `source`.
  static DType parse(std::string_view text, const std::string& source);
  std::string text() const;
};

class NdArray {
 public:
  /// `data` must hold exactly the elements of `shape`, else an input error that names it. (The
  /// bytes of an object array are a pickle of any length.)
  NdArray(DType type, std::vector<std::int64_t> shape, bool fortran_order, Bytes data);

  const DType& type() const { return type_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::size_t dimensions() const { return shape_.size(); }
  /// Number of elements.
  std::int64_t size() const { return size_; }
  bool is_object() const { return type_.kind == ScalarKind::object; }
  bool is_text() const {
    return type_.kind == ScalarKind::byte_string || type_.kind == ScalarKind::unicode;
  }
  /// For messages: the file, and the member in it.
  const std::string& source() const { return data_.name; }

  // All elements, in C order, without a copy where the file's bytes are already that. A value
  // that the target cannot hold is an input error; numbers are rounded to float32, but a finite
  // one stays finite.
  Array<float> to_float() const;
  Array<std::int32_t> to_int32() const;  ///< floats too, where they are whole numbers
  Array<std::int64_t> to_int64() const;
  /// Strings as UTF-8; integers in decimal.
  std::vector<std::string> to_strings() const;
  /// A matrix as it is; a vector of N as N x 1.
  DenseMatrix to_matrix() const;

  /// True when every element is the number 1; needs no copy.
  bool all_ones() const;
  /// "3 x 4", "5" or "a single value".
  std::string shape_text() const;
  /// Throws an input error unless the array has so many dimensions.
  void require_dimensions(std::size_t count) const;

 private:
  template <class Visit>
  void visit_positions(Visit visit) const;
  template <class Number, class Visit>
  void visit_as(Visit visit) const;
  template <class Visit>
  void visit_numbers(Visit visit, const char* wanted) const;
  template <class Target>
  Array<Target> convert(const char* wanted) const;
  template <class Target>
  bool is_stored_as() const;
  /// Before memory is taken for them: no bytes of the file stand behind the shape of objects.
  void refuse_objects(const char* wanted) const;
  [[noreturn]] void fail(std::string what, std::string found, std::string expected,
                         std::string place = {}) const;

  DType type_;
  std::vector<std::int64_t> shape_;
  std::int64_t size_ = 0;
  bool transposed_ = false;  // stored in Fortran order, and that differs from C order
  Bytes data_;
};

}  // namespace creg
