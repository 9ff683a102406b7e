// The folders that the seeds of one run have inside its own.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace creg {

/// True for DIR/<prefix><s> with a number s, by its name alone.
bool is_numbered(const std::filesystem::path& path, std::string_view prefix);

/// The folders DIR/seed-<s>, by their numbers; none where `folder` is no folder.
std::vector<std::filesystem::path> seed_folders(const std::filesystem::path& folder);

}  // namespace creg
