#include "io/data_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/checksum.h"
#include "io/file.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

/// Empty counts as not set: that is what `VAR= creg ...` means.
std::optional<fs::path> path_from_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

bool has_checksum(const CatalogueFile& file) {
  return !file.sha256.empty() || !file.git_blob.empty();
}

bool is_unpacked(const CatalogueFile& file, const fs::path& folder) {
  return !file.unpacked_sign.empty() && is_file(folder / file.unpacked_sign);
}

std::vector<std::string> missing_parts(const CatalogueFile& file, const fs::path& folder) {
  std::vector<std::string> missing;
  if (!file.members.empty()) {
    for (const std::string_view member : file.members) {
      if (!is_file(folder / member)) missing.emplace_back(member);
    }
  } else if (!is_file(folder / file.name) && !is_unpacked(file, folder)) {
    missing.emplace_back(file.name);
  }
  return missing;
}

std::string checksum_text(const CatalogueFile& file) {
  if (!file.sha256.empty()) return fmt::format("SHA-256 {}", file.sha256);
  if (!file.git_blob.empty()) return fmt::format("git hash-object {}", file.git_blob);
  return {};
}

std::string how_to_get(const CatalogueEntry& entry, const fs::path& folder) {
  std::string text = fmt::format(
      "run 'creg data get {0}', or 'creg data get {0} --mirror DIR' with a folder that has the "
      "files, or put there by hand:",
      entry.name);
  for (const CatalogueFile& file : entry.files) {
    if (missing_parts(file, folder).empty()) continue;
    text += "\n    " + file_url(entry, file);
    if (!file.members.empty()) {
      text += fmt::format(" (unpack {})", fmt::join(file.members, " and "));
    } else if (has_checksum(file)) {
      text += fmt::format(" ({})", checksum_text(file));
    }
  }
  return text;
}

/// True when the files at `paths` (one per file of the entry) have the catalogue's bytes.
bool is_dataset(const Context& context, const CatalogueEntry& entry,
                const std::vector<fs::path>& paths) {
  if (!std::all_of(entry.files.begin(), entry.files.end(), has_checksum)) return false;
  bool sizes_known = false;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::int64_t expected = entry.files[i].size;
    std::error_code error;
    const std::uintmax_t size = fs::file_size(paths[i], error);
    if (error) return false;
    if (expected < 0) continue;
    sizes_known = true;
    if (size != static_cast<std::uintmax_t>(expected)) return false;
  }
  if (sizes_known && !sha256_available()) {
    context.log().write(
        LogLevel::warning,
        fmt::format("{} has the size of dataset '{}', but this build has no OpenSSL to tell by its "
                    "checksum; it is read as a file of your own",
                    paths.front().string(), entry.name));
    return false;
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    context.throw_if_stopped();
    if (check_file(entry.files[i], paths[i]).state != FileState::right) return false;
  }
  return true;
}

}  // namespace

fs::path data_folder(std::string_view chosen) {
  if (!chosen.empty()) return chosen;
  if (const auto path = path_from_environment("CREG_DATA")) return *path;
  if (const auto cache = path_from_environment("XDG_CACHE_HOME")) return *cache / "creg";
  if (const auto home = path_from_environment("HOME")) return *home / ".cache" / "creg";
  fail_environment({.what = "no place for datasets: neither CREG_DATA, XDG_CACHE_HOME nor HOME is "
                            "set",
                    .hint = "say where with --data-dir DIR"});
}

fs::path dataset_folder(const CatalogueEntry& entry, const fs::path& data_dir) {
  return data_dir / entry.folder;
}

FileCheck check_file(const CatalogueFile& file, const fs::path& path) {
  if (!is_file(path)) return {.state = FileState::missing};
  const Bytes bytes = map_file(path);
  if (file.size >= 0 && bytes.size() != file.size) {
    return {.state = FileState::wrong,
            .found = with_commas(bytes.size()) + " bytes",
            .expected = with_commas(file.size) + " bytes"};
  }
  if (!has_checksum(file) || !sha256_available()) return {.state = FileState::unchecked};
  const bool by_sha256 = !file.sha256.empty();
  const std::string digest = by_sha256 ? sha256(bytes) : git_blob_id(bytes);
  if (digest == (by_sha256 ? file.sha256 : file.git_blob)) return {.state = FileState::right};
  return {.state = FileState::wrong,
          .found = (by_sha256 ? "SHA-256 " : "git hash-object ") + digest,
          .expected = checksum_text(file)};
}

std::vector<std::string> missing_files(const CatalogueEntry& entry, const fs::path& folder) {
  std::vector<std::string> missing;
  for (const CatalogueFile& file : entry.files) {
    const std::vector<std::string> parts = missing_parts(file, folder);
    missing.insert(missing.end(), parts.begin(), parts.end());
  }
  return missing;
}

fs::path require_dataset(const CatalogueEntry& entry, const fs::path& data_dir) {
  const fs::path folder = dataset_folder(entry, data_dir);
  const std::vector<std::string> missing = missing_files(entry, folder);
  if (!missing.empty()) {
    fail_input({.what = fmt::format("dataset '{}' is not complete: {} {} missing", entry.name,
                                    join_words(missing), missing.size() == 1 ? "is" : "are"),
                .file = folder.string(),
                .hint = how_to_get(entry, folder)});
  }
  const CatalogueFile& first = entry.files.front();
  const bool one_file = entry.files.size() == 1 && first.members.empty();
  return one_file && is_file(folder / first.name) ? folder / first.name : folder;
}

void verify_dataset(const Context& context, const CatalogueEntry& entry, const fs::path& folder) {
  const std::vector<std::string> missing = missing_files(entry, folder);
  if (!missing.empty()) {
    fail_input({.what = "files are missing",
                .file = folder.string(),
                .found = "no " + join_words(missing, " and no "),
                .hint = how_to_get(entry, folder)});
  }
  if (!sha256_available()) {
    context.log().write(LogLevel::warning,
                        "this build has no OpenSSL: sizes are checked, checksums are not");
  }
  for (const CatalogueFile& file : entry.files) {
    context.throw_if_stopped();
    const fs::path path = folder / file.name;
    const FileCheck check = check_file(file, path);
    if (check.state != FileState::wrong) continue;
    fail_input({.what = fmt::format("not the bytes of dataset '{}'", entry.name),
                .file = path.string(),
                .found = check.found,
                .expected = check.expected,
                .hint = fmt::format("'creg data get {}' replaces it", entry.name)});
  }
}

const CatalogueEntry* identify(const Context& context, const fs::path& path) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  if (!is_folder && !is_file(path)) return nullptr;
  for (const CatalogueEntry& entry : catalogue()) {
    std::vector<fs::path> paths;
    bool named = is_folder;
    for (const CatalogueFile& file : entry.files) {
      named = named || path.filename() == file.name;
      paths.push_back((is_folder ? path : path.parent_path()) / file.name);
    }
    // A dataset of one file is known under any name.
    if (!is_folder && paths.size() == 1) {
      paths = {path};
    } else if (!named) {
      continue;
    }
    if (is_dataset(context, entry, paths)) return &entry;
  }
  return nullptr;
}

}  // namespace creg
