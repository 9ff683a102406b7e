#include "core/memory_limits.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "creg/core/context.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

/// A whole number; nothing for "max", for words and for what no counter of bytes can hold.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  return value;
}

std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  if (!(in >> word)) return std::nullopt;
  return whole_number(word);
}

/// The number behind `key` in a file of lines "key number".
std::optional<std::int64_t> number_of(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    std::string word;
    if (rest.peek() != ' ' && rest.peek() != '\t') continue;
    if (rest >> word) return whole_number(word);
  }
  return std::nullopt;
}

std::int64_t bytes_of(std::int64_t kilobytes) {
  return std::min(kilobytes, std::numeric_limits<std::int64_t>::max() / 1024) * 1024;
}

void take_less(MemoryLimit& least, std::int64_t limit, std::int64_t used, std::string name) {
  const std::int64_t left = std::max<std::int64_t>(limit - used, 0);
  if (left < least.bytes) least = {.bytes = left, .name = std::move(name)};
}

/// The line of /proc/self/limits as bytes; nothing where it says "unlimited".
std::optional<std::int64_t> own_limit(const fs::path& root, const std::string& name) {
  std::ifstream in(root / "proc/self/limits");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name + " ")) continue;
    std::istringstream rest(line.substr(name.size()));
    std::string soft;
    rest >> soft;
    return whole_number(soft);
  }
  return std::nullopt;
}

/// What one of the two versions calls its files.
struct GroupFiles {
  std::vector<std::string> limits;
  std::string used;
  std::vector<std::string> reclaimable;  ///< keys of memory.stat: cache that gives way
};

/// A place where control groups are mounted, with the group that is at its top.
struct GroupMount {
  fs::path top;
  fs::path point;
};

/// "a\040b" -> "a b", as the kernel writes spaces in paths.
std::string unescaped(std::string_view text) {
  constexpr std::size_t digits = 3;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view octal = text.substr(i + 1, text[i] == '\\' ? digits : 0);
    int code = 0;
    const auto [end, error] = std::from_chars(octal.data(), octal.data() + octal.size(), code, 8);
    if (octal.size() == digits && error == std::errc() && end == octal.data() + octal.size()) {
      out.push_back(static_cast<char>(code));
      i += digits;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

/// Whether the comma-separated list has the word.
bool lists(const std::string& list, std::string_view word) {
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');) {
    if (item == word) return true;
  }
  return false;
}

std::vector<GroupMount> group_mounts(const fs::path& root, bool unified) {
  std::vector<GroupMount> mounts;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line.substr(0, dash));
    std::istringstream after(line.substr(dash + 3));
    std::string id;
    std::string parent;
    std::string device;
    std::string top;
    std::string point;
    std::string type;
    std::string source;
    std::string options;
    before >> id >> parent >> device >> top >> point;
    after >> type >> source >> options;
    const bool wanted = unified ? type == "cgroup2" : type == "cgroup" && lists(options, "memory");
    if (wanted && !point.empty()) mounts.push_back({unescaped(top), unescaped(point)});
  }
  return mounts;
}

/// The group of this process, as /proc/self/cgroup has it.
std::optional<fs::path> own_group(const fs::path& root, bool unified) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool wanted =
        unified ? line.starts_with("0:") && controllers.empty() : lists(controllers, "memory");
    if (wanted) return fs::path(line.substr(second + 1));
  }
  return std::nullopt;
}

/// `path` without the folders of `top`; nothing where it is not below it.
std::optional<fs::path> below(const fs::path& path, const fs::path& top) {
  auto part = path.begin();
  for (const fs::path& folder : top) {
    if (folder.empty()) continue;  // a slash at the end
    if (part == path.end() || *part != folder) return std::nullopt;
    ++part;
  }
  fs::path rest;
  for (; part != path.end(); ++part) rest /= *part;
  return rest;
}

/// The folders of the process's group and of those above it, up to where they are mounted; below
/// that point. Of groups that a namespace hides only the top can be seen.
std::vector<fs::path> visible_groups(const fs::path& point_in_root, const fs::path& relative) {
  std::vector<fs::path> folders = {point_in_root};
  fs::path folder = point_in_root;
  std::error_code ignored;
  for (const fs::path& part : relative) {
    if (part.empty() || part == ".." || part == "/") continue;
    folder /= part;
    if (!fs::is_directory(folder, ignored)) break;
    folders.push_back(folder);
  }
  return folders;
}

