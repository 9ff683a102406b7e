#include "io/files/file_set.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/containers/zip.h"

namespace creg {

FileSet::FileSet(std::string name, std::vector<std::string> files, Read read)
    : name_(std::move(name)), files_(std::move(files)), read_(std::move(read)) {
  std::sort(files_.begin(), files_.end());
}

FileSet FileSet::open(const std::filesystem::path& folder_or_zip) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder_or_zip, error)) {
    Bytes bytes = map_file(folder_or_zip);
    if (!is_zip(bytes)) {
      fail_input({.what = "neither a folder nor a zip archive", .file = folder_or_zip.string()});
    }
    return zip(std::move(bytes));
  }
  std::vector<std::string> files;
  std::filesystem::recursive_directory_iterator entry(folder_or_zip, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    files.push_back(entry->path().lexically_relative(folder_or_zip).generic_string());
  }
  if (error) fail_errno(error.value(), "cannot list this folder", folder_or_zip.string());
  return {folder_or_zip.string(), std::move(files),
          [folder_or_zip](const std::string& file, std::optional<std::int64_t> /*most*/) {
            return map_file(folder_or_zip / file);
          }};
}

FileSet FileSet::zip(Bytes archive) {
  const std::string name = archive.name;
  const auto opened = std::make_shared<const ZipArchive>(std::move(archive));
  std::vector<std::string> files;
  for (const ZipMember& member : opened->members()) {
    if (!member.name.ends_with('/')) files.push_back(member.name);
  }
  return {name, std::move(files),
          [opened](const std::string& file, std::optional<std::int64_t> most) {
            return most ? opened->read_start(*opened->find(file), *most) : opened->read(file);
          }};
}

FileSet FileSet::memory(std::string name, std::map<std::string, Bytes> files) {
  std::vector<std::string> names;
  for (const auto& [file, bytes] : files) names.push_back(file);
  return {std::move(name), std::move(names),
          [kept = std::move(files)](const std::string& file, std::optional<std::int64_t> /*most*/) {
            return kept.at(file);
          }};
}

bool FileSet::contains(std::string_view file) const {
  return std::binary_search(files_.begin(), files_.end(), file);
}

Bytes FileSet::read(const std::string& file) const {
  return read_part(file, std::nullopt);
}

Bytes FileSet::read_start(const std::string& file, std::int64_t most) const {
  return read_part(file, most);
}

Bytes FileSet::read_part(const std::string& file, std::optional<std::int64_t> most) const {
  if (contains(file)) return read_(file, most);
  constexpr std::size_t most_listed = 20;
  const std::span near = std::span(files_).first(std::min(files_.size(), most_listed));
  fail_input({.what = "a file is missing",
              .file = name_,
              .expected = in_quotes(file),
              .hint = files_.empty() ? "there are no files at all" : suggestion(file, near)});
}

FileSet FileSet::below(const std::string& folder) const {
  const std::string prefix = folder + "/";
  std::vector<std::string> inside;
  for (const std::string& file : files_) {
    if (file.starts_with(prefix)) inside.push_back(file.substr(prefix.size()));
  }
  return {name_ + "/" + folder, std::move(inside),
          [read = read_, prefix](const std::string& file, std::optional<std::int64_t> most) {
            return read(prefix + file, most);
          }};
}

}  // namespace creg
