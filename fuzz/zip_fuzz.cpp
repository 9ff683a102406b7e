#include "io/containers/zip.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return creg::fuzz::try_read(data, size, [](const creg::Bytes& bytes) {
    const creg::ZipArchive zip(bytes);
    for (const creg::ZipMember& member : zip.members()) {
      try {
        zip.read(member);
      } catch (const creg::Error&) {
        continue;  // the next member may be whole
      }
    }
  });
}
