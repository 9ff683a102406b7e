// .npy bytes put together by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/byte_order.h"

namespace creg::test {

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string out;
  for (const T value : values) append_little(out, value);
  return out;
}

template <class T>
std::string raw_big(const std::vector<T>& values) {
  std::string out;
  for (const T value : values) {
    std::string one;
    append_little(one, value);
    out.append(one.rbegin(), one.rend());
  }
  return out;
}

/// A file of version `version` with this header text.
inline std::string npy_text(std::string dict, std::string_view data = {}, int version = 1) {
  if (!dict.empty()) {
    const std::size_t before = version == 1 ? 10 : 12;
    while ((before + dict.size() + 1) % 16 != 0) dict += ' ';
    dict += '\n';
  }
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  if (version == 1) {
    append_little(out, static_cast<std::uint16_t>(dict.size()));
  } else {
    append_little(out, static_cast<std::uint32_t>(dict.size()));
  }
  return out + dict + std::string(data);
}

/// npy("<f4", "(2, 3)", raw<float>({...})).
inline std::string npy(std::string_view descr, std::string_view shape, std::string_view data,
                       bool fortran_order = false, int version = 1) {
  return npy_text("{'descr': '" + std::string(descr) +
                      "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                      ", 'shape': " + std::string(shape) + ", }",
                  data, version);
}

}  // namespace creg::test
