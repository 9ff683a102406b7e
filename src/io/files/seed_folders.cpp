#include "io/seed_folders.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/file.h"

namespace creg {

namespace fs = std::filesystem;

namespace {

std::optional<std::uint64_t> number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

}  // namespace

bool is_numbered(const fs::path& path, std::string_view prefix) {
  return number_after(prefix, path.filename().string()).has_value();
}

std::vector<fs::path> seed_folders(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return {};
  std::vector<std::pair<std::uint64_t, fs::path>> found;
  for (const fs::path& entry : list_folder(folder)) {
    if (!fs::is_directory(entry, ignored)) continue;
    const auto seed = number_after("seed-", entry.filename().string());
    if (seed) found.emplace_back(*seed, entry);
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> folders;
  for (auto& [seed, path] : found) folders.push_back(std::move(path));
  return folders;
}

}  // namespace creg
