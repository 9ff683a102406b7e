#include "ranks.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

namespace creg::test {

namespace {

int new_socket() {
  return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/// Gives the socket a port that nobody has, and returns it.
int bind_to_free_port(int descriptor) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(descriptor, plain, length), 0);
  EXPECT_EQ(::getsockname(descriptor, plain, &length), 0);
  return ntohs(address.sin_port);
}

}  // namespace

int free_port() {
  const int descriptor = new_socket();
  const int port = bind_to_free_port(descriptor);
  ::close(descriptor);
  return port;
}

SilentServer::SilentServer() : descriptor_(new_socket()), port_(bind_to_free_port(descriptor_)) {
  EXPECT_EQ(::listen(descriptor_, 8), 0);
}

SilentServer::~SilentServer() {
  ::close(descriptor_);
}

RankLaunch local_launch(int rank, int size, int port) {
  RankLaunch launch;
  launch.rank = launch.local_rank = rank;
  launch.size = launch.local_size = size;
  launch.port = port;
  return launch;
}

Ends run_ranks(int size, const std::function<void(const RankLaunch&)>& body) {
  const int port = free_port();
  std::fflush(nullptr);
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) {
      int status = 0;
      try {
        body(local_launch(rank, size, port));
        if (::testing::Test::HasFailure()) status = 1;
      } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        status = 3;
      }
      std::fflush(nullptr);
      ::_exit(status);
    }
    children.push_back(child);
  }
  Ends ends;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ends.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  }
  return ends;
}

void on_ranks(int size, const CommunicatorOptions& options,
              const std::function<void(Communicator&)>& body) {
  const Ends ends = run_ranks(size, [&](const RankLaunch& launch) {
    Communicator communicator(launch, options);
    body(communicator);
    communicator.finish();
  });
  EXPECT_EQ(ends, Ends(static_cast<std::size_t>(size), 0)) << size << " ranks";
}

}  // namespace creg::test
