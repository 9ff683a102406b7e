// Reads the bytes as they are, then with all checksums made right, so that what lies behind them
// is reached.
#include "creg_checksums.h"
#include "fuzz_support.h"
#include "io/creg_file.h"

namespace {

void read_graph(const creg::Bytes& bytes) {
  creg::CregProvenance provenance;
  const creg::Context context({.threads = 1});
  creg::validate(creg::read_creg(context, bytes, &provenance), "accepted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  creg::fuzz::try_read(data, size, read_graph);
  const std::string fixed =
      creg::fuzz::with_right_checksums(std::string(reinterpret_cast<const char*>(data), size));
  return creg::fuzz::try_read(reinterpret_cast<const std::uint8_t*>(fixed.data()), fixed.size(),
                              read_graph);
}
