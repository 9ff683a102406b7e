#include "io/containers/pickle.h"

#include "fuzz_support.h"
#include "io/containers/pickle_numpy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return creg::fuzz::try_read(data, size, [](const creg::Bytes& bytes) {
    const creg::Pickle pickle(bytes);
    try {
      creg::csr_from_pickle(pickle);
    } catch (const creg::Error&) {
      creg::array_from_pickle(pickle, pickle.value(), "array").to_float();
    }
  });
}
