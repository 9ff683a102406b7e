#include "report/page/packed_names.h"

#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "creg/core/error.h"
#include "report/page/base64.h"

namespace creg::report {

std::string packed_names(const std::vector<std::string>& names) {
  using nlohmann::json;
  std::string text = json(names).dump(-1, ' ', false, json::error_handler_t::replace);
  constexpr int gzip_window = 15 + 16;
  constexpr int memory = 8;
  z_stream stream{};
  const int begun = deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, memory,
                                 Z_DEFAULT_STRATEGY);
  invariant(begun == Z_OK, "zlib begins to compress");
  std::vector<std::uint8_t> bytes(deflateBound(&stream, text.size()));
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = bytes.data();
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int ended = deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  invariant(ended == Z_STREAM_END, "zlib has room for all that it compresses");
  return base64(bytes);
}

}  // namespace creg::report
