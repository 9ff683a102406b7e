// System calls that a signal may interrupt before they have done anything.
#pragma once

#include <cerrno>

namespace creg {

/// Repeats `call` while it fails by an interruption; -1 and errno for every other failure.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace creg
