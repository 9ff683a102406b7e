// Where datasets lie on this machine, and whether the bytes there are the right ones.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "io/catalogue.h"

namespace creg {

/// `chosen` (--data-dir) unless empty, else $CREG_DATA, else $XDG_CACHE_HOME/creg or
/// ~/.cache/creg. It need not exist.
std::filesystem::path data_folder(std::string_view chosen = {});

/// The dataset's own folder in it.
std::filesystem::path dataset_folder(const CatalogueEntry& entry,
                                     const std::filesystem::path& data_dir);

enum class FileState {
  missing,
  right,      ///< a known checksum holds
  unchecked,  ///< there, of the right size if that is known, and no checksum to hold it against
  wrong,
};

struct FileCheck {
  FileState state = FileState::missing;
  std::string found;     ///< of a wrong file: its size or digest
  std::string expected;  ///< what that should be
};

/// Sizes are compared first, so that only a file of the right size is hashed.
FileCheck check_file(const CatalogueFile& file, const std::filesystem::path& path);

/// The required files that are not in the dataset's folder, in the catalogue's order.
std::vector<std::string> missing_files(const CatalogueEntry& entry,
                                       const std::filesystem::path& folder);

/// What to hand to the dataset's reader: its folder, or its one file. An input error that names
/// what is missing and how to get it when not all files are there.
std::filesystem::path require_dataset(const CatalogueEntry& entry,
                                      const std::filesystem::path& data_dir);

/// Checks every file in the dataset's folder: a missing or wrong one is an input error.
void verify_dataset(const Context& context, const CatalogueEntry& entry,
                    const std::filesystem::path& folder);

/// The dataset that a file or folder is, by its bytes; null when it is none of the catalogue's or
/// its checksums are not known. A file that is one of a dataset's many stands for its folder.
const CatalogueEntry* identify(const Context& context, const std::filesystem::path& path);

}  // namespace creg
