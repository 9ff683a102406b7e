#include "creg/ops/runtime.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace creg {
namespace {

TEST(TorchRuntime, SaysWhatIsThere) {
  const TorchRuntime runtime = torch_runtime();
  EXPECT_FALSE(runtime.version.empty());
  EXPECT_FALSE(runtime.blas.empty());
  ASSERT_FALSE(runtime.devices.empty());
  EXPECT_EQ(runtime.devices[0], "cpu");
}

TEST(PrepareTorch, ThreadsFollowTheContext) {
  for (const int threads : {2, 1}) {
    prepare_torch(Context({.threads = threads}));
    EXPECT_EQ(at::get_num_threads(), threads);
  }
}

TEST(PrepareTorch, RefusesADeviceThatIsNotThere) {
  const Context context({.device = {.type = DeviceType::cuda, .index = 99}});
  test::expect_error([&] { prepare_torch(context); }, {"--device", "found cuda:99", "cpu"});
}

}  // namespace
}  // namespace creg
