// Pickles of protocol 2 as Python 2 wrote them, put together opcode by opcode.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/byte_order.h"
#include "support/npy_builder.h"

namespace creg::test {

inline std::string pickled(std::int64_t number) {
  std::string out;
  if (number >= 0 && number < 256) {
    out += 'K';
    out += static_cast<char>(number);
  } else if (number >= 0 && number < 65536) {
    out += 'M';
    append_little(out, static_cast<std::uint16_t>(number));
  } else {
    out += 'J';
    append_little(out, static_cast<std::int32_t>(number));
  }
  return out;
}

inline std::string pickled(std::string_view text) {
  std::string out;
  if (text.size() < 256) {
    out += 'U';
    out += static_cast<char>(text.size());
  } else {
    out += 'T';
    append_little(out, static_cast<std::int32_t>(text.size()));
  }
  return out + std::string(text);
}

inline std::string pickled_global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}

inline std::string pickled_tuple(const std::vector<std::int64_t>& numbers) {
  std::string out = "(";
  for (const std::int64_t number : numbers) out += pickled(number);
  return out + "t";
}

inline std::string pickled_array(std::string_view type, const std::vector<std::int64_t>& shape,
                                 std::string_view data) {
  return pickled_global("numpy.core.multiarray", "_reconstruct") +
         pickled_global("numpy", "ndarray") + pickled_tuple({0}) + pickled("b") + "\x87R(" +
         pickled(1) + pickled_tuple(shape) + pickled_global("numpy", "dtype") + pickled(type) +
         pickled(0) + pickled(1) + "\x87R(" + pickled(3) + pickled("<") + "NNN" + pickled(-1) +
         pickled(-1) + pickled(0) + "tb\x89" + pickled(data) + "tb";
}

/// A whole file of the given value.
inline std::string pickle_file(const std::string& value) {
  return "\x80\x02" + value + ".";
}

inline std::string pickled_csr(std::int64_t rows, std::int64_t cols,
                               const std::vector<std::int32_t>& offsets,
                               const std::vector<std::int32_t>& columns,
                               const std::vector<float>& values) {
  const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  return pickled_global("scipy.sparse.csr", "csr_matrix") + "q\x01)\x81}(" + pickled("_shape") +
         pickled_tuple({rows, cols}) + pickled("indptr") +
         pickled_array("i4", {size(offsets)}, raw(offsets)) + pickled("indices") +
         pickled_array("i4", {size(columns)}, raw(columns)) + pickled("data") +
         pickled_array("f4", {size(values)}, raw(values)) + "ub";
}

inline std::string pickled_graph(const std::vector<std::vector<std::int64_t>>& neighbours) {
  std::string out = pickled_global("collections", "defaultdict") +
                    pickled_global("__builtin__", "list") + "\x85Rq\x01(";
  for (std::size_t node = 0; node < neighbours.size(); ++node) {
    out += pickled(static_cast<std::int64_t>(node)) + "]";
    if (neighbours[node].size() == 1) {
      out += pickled(neighbours[node][0]) + "a";
    } else if (!neighbours[node].empty()) {
      out += "(";
      for (const std::int64_t other : neighbours[node]) out += pickled(other);
      out += "e";
    }
  }
  return out + "u";
}

}  // namespace creg::test
