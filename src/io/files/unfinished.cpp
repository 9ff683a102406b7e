#include "io/files/unfinished.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>

#include "io/unfinished_files.h"

namespace creg {
namespace {

constexpr std::size_t most_files = 64;

enum class WriteState { unused, changing, open, removing };

/// The name is a copy: its owner may go while another thread removes the file.
struct UnfinishedSlot {
  std::atomic<WriteState> state{WriteState::unused};
  std::array<char, PATH_MAX> name{};
};
static_assert(std::atomic<WriteState>::is_always_lock_free);

// A signal handler can reach nothing but a global.
std::array<UnfinishedSlot, most_files>
    unfinished;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

bool move_on(UnfinishedSlot& slot, WriteState from, WriteState to) {
  return slot.state.compare_exchange_strong(from, to);
}

}  // namespace

std::size_t enter_unfinished(std::string_view name) noexcept {
  if (name.size() >= PATH_MAX) return most_files;
  for (std::size_t i = 0; i < unfinished.size(); ++i) {
    if (!move_on(unfinished[i], WriteState::unused, WriteState::changing)) continue;
    unfinished[i].name[name.copy(unfinished[i].name.data(), name.size())] = '\0';
    unfinished[i].state = WriteState::open;
    return i;
  }
  return most_files;
}

void leave_unfinished(std::size_t place) noexcept {
  // One that is being removed at this moment keeps its place: the process is about to end.
  if (place < most_files) move_on(unfinished[place], WriteState::open, WriteState::unused);
}

void remove_unfinished_files() noexcept {
  for (UnfinishedSlot& slot : unfinished) {
    if (move_on(slot, WriteState::open, WriteState::removing)) ::unlink(slot.name.data());
  }
}

}  // namespace creg
