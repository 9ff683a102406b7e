// Input: an .npz file, or else its arrays as frames.
#include "io/formats/scipy_sparse.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::string_view, 7> keys = {"format", "shape", "data", "indices",
                                                    "indptr", "row",   "col"};
  constexpr std::int64_t limit = 1 << 24;
  static const creg::Context context({.threads = 1});
  return creg::fuzz::try_read(data, size, [&](creg::Bytes bytes) {
    if (!creg::is_zip(bytes)) {
      const auto frames = creg::fuzz::split_frames(bytes.text(), keys.size());
      bytes = creg::Bytes::from_string(creg::fuzz::pack_npz(keys, frames), "input");
    }
    creg::read_scipy_sparse(context, bytes, limit);
  });
}
