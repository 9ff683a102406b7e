// Arrays of numbers inside JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace creg::report {

std::string base64(std::span<const std::uint8_t> bytes);

/// Little-endian, `width` bytes of each: 1, 2 or 4. Numbers that need more are cut to what fits.
std::string base64_of(std::span<const std::int64_t> numbers, int width);

}  // namespace creg::report
