#include "io/npy.h"

#include "fuzz_support.h"

namespace {

template <class Convert>
void try_convert(Convert convert) {
  try {
    convert();
  } catch (const creg::Error&) {
    return;  // the next conversion may suit the array
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return creg::fuzz::try_read(data, size, [](const creg::Bytes& bytes) {
    const creg::NdArray array = creg::read_npy(bytes);
    try_convert([&] { array.to_float(); });
    try_convert([&] { array.to_int32(); });
    try_convert([&] { array.to_int64(); });
    try_convert([&] { array.to_strings(); });
    try_convert([&] { array.to_matrix(); });
    try_convert([&] { array.all_ones(); });
  });
}
