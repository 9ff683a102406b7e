#include "io/seed_folders.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "io/file.h"

namespace creg {

namespace fs = std::filesystem;

std::vector<fs::path> seed_folders(const fs::path& folder) {
  constexpr std::string_view prefix = "seed-";
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return {};
  std::vector<std::pair<std::uint64_t, fs::path>> found;
  for (const fs::path& entry : list_folder(folder)) {
    const std::string name = entry.filename().string();
    if (!fs::is_directory(entry, ignored) || !name.starts_with(prefix)) continue;
    const char* const end = name.data() + name.size();
    std::uint64_t seed = 0;
    const auto [stopped, error] = std::from_chars(name.data() + prefix.size(), end, seed);
    if (error == std::errc() && stopped == end) found.emplace_back(seed, entry);
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> folders;
  for (auto& [seed, path] : found) folders.push_back(std::move(path));
  return folders;
}

}  // namespace creg
