#include "io/seed_folders.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace creg::seed_folders_test {
namespace {

TEST(SeedFolders, AreFoundByTheirNumbersAndInTheirOrder) {
  const test::TempDir dir;
  for (const char* name : {"seed-10/a", "seed-2/a", "seed-0/a", "seed-/a", "seed-x1/a", "seed-1x/a",
                           "seeds/a", "other-3/a", "seed-5"}) {
    dir.write(name, "");
  }
  EXPECT_EQ(seed_folders(dir.path()),
            (std::vector<std::filesystem::path>{dir / "seed-0", dir / "seed-2", dir / "seed-10"}));
  EXPECT_TRUE(seed_folders(dir / "seed-5").empty()) << "a file";
  EXPECT_TRUE(seed_folders(dir / "nothing").empty());
}

TEST(SeedFolders, AreToldByTheirNames) {
  EXPECT_TRUE(is_numbered("run/seed-0", "seed-"));
  EXPECT_TRUE(is_numbered("split-12", "split-"));
  for (const char* other : {"seed-", "seed-x", "seed-1x", "seed-0/a", "split-1", "xseed-1"}) {
    EXPECT_FALSE(is_numbered(other, "seed-")) << other;
  }
}

}  // namespace
}  // namespace creg::seed_folders_test
