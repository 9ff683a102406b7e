#include "creg/io/scratch_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg {
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
}  // namespace creg
