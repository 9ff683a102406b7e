// Which file a mapped address belongs to, for whoever has to explain a fault there.
#pragma once

namespace creg {

/// The name of the file that map_file has mapped at `address`; nullptr where it has none. Takes no
/// lock and allocates nothing, so that a signal handler may ask. The name is valid while the file
/// stays mapped. Of more files than the table has room for (1024 at once) the last are not known.
const char* mapped_file_at(const void* address) noexcept;

}  // namespace creg
