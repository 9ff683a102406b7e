#include "support/test_data.h"

#include <cstdlib>

namespace creg::test {

std::optional<std::filesystem::path> real_data() {
  const char* chosen = std::getenv("CREG_TEST_DATA");
  const std::filesystem::path path =
      chosen != nullptr ? std::filesystem::path(chosen)
                        : std::filesystem::path(CREG_SOURCE_DIR) / ".." / "shared" / "data";
  if (!std::filesystem::exists(path / "cora")) return std::nullopt;
  return path;
}

std::filesystem::path source_dir() {
  return CREG_SOURCE_DIR;
}

}  // namespace creg::test
