#include "io/formats/wikics.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  static const Context context(Context::Options{.threads = 1});
  return fuzz::try_read(data, size, [](const Bytes& bytes) {
    validate(read_wikics(context, bytes, {.allow_empty = true}), bytes.name);
  });
}
