#include "support/compress.h"

#include <zlib.h>

#include <stdexcept>

namespace creg::test {
namespace {

std::string compress(std::string_view text, int window_bits) {
  z_stream stream{};
  constexpr int memory_level = 8;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib does not start");
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib does not finish");
  return out;
}

}  // namespace

std::string gzip(std::string_view text) {
  return compress(text, 15 + 16);
}
std::string deflate_raw(std::string_view text) {
  return compress(text, -15);
}

}  // namespace creg::test
