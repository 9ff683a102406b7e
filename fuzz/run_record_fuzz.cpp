// config.toml of a run, as --resume, eval and embed read it.
#include "run/run_record.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return creg::fuzz::try_read(data, size, [](const creg::Bytes& bytes) {
    const creg::RunRecord record = creg::read_record(bytes);
    if (record.seeds < 0 || record.threads < 0 || record.calibrate < 0) __builtin_trap();
  });
}
