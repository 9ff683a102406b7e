// Members of a zip archive as files of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "creg/core/context.h"
#include "io/containers/zip.h"

namespace creg {

/// Writes the member called `name`, in whatever folder of the archive it is, to `target`, in
/// pieces: memory does not grow with the member. Its bytes are checked against the archive's CRC
/// before the file gets its name. Returns how many there are. `file` is what `archive` was opened
/// on.
std::int64_t unpack_member(const Context& context, const Bytes& file, const ZipArchive& archive,
                           std::string_view name, const std::filesystem::path& target);

}  // namespace creg
