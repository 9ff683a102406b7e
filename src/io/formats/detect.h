// What a path holds, told from its content, never from its name's ending.
#pragma once

#include <filesystem>
#include <string>

#include "io/formats/formats.h"

namespace creg {

struct DetectedPath {
  const GraphFormat* format = nullptr;
  std::filesystem::path path;  ///< what that format's reader takes: the file, or the folder
};

/// A word that means a file or folder, whether there is one or not.
bool looks_like_a_path(const std::string& name);

/// Looks at names inside folders and archives and at the first bytes of files. A path that holds
/// nothing known is an input error that says what was looked for.
DetectedPath detect_path(const std::filesystem::path& path);

}  // namespace creg
