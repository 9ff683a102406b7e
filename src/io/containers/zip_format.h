// Numbers of the zip format that the reader and the writer share.
#pragma once

#include <cstdint>

namespace creg::zip_format {

inline constexpr std::uint16_t zip64_extra = 1;
inline constexpr std::int64_t local_bytes = 30;  // a member's own header, without name and extra
inline constexpr int stored = 0;
inline constexpr int deflated = 8;

}  // namespace creg::zip_format
