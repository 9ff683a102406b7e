// Reads the bytes as they are, then with all checksums made right, so that what lies behind them
// is reached.
#include <cstring>

#include "fuzz_support.h"
#include "io/checksum.h"
#include "io/creg_file.h"

namespace {

template <class T>
T number_at(const std::string& bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <class T>
void put_number(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

std::string with_right_checksums(std::string bytes) {
  constexpr std::size_t header = 64;
  constexpr std::size_t entry = 64;
  if (bytes.size() < header) return bytes;
  put_number<std::uint64_t>(bytes, 16, bytes.size());
  const auto whole = std::as_bytes(std::span(bytes));
  const std::size_t room = (bytes.size() - header) / entry;
  const auto sections =
      static_cast<std::uint32_t>(std::min<std::size_t>(number_at<std::uint32_t>(bytes, 12), room));
  put_number(bytes, 12, sections);
  for (std::size_t at = header; at < header + sections * entry; at += entry) {
    const auto offset = number_at<std::uint64_t>(bytes, at + 16);
    const auto size = number_at<std::uint64_t>(bytes, at + 24);
    if (offset > bytes.size() || size > bytes.size() - offset) continue;
    put_number(bytes, at + 40, creg::crc32c(whole.subspan(offset, size)));
  }
  put_number<std::uint32_t>(bytes, 60, 0);
  put_number(bytes, 60, creg::crc32c(whole.first(header + sections * entry)));
  return bytes;
}

void read_graph(const creg::Bytes& bytes) {
  creg::CregProvenance provenance;
  const creg::Context context({.threads = 1});
  creg::validate(creg::read_creg(context, bytes, &provenance), "accepted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  creg::fuzz::try_read(data, size, read_graph);
  const std::string fixed =
      with_right_checksums(std::string(reinterpret_cast<const char*>(data), size));
  return creg::fuzz::try_read(reinterpret_cast<const std::uint8_t*>(fixed.data()), fixed.size(),
                              read_graph);
}
