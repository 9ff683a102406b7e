#include "io/scratch_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::scratch_file_test {
namespace {

TEST(ScratchFile, HoldsWhatIsWrittenAndLeavesNoName) {
  const test::TempDir folder;
  {
    const ScratchFile file(folder.path(), 5000);
    ASSERT_EQ(file.size(), 5000);
    EXPECT_EQ(static_cast<int>(file.data()[4999]), 0);
    std::memset(file.data(), 7, 5000);
    EXPECT_EQ(static_cast<int>(file.data()[4999]), 7);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ScratchFile, BytesSetAsideKeepTheirValues) {
  const test::TempDir folder;
  const ScratchFile file(folder.path(), 50000);
  for (std::int64_t i = 0; i < 50000; ++i) file.data()[i] = static_cast<std::byte>(i % 251);
  file.set_aside(0, 50000);
  file.set_aside(5000, 20000);
  file.set_aside(7, 3);
  for (std::int64_t i = 0; i < 50000; ++i) {
    ASSERT_EQ(file.data()[i], static_cast<std::byte>(i % 251)) << i;
  }
}

TEST(ScratchFile, NothingNeedsNoFile) {
  const ScratchFile file("/no/such/folder", 0);
  EXPECT_EQ(file.data(), nullptr);
}

TEST(ScratchFile, AFolderThatIsNotThereAndADiskTooSmallAreErrors) {
  test::expect_error([] { ScratchFile("/no/such/folder", 10); }, {"scratch", "/no/such/folder"},
                     ErrorKind::environment);
  const test::TempDir folder;
  test::expect_error([&] { ScratchFile(folder.path(), std::int64_t{1} << 60); },
                     {"scratch space", folder.path().string()}, ErrorKind::environment);
}

}  // namespace
}  // namespace creg::scratch_file_test
