#include "ops/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <system_error>

#include "support/expect_error.h"

namespace creg::runtime_test {
namespace {

TEST(TorchRuntime, SaysWhatIsThere) {
  const TorchRuntime runtime = torch_runtime();
  EXPECT_FALSE(runtime.version.empty());
  EXPECT_FALSE(runtime.blas.empty());
  ASSERT_FALSE(runtime.devices.empty());
  EXPECT_EQ(runtime.devices[0], "cpu");
}

TEST(TorchRuntime, WithoutGpusIsTheSameLibrary) {
  const TorchRuntime runtime = torch_without_gpus();
  EXPECT_EQ(runtime.version, torch_runtime().version);
  EXPECT_EQ(runtime.blas, torch_runtime().blas);
  EXPECT_TRUE(runtime.gpus.found.empty());
  EXPECT_EQ(runtime.devices, std::vector<std::string>{"cpu"});
}

TEST(TorchRuntime, AGpuThatIsNotThereTellsNoFreeMemory) {
  EXPECT_FALSE(free_on_gpu(99).has_value());
}

TEST(TorchRuntime, BetterKernelsAreThoseOfTheInstructionSet) {
  EXPECT_EQ(better_openblas_kernels("Prescott", "AVX-512"), "SkylakeX");
  EXPECT_EQ(better_openblas_kernels("Prescott", "AVX2"), "Haswell");
  EXPECT_EQ(better_openblas_kernels("Prescott", "x86-64 baseline"), "");
  for (const char* kernels : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"}) {
    EXPECT_EQ(better_openblas_kernels(kernels, "AVX-512"), "") << kernels;
  }
}

TEST(PrepareTorch, ThreadsFollowTheContext) {
  for (const int threads : {2, 1}) {
    prepare_torch(Context({.threads = threads}));
    EXPECT_EQ(at::get_num_threads(), threads);
  }
}

TEST(PrepareTorch, ProductsOnAGpuAreAsExactAsTheContextSays) {
  for (const Precision precision : {Precision::tf32, Precision::bf16, Precision::fp32}) {
    prepare_torch(Context({.precision = precision, .threads = 1}));
    EXPECT_EQ(at::globalContext().allowTF32CuBLAS(), precision != Precision::fp32);
  }
}

// libtorch's loops are templates: without OpenMP's flag they compile to one thread, silently.
TEST(PrepareTorch, LoopsRunOnSeveralThreads) {
  prepare_torch(Context({.threads = 2}));
  std::atomic<int> seen{0};
  at::parallel_for(0, 2, 1, [&](std::int64_t /*begin*/, std::int64_t /*end*/) {
    seen |= 1 << at::get_thread_num();
  });
  EXPECT_EQ(seen, 3);
}

TEST(PrepareTorch, RefusesADeviceThatIsNotThere) {
  const Context context({.device = {.type = DeviceType::cuda, .index = 99}});
  test::expect_error([&] { prepare_torch(context); }, {"--device", "found cuda:99", "cpu"});
}

/// PyTorch's own libtorch exports a std::filesystem that crashes; the order of linking avoids it.
TEST(TorchRuntime, TheStandardLibraryIsNotLibtorchsCopy) {
  using RemoveAll = std::uintmax_t (*)(const std::filesystem::path&, std::error_code&);
  const RemoveAll remove_all = &std::filesystem::remove_all;
  Dl_info where{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(remove_all), &where), 0);
  EXPECT_FALSE(std::filesystem::path(where.dli_fname).filename().string().starts_with("libtorch"))
      << where.dli_fname;
}

}  // namespace
}  // namespace creg::runtime_test
