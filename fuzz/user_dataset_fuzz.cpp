#include "io/formats/read_user_dataset.h"

#include <array>

#include "framed.h"
#include "fuzz_support.h"

// The TOML text, then the files that it may name: "e", "f", "l" and "s".
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  static const Context context(Context::Options{.threads = 2});
  return fuzz::try_read(data, size, [](const Bytes& bytes) {
    const std::array<std::string, 4> names = {"e", "f", "l", "s"};
    const std::vector<std::string> files = fuzz::unframe(bytes.text(), names.size() + 1);
    const UserDatasetSpec spec =
        parse_user_dataset(Bytes::from_string(files[0], "input.toml"), "folder");
    // As many nodes as a user asks for may well fill the memory.
    constexpr std::int64_t most_nodes = 1 << 16;
    if (spec.nodes.value_or(0) > most_nodes) return;
    const Graph graph = read_user_dataset(context, spec, [&](const std::filesystem::path& path) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (path == std::filesystem::path("folder") / names[i]) {
          return Bytes::from_string(files[i + 1], names[i]);
        }
      }
      fail_input({.what = "no such file", .file = path.string()});
    });
    validate(graph, "input");
  });
}
