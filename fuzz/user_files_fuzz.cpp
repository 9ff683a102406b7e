// Files of any kind, which creg init looks at: the first byte chooses the name, which has a say.
#include "io/user_files.h"

#include <unistd.h>

#include <array>
#include <fstream>

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  // It looks at files alone.
  static const std::filesystem::path folder = [] {
    std::string name = (std::filesystem::temp_directory_path() / "creg-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) __builtin_trap();
    return name;
  }();
  static const std::array<const char*, 6> names = {"edges.csv", "features.csv", "labels.npy",
                                                   "a.npz",     "split.json",   "x"};
  if (size == 0) return 0;
  return fuzz::try_read(data + 1, size - 1, [&](const Bytes& bytes) {
    const std::filesystem::path path = folder / names.at(data[0] % names.size());
    std::ofstream(path, std::ios::binary) << bytes.text();
    const UserFile file = look_at_user_file(path);
    describe_user_dataset({.edges = file.path}, {.edges = file.what}, folder);
  });
}
