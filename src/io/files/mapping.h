// A mapped file and its entry in the table behind mapped_file_at.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace creg {

/// Owns a mapping from mmap: unmaps it in the end.
class Mapping {
 public:
  Mapping(std::span<const std::byte> bytes, std::string name);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  std::string name_;
  std::size_t slot_;
};

}  // namespace creg
