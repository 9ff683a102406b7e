#include "kernels/gpus.h"

#include <gtest/gtest.h>

namespace creg::gpus_test {
namespace {

Gpus explained(bool driver_too_old, int driver, const char* visible) {
  Gpus gpus{.cuda = "13.0"};
  explain_no_gpu(gpus, driver_too_old, driver, visible);
  EXPECT_FALSE(gpus.hint.empty());
  return gpus;
}

TEST(Gpus, WhatIsMissingIsNamed) {
  EXPECT_EQ(explained(false, 0, nullptr).problem, "there is no NVIDIA driver");
  const Gpus old = explained(true, 12040, nullptr);
  EXPECT_EQ(old.problem, "the NVIDIA driver serves CUDA up to 12.4, this build is for CUDA 13.0");
  EXPECT_NE(old.hint.find("newer driver"), std::string::npos);
  for (const char* visible : {"", "-1"}) {
    EXPECT_EQ(explained(false, 13000, visible).problem, "CUDA_VISIBLE_DEVICES hides every GPU");
  }
  EXPECT_EQ(explained(false, 13000, nullptr).problem, "CUDA finds no GPU");
  EXPECT_NE(explained(false, 13000, "7").hint.find("'7'"), std::string::npos);
}

TEST(Gpus, WhatCudaSaysIsPassedOn) {
  Gpus gpus{.cuda = "13.0"};
  explain_no_gpu(gpus, false, 13000, nullptr, "system not yet initialized");
  EXPECT_EQ(gpus.problem, "CUDA finds no GPU: system not yet initialized");
}

TEST(Gpus, VersionsAreWrittenAsPeopleDo) {
  EXPECT_EQ(cuda_version(13000), "13.0");
  EXPECT_EQ(cuda_version(12080), "12.8");
}

}  // namespace
}  // namespace creg::gpus_test
