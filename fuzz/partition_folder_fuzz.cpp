// A manifest, the owners and a part in frames: as they are, and with all checksums and sizes made
// right, so that what lies behind them is reached.
#include <nlohmann/json.hpp>

#include "creg_checksums.h"
#include "fuzz_support.h"
#include "io/json_text.h"
#include "io/partition_folder.h"

namespace {

using creg::Bytes;

/// What is taken fits together, whatever the bytes were.
void read(const std::string& manifest, const std::string& owners, const std::string& part,
          int rank) {
  using namespace creg;
  static const Context context(Context::Options{.threads = 1});
  try {
    const StoredPart stored = read_part(context, Bytes::from_string(manifest, "partition.json"),
                                        Bytes::from_string(owners, "owners.npy"),
                                        Bytes::from_string(part, "part.creg"), rank);
    const GraphPart& taken = stored.part;
    validate(taken.graph, "taken");
    std::int64_t sum = 0;
    for (const std::int32_t node : taken.nodes) sum += stored.owners[node];
    for (const std::int32_t row : taken.send_nodes) sum += taken.nodes[row];
    for (const std::int32_t owner : taken.halo_owners) {
      sum += taken.send_offsets[owner + 1] - taken.send_offsets[owner];
    }
    invariant(sum >= 0 && taken.halo() == taken.halo_owners.size(), "a part fits together");
  } catch (const Error&) {
    return;
  }
}

std::string fitting_manifest(const std::string& text, const std::string& owners,
                             const std::string& part, int rank) {
  nlohmann::json manifest = creg::parse_json(text);
  if (!manifest.is_object()) return text;
  manifest["owners_bytes"] = owners.size();
  manifest["owners_crc32c"] = creg::crc32c(std::as_bytes(std::span(owners)));
  const auto parts = manifest.find("parts");
  if (parts == manifest.end() || !parts->is_array()) return manifest.dump(-1, ' ', true);
  if (static_cast<std::size_t>(rank) < parts->size() && (*parts)[rank].is_object()) {
    constexpr std::size_t checksum_at = 60;
    (*parts)[rank]["bytes"] = part.size();
    if (part.size() >= checksum_at + sizeof(std::uint32_t)) {
      (*parts)[rank]["checksum"] = creg::fuzz::number_at<std::uint32_t>(part, checksum_at);
    }
  }
  return manifest.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const int rank = data[0] % 4;
  const std::vector<std::string> frames =
      creg::fuzz::split_frames({reinterpret_cast<const char*>(data) + 1, size - 1}, 3);
  read(frames[0], frames[1], frames[2], rank);
  const std::string part = creg::fuzz::with_right_checksums(frames[2]);
  read(fitting_manifest(frames[0], frames[1], part, rank), frames[1], part, rank);
  return 0;
}
