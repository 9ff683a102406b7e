#include "run/sweep_journal.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return creg::fuzz::try_read(
      data, size, [](const creg::Bytes& bytes) { creg::read_sweep(bytes, "dataset = x"); });
}
