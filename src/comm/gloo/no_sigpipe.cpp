#include "comm/gloo/no_sigpipe.h"

#include <ctime>

namespace creg {
namespace {

sigset_t pipe_alone() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool is_pending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

NoSigpipe::NoSigpipe() : was_pending_(is_pending()) {
  const sigset_t pipe = pipe_alone();
  pthread_sigmask(SIG_BLOCK, &pipe, &before_);
}

NoSigpipe::~NoSigpipe() {
  // One that came meanwhile is taken off: it would arrive now.
  if (!was_pending_ && sigismember(&before_, SIGPIPE) == 0 && is_pending()) {
    const sigset_t pipe = pipe_alone();
    const timespec at_once{};
    sigtimedwait(&pipe, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace creg
