// .npz files: a zip archive of .npy arrays, each under a key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/containers/ndarray.h"
#include "io/containers/zip.h"
#include "io/file.h"

namespace creg {

class NpzFile {
 public:
  /// Reads the directory alone; arrays are read when asked for.
  explicit NpzFile(Bytes file);

  const std::string& name() const { return zip_.name(); }
  /// Names of the arrays, without ".npy", in the archive's order.
  const std::vector<std::string>& keys() const { return keys_; }
  bool contains(std::string_view key) const;
  /// A missing key is an input error that lists the keys there are.
  NdArray read(std::string_view key) const;
  /// Of the same the shape alone, which takes no more than the first bytes.
  std::vector<std::int64_t> shape(std::string_view key) const;
  /// Nothing when the key is missing, or when it holds pickled objects, which are never read.
  std::optional<NdArray> read_if_plain(std::string_view key) const;

 private:
  const ZipMember& member(std::string_view key) const;

  ZipArchive zip_;
  std::vector<std::string> keys_;
};

/// Writes arrays that numpy.load opens; the file appears under its name only when whole.
class NpzWriter {
 public:
  explicit NpzWriter(const std::filesystem::path& path);

  /// T is float, int32 or int64; `values` are in C order.
  template <class T>
  void add(std::string_view key, std::span<const T> values, std::span<const std::int64_t> shape);
  template <class T>
  void add(std::string_view key, std::span<const T> values) {
    const auto size = static_cast<std::int64_t>(values.size());
    add(key, values, std::span(&size, 1));
  }
  /// A vector of Unicode strings; each must be valid UTF-8, and all take the room of the longest.
  void add_strings(std::string_view key, std::span<const std::string> values);
  void commit();

 private:
  void add_raw(std::string_view key, std::string_view descr, std::span<const std::int64_t> shape,
               std::span<const std::byte> data);

  std::string path_;
  ZipWriter zip_;
};

}  // namespace creg
