// The names beside an embedding.
#include "io/node_names_file.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return creg::fuzz::try_read(data, size, [](const creg::Bytes& bytes) {
    constexpr std::int64_t rows = 3;
    if (creg::read_node_names(bytes, "e.npy", rows).size() != rows) __builtin_trap();
  });
}
