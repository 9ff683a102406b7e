// The TensorBoard file of a run, of which --resume keeps the beginning: as it is, and with records
// whose checksums are right, which a fuzzer does not guess.
#include "io/event_file.h"

#include <bit>

#include "framed.h"
#include "fuzz_support.h"
#include "io/checksum.h"

namespace {

std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(creg::crc32c(std::as_bytes(std::span(bytes))), 15) + 0xa282ead8U;
}

std::string record_of(const std::string& event) {
  std::string record;
  creg::append_little(record, static_cast<std::uint64_t>(event.size()));
  creg::append_little(record, masked_crc(record));
  record += event;
  creg::append_little(record, masked_crc(event));
  return record;
}

void read(std::string_view file) {
  const auto keep = [](std::int64_t step, std::string_view name) {
    return step < 10 && name.size() < 100;
  };
  const std::string kept = creg::kept_events(file, keep);
  if (!file.starts_with(kept)) __builtin_trap();
  // What is kept once is kept again.
  if (creg::kept_events(kept, keep) != kept) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return creg::fuzz::try_read(data, size, [](const creg::Bytes& bytes) {
    read(bytes.text());
    constexpr std::size_t records = 4;
    std::string file = creg::event_file_head(1);
    for (const std::string& event : creg::fuzz::unframe(bytes.text(), records)) {
      if (!event.empty()) file += record_of(event);
    }
    read(file);
  });
}
