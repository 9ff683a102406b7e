// Input: an .npz file, or else its arrays as frames.
#include "io/formats/gnn_benchmark.h"

#include "fuzz_support.h"
#include "io/containers/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::string_view, 12> keys = {
      "adj_data",    "adj_indices", "adj_indptr",  "adj_shape", "attr_data",   "attr_indices",
      "attr_indptr", "attr_shape",  "attr_matrix", "labels",    "class_names", "node_names"};
  static const creg::Context context({.threads = 1});
  return creg::fuzz::try_read(data, size, [&](creg::Bytes bytes) {
    if (!creg::is_zip(bytes)) {
      const auto frames = creg::fuzz::split_frames(bytes.text(), keys.size());
      bytes = creg::Bytes::from_string(creg::fuzz::pack_npz(keys, frames), "input");
    }
    creg::read_gnn_benchmark(context, bytes);
  });
}
