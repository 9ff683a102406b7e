#include "ops/tensor_memory.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

namespace creg::tensor_memory_test {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

at::Tensor bytes(std::int64_t count) {
  return at::empty({count}, at::kByte);
}

bool aligned(const at::Tensor& tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 64 == 0;
}

class TensorMemoryTest : public ::testing::Test {
 protected:
  TensorMemoryTest() {
    install_tensor_memory();
    release_kept_tensor_memory();
    reset_peak_tensor_memory();
    before_ = tensor_memory();
  }
  std::int64_t live() const { return tensor_memory().live_bytes - before_.live_bytes; }
  std::int64_t peak() const { return tensor_memory().peak_bytes - before_.live_bytes; }

  TensorMemory before_;
};

TEST_F(TensorMemoryTest, CountsWhatIsLiveAndTheMostThereWas) {
  EXPECT_EQ(live(), 0);
  at::Tensor small = bytes(1000);
  EXPECT_EQ(live(), 1000);
  at::Tensor large = at::empty({3, mib}, at::kFloat);
  EXPECT_EQ(live(), 1000 + 12 * mib);
  const at::Tensor view = large.slice(0, 1);  // nothing new
  EXPECT_EQ(live(), 1000 + 12 * mib);
  large.reset();
  EXPECT_EQ(live(), 1000 + 12 * mib) << "the view holds it";
  EXPECT_EQ(peak(), 1000 + 12 * mib);
}

TEST_F(TensorMemoryTest, ThePeakStartsAgainFromWhatIsLive) {
  const at::Tensor kept = bytes(2 * mib);
  bytes(7 * mib).reset();
  EXPECT_EQ(live(), 2 * mib);
  EXPECT_EQ(peak(), 9 * mib);
  reset_peak_tensor_memory();
  EXPECT_EQ(peak(), 2 * mib);
  bytes(mib).reset();
  EXPECT_EQ(peak(), 3 * mib);
}

TEST_F(TensorMemoryTest, AFreedLargeBlockServesTheNextTensorOfItsSize) {
  at::Tensor first = bytes(5 * mib);
  const void* const address = first.data_ptr();
  EXPECT_EQ(tensor_memory().kept_bytes, 0);
  first.reset();
  EXPECT_GE(tensor_memory().kept_bytes, 5 * mib);
  const at::Tensor second = bytes(5 * mib);
  EXPECT_EQ(second.data_ptr(), address);
  EXPECT_EQ(tensor_memory().kept_bytes, 0);
  // Another one while that is in use, and one of another size, cannot have it.
  const at::Tensor third = bytes(5 * mib);
  EXPECT_NE(third.data_ptr(), address);
  EXPECT_EQ(live(), 10 * mib);
}

/// Pages of this process's address space, the first number of statm.
std::int64_t mapped_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t pages = 0;
  statm >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

/// What is mapped to have an aligned start is given back at both ends: a tensor of five MiB takes
/// three huge pages and no more.
TEST_F(TensorMemoryTest, ABlockTakesNoMoreAddressesThanItsPages) {
  std::vector<at::Tensor> tensors(20);
  const std::int64_t before = mapped_bytes();
  for (at::Tensor& tensor : tensors) tensor = bytes(5 * mib);
  const std::int64_t grown = mapped_bytes() - before;
  EXPECT_GE(grown, 20 * 6 * mib);
  EXPECT_LT(grown, 20 * 6 * mib + 8 * mib);
}

TEST_F(TensorMemoryTest, OtherSizesDoNotTakeAKeptBlock) {
  bytes(5 * mib).reset();
  const std::int64_t kept = tensor_memory().kept_bytes;
  const at::Tensor larger = bytes(9 * mib);
  const at::Tensor smaller = bytes(2 * mib);
  EXPECT_EQ(tensor_memory().kept_bytes, kept);
}

TEST_F(TensorMemoryTest, SmallBlocksAreNotKept) {
  bytes(1000).reset();
  bytes(mib / 2).reset();
  EXPECT_EQ(tensor_memory().kept_bytes, 0);
}

TEST_F(TensorMemoryTest, ReleaseGivesKeptBlocksBackAndLeavesTensorsAlone) {
  at::Tensor alive = at::full({2 * mib}, 7, at::kByte);
  bytes(2 * mib).reset();
  EXPECT_GT(tensor_memory().kept_bytes, 0);
  release_kept_tensor_memory();
  EXPECT_EQ(tensor_memory().kept_bytes, 0);
  EXPECT_EQ(live(), 2 * mib);
  EXPECT_TRUE(alive.eq(7).all().item<bool>());
  alive.reset();  // freed after the release: kept again
  EXPECT_EQ(live(), 0);
  EXPECT_GT(tensor_memory().kept_bytes, 0);
  release_kept_tensor_memory();
  EXPECT_EQ(tensor_memory().kept_bytes, 0);
}

TEST_F(TensorMemoryTest, EveryByteOfEverySizeCanBeWritten) {
  for (const std::int64_t around : {std::int64_t{64}, std::int64_t{4096}, mib, 2 * mib, 4 * mib}) {
    for (const std::int64_t more : {-129, -65, -64, -63, -1, 0, 1, 63, 64, 65}) {
      const std::int64_t count = around + more;
      if (count <= 0) continue;
      const at::Tensor one = at::full({count}, 1, at::kByte);
      const at::Tensor other = at::full({count}, 2, at::kByte);
      EXPECT_TRUE(aligned(one) && aligned(other)) << count;
      EXPECT_EQ(one.sum().item<std::int64_t>(), count);
      EXPECT_EQ(other.sum().item<std::int64_t>(), 2 * count);
    }
  }
  EXPECT_EQ(live(), 0);
}

TEST_F(TensorMemoryTest, EmptyTensorsTakeNothing) {
  const at::Tensor none = at::empty({0, 5}, at::kFloat);
  EXPECT_EQ(none.numel(), 0);
  EXPECT_EQ(none.clone().numel(), 0);
  EXPECT_EQ(at::cat({none, at::ones({2, 5})}).size(0), 2);
  EXPECT_EQ(live(), 0);
}

TEST_F(TensorMemoryTest, GrowingKeepsTheContents) {
  at::Tensor tensor = at::arange(1000, at::kInt);
  tensor.resize_({2 * mib});
  EXPECT_EQ(live(), 8 * mib);
  EXPECT_TRUE(at::equal(tensor.slice(0, 0, 1000), at::arange(1000, at::kInt)));
}

TEST_F(TensorMemoryTest, MoreThanThereIsThrowsAndCountsNothing) {
  EXPECT_ANY_THROW(bytes(std::int64_t{1} << 60));
  EXPECT_EQ(live(), 0);
}

TEST_F(TensorMemoryTest, InstallingAgainChangesNothing) {
  const at::Tensor tensor = bytes(3 * mib);
  install_tensor_memory();
  EXPECT_EQ(live(), 3 * mib);
  const at::Tensor other = bytes(100);
  EXPECT_EQ(live(), 3 * mib + 100);
}

/// Threads take and free blocks of a few sizes, some freed by another thread than took them; every
/// tensor must hold what its owner wrote.
TEST_F(TensorMemoryTest, ManyThreadsAtOnce) {
  constexpr int threads = 4;
  constexpr int rounds = 60;
  std::atomic<int> mixed_up{0};
  std::vector<std::vector<at::Tensor>> handed_over(threads);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      std::vector<at::Tensor> held;
      for (int i = 0; i < rounds; ++i) {
        const std::int64_t count = i % 3 == 0 ? 1000 + i : mib + (i % 2) * 3 * mib;
        at::Tensor tensor = bytes(count);
        const auto mark = static_cast<std::uint8_t>(t * rounds + i);
        auto* const values = tensor.data_ptr<std::uint8_t>();
        values[0] = values[count - 1] = mark;
        held.push_back(tensor);
        if (held.size() > 3) held.erase(held.begin());
        if (i % 20 == 0) handed_over[static_cast<std::size_t>(t)].push_back(tensor);
        if (t == 0 && i % 16 == 0) release_kept_tensor_memory();
        if (values[0] != mark || values[count - 1] != mark) ++mixed_up;
      }
      for (std::size_t h = 0; h < held.size(); ++h) {
        const auto mark = static_cast<std::uint8_t>(t * rounds + rounds - 3 + static_cast<int>(h));
        const auto* const values = held[h].data_ptr<std::uint8_t>();
        if (values[0] != mark || values[held[h].numel() - 1] != mark) ++mixed_up;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(mixed_up, 0);
  std::int64_t handed = 0;
  for (const auto& tensors : handed_over) {
    for (const at::Tensor& tensor : tensors) handed += tensor.numel();
  }
  EXPECT_EQ(live(), handed);
  handed_over.clear();
  EXPECT_EQ(live(), 0);
  EXPECT_GE(peak(), handed);
}

}  // namespace
}  // namespace creg::tensor_memory_test
