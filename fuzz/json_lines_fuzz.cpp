// The logs of a run, metrics.jsonl and calibration.jsonl, as a resumed run reads them.
#include "io/json_lines.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view log(reinterpret_cast<const char*>(data), size);
  const std::string kept = creg::lines_before_epoch(log, 100);
  // Whole lines from the beginning, and nothing else to leave out of them.
  const bool right = log.starts_with(kept) && (kept.empty() || kept.back() == '\n') &&
                     creg::lines_before_epoch(kept, 100) == kept;
  if (!right) __builtin_trap();
  return 0;
}
