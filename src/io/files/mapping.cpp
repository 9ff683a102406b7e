#include "io/files/mapping.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "io/mapped_files.h"

namespace creg {
namespace {

constexpr std::size_t most_mappings = 1024;

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<const char*> name{nullptr};  // set last and cleared first
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
};
static_assert(std::atomic<const char*>::is_always_lock_free);

// A signal handler can reach nothing but a global.
std::array<Slot, most_mappings>
    slots;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// The number of the slot; most_mappings where none is free.
std::size_t enter(std::span<const std::byte> bytes, const char* name) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    slots[i].begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    slots[i].end = reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size();
    slots[i].name = name;
    return i;
  }
  return most_mappings;
}

void leave(std::size_t slot) {
  if (slot == most_mappings) return;
  slots[slot].name = nullptr;
  slots[slot].taken = false;
}

}  // namespace

Mapping::Mapping(std::span<const std::byte> bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)), slot_(enter(bytes_, name_.c_str())) {}

Mapping::~Mapping() {
  leave(slot_);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

const char* mapped_file_at(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const Slot& slot : slots) {
    const char* const name = slot.name;
    if (name == nullptr) continue;
    if (at >= slot.begin && at < slot.end) return name;
  }
  return nullptr;
}

}  // namespace creg
