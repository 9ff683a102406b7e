#include "ops/tensor_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>
#include <torch/types.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#ifdef CREG_HAS_CUDA
#include <c10/cuda/CUDACachingAllocator.h>

#include "ops/device.h"
#endif

#include "ops/torch_compat.h"

namespace creg {
namespace {

constexpr std::size_t header_bytes = 64;  // keeps the data aligned for the widest vectors
constexpr std::size_t large_bytes = std::size_t{1} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;

struct Header {
  std::size_t total;  // header included; what the block was taken with
  std::size_t asked;
  bool mapped;  // taken by mmap, else by aligned_alloc
};

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// One per process, because the allocator of tensors is one per process; never destroyed, because
/// tensors may outlive everything.
class Memory {
 public:
  static Memory& instance() {
    static Memory* const memory = new Memory();  // NOLINT: lives as long as the process
    return *memory;
  }

  void* take(std::size_t asked) {
    const std::size_t bytes = asked + header_bytes;
    const bool mapped = bytes >= large_bytes && plain_.load(std::memory_order_relaxed) == 0;
    const std::size_t total = round_up(bytes, mapped ? huge_page : header_bytes);
    void* block = mapped ? take_large(total) : std::aligned_alloc(header_bytes, total);
    if (block == nullptr) throw std::bad_alloc();
    *static_cast<Header*>(block) = {total, asked, mapped};
    const std::int64_t live =
        live_.fetch_add(static_cast<std::int64_t>(asked)) + static_cast<std::int64_t>(asked);
    std::int64_t peak = peak_.load();
    while (live > peak && !peak_.compare_exchange_weak(peak, live)) {
    }
    return block;
  }

  void give(void* block) {
    const Header header = *static_cast<Header*>(block);
    live_.fetch_sub(static_cast<std::int64_t>(header.asked));
    if (!header.mapped) {
      std::free(block);  // NOLINT(cppcoreguidelines-no-malloc): pairs with aligned_alloc
      return;
    }
    if (plain_.load(std::memory_order_relaxed) > 0) {
      munmap(block, header.total);
      return;
    }
    const std::lock_guard lock(mutex_);
    free_[header.total].push_back(block);
    kept_ += static_cast<std::int64_t>(header.total);
  }

  void release() {
    const std::lock_guard lock(mutex_);
    for (const auto& [total, blocks] : free_) {
      for (void* block : blocks) munmap(block, total);
    }
    free_.clear();
    kept_ = 0;
  }

  TensorMemory figures() {
    const std::lock_guard lock(mutex_);
    return {live_.load(), peak_.load(), kept_};
  }
  void reset_peak() { peak_.store(live_.load()); }
  void count_plain(int change) { plain_.fetch_add(change); }

 private:
  Memory() = default;

  void* take_large(std::size_t total) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = free_.find(total);
      if (found != free_.end() && !found->second.empty()) {
        void* const block = found->second.back();
        found->second.pop_back();
        kept_ -= static_cast<std::int64_t>(total);
        return block;
      }
    }
    void* block = map(total);
    if (block == nullptr) {
      // What is kept for other sizes may be what is missing here.
      release();
      block = map(total);
    }
    return block;
  }

  static void* map(std::size_t total) {
    // Huge pages spare the address translation of gathers that jump through the array; they need
    // an aligned start, so take one page more and give the ends back.
    void* const raw = mmap(nullptr, total + huge_page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    const auto start = reinterpret_cast<std::uintptr_t>(raw);
    const std::uintptr_t aligned = round_up(start, huge_page);
    if (aligned > start) munmap(raw, aligned - start);
    const std::size_t behind = start + huge_page - aligned;
    if (behind > 0) munmap(reinterpret_cast<void*>(aligned + total), behind);
    void* const block = reinterpret_cast<void*>(aligned);
    madvise(block, total, MADV_HUGEPAGE);
    return block;
  }

  std::atomic<std::int64_t> live_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<int> plain_{0};  // how many PlainTensorMemory live
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;
  std::int64_t kept_ = 0;
};

void give_block(void* block) {
  Memory::instance().give(block);
}

class TensorAllocator final : public compat::Allocator {
 public:
  c10::DataPtr take(std::size_t bytes) const override {
    if (bytes == 0) return {nullptr, nullptr, &c10::detail::deleteNothing, c10::DeviceType::CPU};
    void* const block = Memory::instance().take(bytes);
    return {static_cast<char*>(block) + header_bytes, block, &give_block, c10::DeviceType::CPU};
  }
};

}  // namespace

void install_tensor_memory() {
  static TensorAllocator* const allocator = [] {
    auto* made = new TensorAllocator();  // NOLINT: torch keeps the pointer for good
    c10::SetCPUAllocator(made, 1);
    return made;
  }();
  (void)allocator;
}

TensorMemory tensor_memory() {
  return Memory::instance().figures();
}
void reset_peak_tensor_memory() {
  Memory::instance().reset_peak();
}
void release_kept_tensor_memory() {
  Memory::instance().release();
}

TensorMemory device_memory([[maybe_unused]] const Context& context) {
#ifdef CREG_HAS_CUDA
  if (const c10::Device device = device_of(context); device.is_cuda()) {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
    // The first of each is over all its pools.
    const auto& taken = stats.allocated_bytes[0];
    return {.live_bytes = taken.current,
            .peak_bytes = taken.peak,
            .kept_bytes = stats.reserved_bytes[0].current - taken.current};
  }
#endif
  return {};
}

void reset_peak_device_memory([[maybe_unused]] const Context& context) {
#ifdef CREG_HAS_CUDA
  if (const c10::Device device = device_of(context); device.is_cuda()) {
    c10::cuda::CUDACachingAllocator::resetPeakStats(device.index());
  }
#endif
}

PlainTensorMemory::PlainTensorMemory() {
  Memory::instance().count_plain(1);
}
PlainTensorMemory::~PlainTensorMemory() {
  Memory::instance().count_plain(-1);
}

}  // namespace creg
