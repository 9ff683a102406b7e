// Gloo writes to connections that may be closed by then, and would end the process by SIGPIPE. Its
// handling is the program's; here the signal is held back from threads while they use Gloo.
#pragma once

#include <csignal>

namespace creg {

/// Holds SIGPIPE back from this thread, and from those that it starts, while it lives.
class NoSigpipe {
 public:
  NoSigpipe();
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;
  ~NoSigpipe();

 private:
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace creg
