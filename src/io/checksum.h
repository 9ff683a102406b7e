// Checksums of bytes: CRC-32C against damage, SHA-256 and git's blob id for identity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "creg/core/context.h"
#include "io/file.h"

namespace creg {

/// CRC-32C (Castagnoli) of the bytes; with `previous`, of what that covered followed by these. By
/// the processor's instruction where it has one.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous = 0);

/// The same by tables alone.
std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t previous = 0);

/// The CRC of two pieces joined, from those of the pieces and the second one's length.
std::uint32_t crc32c_join(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

/// The same as crc32c, on all threads.
std::uint32_t crc32c_parallel(const Context& context, std::span<const std::byte> bytes);

/// Whether this build has SHA-256 and SHA-1 (OpenSSL). Without, the next two are environment
/// errors.
bool sha256_available();

/// Lower-case hexadecimal.
std::string sha256(const Bytes& bytes);

/// What `git hash-object` prints for a file with these bytes.
std::string git_blob_id(const Bytes& bytes);

}  // namespace creg
