// What every fuzz target shares: an error is a fine answer, a crash or another exception is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "creg/core/error.h"
#include "creg/io/file.h"

namespace creg::fuzz {

/// Runs `read` on the input; a creg::Error is how a reader refuses bad bytes.
template <class Read>
int try_read(const std::uint8_t* data, std::size_t size, Read read) {
  try {
    read(Bytes::from_string(std::string(reinterpret_cast<const char*>(data), size), "input"));
  } catch (const Error&) {
    return 0;
  }
  return 0;
}

}  // namespace creg::fuzz
