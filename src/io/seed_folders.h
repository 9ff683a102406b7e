// The folders that the seeds of one run have inside its own.
#pragma once

#include <filesystem>
#include <vector>

namespace creg {

/// The folders DIR/seed-<s>, by their numbers; none where `folder` is no folder.
std::vector<std::filesystem::path> seed_folders(const std::filesystem::path& folder);

}  // namespace creg
