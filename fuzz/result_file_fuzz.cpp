// result.json of a run, as --collect and reports read it.
#include "run/result_file.h"

#include <cmath>

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return creg::fuzz::try_read(data, size, [](const creg::Bytes& bytes) {
    const auto result = creg::ResultFile::read(bytes);
    if (!result) return;
    for (const double value : result->values("accuracy")) {
      if (!std::isfinite(value)) __builtin_trap();
    }
    if (result->count("threads") < 0 || !(result->seconds() >= 0)) __builtin_trap();
    static_cast<void>(result->text("version"));
  });
}
