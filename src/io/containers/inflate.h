// Decompression that cannot be tricked into filling the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/file.h"

namespace creg {

enum class Compression { raw_deflate, gzip };

/// A stream of decompressed bytes. Damaged or cut-off input is an input error that names the byte.
class Inflater {
 public:
  Inflater(Bytes input, Compression form);
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater();

  /// Fills as much of `out` as there is; fewer bytes than asked for only at the end.
  std::size_t read(std::span<std::byte> out);
  bool finished() const;
  std::int64_t consumed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// True when the bytes start as a gzip file does.
bool is_gzip(const Bytes& bytes);

/// The most bytes a single decompressed piece or declared array may take: this machine's memory.
std::int64_t default_read_limit();

}  // namespace creg
