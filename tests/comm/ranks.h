// Real processes as ranks, for a test.
#pragma once

#include <functional>
#include <vector>

#include "comm/communicator.h"

namespace creg::test {

/// A port of this host that nobody listens at.
int free_port();

/// Takes connections to a port of this host and says nothing, as a frozen process does.
class SilentServer {
 public:
  SilentServer();
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  ~SilentServer();
  int port() const { return port_; }

 private:
  int descriptor_;
  int port_;
};

/// The launch of a rank on this host.
RankLaunch local_launch(int rank, int size, int port);

/// How a process ended: its exit status, or minus the signal.
using Ends = std::vector<int>;

/// Runs `body` in `size` processes and waits for them. A process fails, with status 1, where an
/// expectation did. What it throws is printed, with status 3.
Ends run_ranks(int size, const std::function<void(const RankLaunch&)>& body);

/// The same with communicators that meet and part; expects that all end well.
void on_ranks(int size, const CommunicatorOptions& options,
              const std::function<void(Communicator&)>& body);

}  // namespace creg::test
