// Input: the arrays of both files as frames.
#include "io/formats/reddit.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::string_view, 4> data_keys = {"feature", "label", "node_types",
                                                         "node_ids"};
  constexpr std::array<std::string_view, 7> graph_keys = {"format", "shape", "data", "indices",
                                                          "indptr", "row",   "col"};
  static const creg::Context context({.threads = 1});
  return creg::fuzz::try_read(data, size, [&](const creg::Bytes& bytes) {
    const auto frames =
        creg::fuzz::split_frames(bytes.text(), data_keys.size() + graph_keys.size());
    const std::span<const std::string> all(frames);
    creg::read_reddit(
        context,
        creg::Bytes::from_string(creg::fuzz::pack_npz(data_keys, all.first(data_keys.size())),
                                 "data"),
        creg::Bytes::from_string(creg::fuzz::pack_npz(graph_keys, all.subspan(data_keys.size())),
                                 "graph"));
  });
}