void take_groups(const fs::path& root, bool unified, const GroupFiles& files, MemoryLimit& least) {
  const std::optional<fs::path> group = own_group(root, unified);
  if (!group) return;
  const std::vector<GroupMount> mounts = group_mounts(root, unified);
  const bool some_above = std::any_of(mounts.begin(), mounts.end(), [&](const GroupMount& mount) {
    return below(*group, mount.top).has_value();
  });
  for (const GroupMount& mount : mounts) {
    const std::optional<fs::path> relative = below(*group, mount.top);
    // A mount of other groups says nothing, unless it is all that a namespace shows.
    if (some_above && !relative) continue;
    for (const fs::path& folder :
         visible_groups(root / mount.point.relative_path(), relative.value_or(*group))) {
      const fs::path stat = folder / "memory.stat";
      std::int64_t used = number_in(folder / files.used).value_or(0);
      for (const std::string& key : files.reclaimable) used -= number_of(stat, key).value_or(0);
      used = std::max<std::int64_t>(used, 0);
      const fs::path shown = "/" / folder.lexically_relative(root);
      for (const std::string& name : files.limits) {
        const std::optional<std::int64_t> limit = number_in(folder / name);
        if (limit) take_less(least, *limit, used, "the limit in " + (shown / name).string());
      }
      if (unified) continue;
      // Groups above the mount count too, and this is where the kernel tells of them.
      const std::optional<std::int64_t> above = number_of(stat, "hierarchical_memory_limit");
      if (above) {
        take_less(least, *above, used,
                  "hierarchical_memory_limit in " + (shown / "memory.stat").string());
      }
    }
  }
}

constexpr const char* address_space_name = "the limit on address space (ulimit -v)";
constexpr const char* data_name = "the limit on data (ulimit -d)";

std::optional<std::int64_t> left_of(std::optional<std::int64_t> limit,
                                    std::optional<std::int64_t> used_kilobytes) {
  if (!limit) return std::nullopt;
  return std::max<std::int64_t>(*limit - bytes_of(used_kilobytes.value_or(0)), 0);
}

}  // namespace

MappingRoom mapping_room(const fs::path& root) {
  const fs::path status = root / "proc/self/status";
  return {
      .address_space = left_of(own_limit(root, "Max address space"), number_of(status, "VmSize:")),
      .data = left_of(own_limit(root, "Max data size"), number_of(status, "VmData:")),
      .threads = number_of(status, "Threads:").value_or(1)};
}

std::optional<MemoryLimit> MappingRoom::short_of(const MappingBytes& needed) const {
  if (address_space && *address_space < needed.address_space) {
    return MemoryLimit{.bytes = *address_space, .name = address_space_name};
  }
  if (data && *data < needed.data) return MemoryLimit{.bytes = *data, .name = data_name};
  return std::nullopt;
}

MemoryLimit memory_left(const MappingBytes& set_aside, const fs::path& root) {
  const fs::path info = root / "proc/meminfo";
  MemoryLimit least{.bytes = physical_memory(), .name = "what this machine has"};
  if (const auto total = number_of(info, "MemTotal:")) {
    least.bytes = root == "/" ? std::min(least.bytes, bytes_of(*total)) : bytes_of(*total);
  }
  if (const auto free = number_of(info, "MemAvailable:")) {
    take_less(least, bytes_of(*free), 0, "what is free on this machine");
  }
  take_groups(root, true,
              {.limits = {"memory.max", "memory.high"},
               .used = "memory.current",
               .reclaimable = {"active_file", "inactive_file"}},
              least);
  take_groups(root, false,
              {.limits = {"memory.limit_in_bytes"},
               .used = "memory.usage_in_bytes",
               .reclaimable = {"total_active_file", "total_inactive_file"}},
              least);
  const MappingRoom room = mapping_room(root);
  if (room.address_space)
    take_less(least, *room.address_space, set_aside.address_space, address_space_name);
  if (room.data) take_less(least, *room.data, set_aside.data, data_name);
  return least;
}

}  // namespace creg
