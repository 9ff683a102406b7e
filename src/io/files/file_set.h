// Files that belong together, opened by their names: a folder, a zip archive, or bytes in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.h"

namespace creg {

class FileSet {
 public:
  /// A folder, with everything below it; or a zip archive. Neither: an input error.
  static FileSet open(const std::filesystem::path& folder_or_zip);
  /// The members of an archive in memory.
  static FileSet zip(Bytes archive);
  static FileSet memory(std::string name, std::map<std::string, Bytes> files);

  /// For messages.
  const std::string& name() const { return name_; }
  /// Names with '/' between folders, sorted.
  const std::vector<std::string>& files() const { return files_; }
  bool contains(std::string_view file) const;
  /// A missing file is an input error that names it and the nearest there are.
  Bytes read(const std::string& file) const;
  /// The same of a file whose beginning is enough: `most` bytes or more, or all.
  Bytes read_start(const std::string& file, std::int64_t most) const;
  /// The part of the set below `folder` ("a/b"), by names relative to it.
  FileSet below(const std::string& folder) const;

 private:
  /// Of a file, so many bytes at least; nothing: all.
  using Read = std::function<Bytes(const std::string&, std::optional<std::int64_t>)>;
  Bytes read_part(const std::string& file, std::optional<std::int64_t> most) const;
  FileSet(std::string name, std::vector<std::string> files, Read read);

  std::string name_;
  std::vector<std::string> files_;
  Read read_;
};

}  // namespace creg
