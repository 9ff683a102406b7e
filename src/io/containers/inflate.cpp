#include "io/containers/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/core/context.h"
#include "creg/core/error.h"

namespace creg {

struct Inflater::State {
  Bytes input;
  Compression form = Compression::gzip;
  z_stream stream{};
  std::int64_t offset = 0;  // input handed to zlib so far
  bool finished = false;

  std::int64_t consumed() const { return offset - static_cast<std::int64_t>(stream.avail_in); }

  [[noreturn]] void fail(std::string what) const {
    fail_input({.what = std::move(what),
                .file = input.name,
                .place = "compressed byte " + std::to_string(consumed()),
                .hint = "the file is damaged or cut off: get it again"});
  }

  void refill() {
    if (stream.avail_in > 0 || offset == input.size()) return;
    const std::int64_t piece =
        std::min<std::int64_t>(input.size() - offset, std::numeric_limits<uInt>::max());
    // zlib's interface is not const-correct; it does not write to its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data.data() + offset));
    stream.avail_in = static_cast<uInt>(piece);
    offset += piece;
  }
};

Inflater::Inflater(Bytes input, Compression form) : state_(std::make_unique<State>()) {
  state_->input = std::move(input);
  state_->form = form;
  constexpr int window_bits = 15;
  constexpr int gzip_wrapper = 16;
  const int bits = form == Compression::gzip ? window_bits + gzip_wrapper : -window_bits;
  invariant(inflateInit2(&state_->stream, bits) == Z_OK, "zlib starts");
}

Inflater::~Inflater() {
  inflateEnd(&state_->stream);
}

bool Inflater::finished() const {
  return state_->finished;
}

std::int64_t Inflater::consumed() const {
  return state_->consumed();
}

std::size_t Inflater::read(std::span<std::byte> out) {
  State& s = *state_;
  std::size_t filled = 0;
  while (filled < out.size() && !s.finished) {
    s.refill();
    const std::size_t room =
        std::min<std::size_t>(out.size() - filled, std::numeric_limits<uInt>::max());
    s.stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    s.stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&s.stream, Z_NO_FLUSH);
    filled += room - s.stream.avail_out;
    if (status == Z_STREAM_END) {
      // A gzip file may hold several members one after the other.
      const bool more = s.consumed() < s.input.size();
      if (s.form == Compression::gzip && more) {
        if (inflateReset(&s.stream) != Z_OK) s.fail("cannot go on after a gzip member");
      } else {
        s.finished = true;
      }
    } else if (status == Z_BUF_ERROR && s.consumed() == s.input.size()) {
      s.fail("compressed data end too early");
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      s.fail(s.stream.msg != nullptr ? std::string("damaged compressed data: ") + s.stream.msg
                                     : "damaged compressed data");
    }
  }
  return filled;
}

bool is_gzip(const Bytes& bytes) {
  return bytes.size() >= 2 && bytes.data[0] == std::byte{0x1f} && bytes.data[1] == std::byte{0x8b};
}

std::int64_t default_read_limit() {
  return physical_memory();
}

}  // namespace creg
