// Input: the eight files as frames, in the order of PlanetoidFiles.
#include "io/formats/planetoid.h"

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const creg::Context context({.threads = 1});
  return creg::fuzz::try_read(data, size, [](const creg::Bytes& bytes) {
    constexpr std::size_t files = 8;
    const auto frames = creg::fuzz::split_frames(bytes.text(), files);
    const auto file = [&](std::size_t i) {
      return creg::Bytes::from_string(frames[i], "input " + std::to_string(i));
    };
    creg::read_planetoid(context,
                         {.x = file(0),
                          .y = file(1),
                          .tx = file(2),
                          .ty = file(3),
                          .allx = file(4),
                          .ally = file(5),
                          .graph = file(6),
                          .test_index = file(7)},
                         "fuzz");
  });
}
