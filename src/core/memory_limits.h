// How much memory this process can still get, and who says so: the machine, the control groups
// that it is in, its own limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace creg {

struct MemoryLimit {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();  ///< what it leaves
  std::string name;  ///< what it is, for messages: "the limit in /sys/fs/cgroup/a/memory.max"
};

/// Bytes that a process maps: of address space (ulimit -v) and, among them, of data (ulimit -d).
struct MappingBytes {
  std::int64_t address_space = 0;
  std::int64_t data = 0;
};

/// The least of what is free or can be freed on the machine, what the limits of the process's
/// control groups and of all above them leave (v1, v2 or both), and what ulimit -v and -d leave
/// after what is set aside. `root` is the folder that has proc and the mounted control groups.
MemoryLimit memory_left(const MappingBytes& set_aside = {},
                        const std::filesystem::path& root = "/");

/// What this process may still map by ulimit -v (`address_space`) and -d (`data`); nothing where
/// they are not set.
struct MappingRoom {
  std::optional<std::int64_t> address_space;
  std::optional<std::int64_t> data;
  std::int64_t threads = 1;  ///< that the process has

  /// The limit that leaves less than this, if one does.
  std::optional<MemoryLimit> short_of(const MappingBytes& needed) const;
};
MappingRoom mapping_room(const std::filesystem::path& root = "/");

}  // namespace creg
