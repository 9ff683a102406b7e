#include "comm/route.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "creg/core/error.h"
#include "ranks.h"

namespace creg::route_test {

TEST(Route, ToThisHost) {
  const Route route = route_to("127.0.0.1");
  EXPECT_EQ(route.from, "127.0.0.1");
  EXPECT_EQ(route.to, "127.0.0.1");
  EXPECT_TRUE(route.loopback);
}

TEST(Route, NoSuchHost) {
  try {
    route_to("no-such-host.invalid");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_EQ(error.detail().file, "MASTER_ADDR");
    EXPECT_EQ(error.detail().found, "no-such-host.invalid");
  }
}

TEST(Route, OwnAddresses) {
  EXPECT_TRUE(is_own_address("127.0.0.1"));
  // Kept for documentation: nobody's.
  EXPECT_FALSE(is_own_address("192.0.2.1"));
  EXPECT_FALSE(is_own_address("somewhere"));
}

TEST(Route, WhoListensAnswers) {
  const int port = test::free_port();
  EXPECT_FALSE(answers("127.0.0.1", port));
  EXPECT_FALSE(answers("no-such-host.invalid", port));
  const test::SilentServer server;
  EXPECT_TRUE(answers("localhost", server.port()));
}

TEST(Route, ConnectionsToAHostCanBeEnded) {
  const test::SilentServer server;
  const test::SilentServer other;
  const auto connected_to = [](int port) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    EXPECT_EQ(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return descriptor;
  };
  // As c10d connects: by a socket for both families of addresses.
  const auto mapped_to = [](int port) {
    const int descriptor = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    ::inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
    address.sin6_port = htons(static_cast<std::uint16_t>(port));
    if (::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
      return descriptor;
    }
    ::close(descriptor);
    return -1;
  };
  const int ended = connected_to(server.port());
  const int mapped = mapped_to(server.port());
  const int kept = connected_to(other.port());
  end_connections_to("localhost", server.port());
  char byte = 0;
  EXPECT_EQ(::recv(ended, &byte, 1, MSG_DONTWAIT), 0);
  // A machine may have no sockets of the newer family.
  if (mapped >= 0) {
    EXPECT_EQ(::recv(mapped, &byte, 1, MSG_DONTWAIT), 0);
  }
  // Nothing to be read, and not at its end.
  EXPECT_EQ(::recv(kept, &byte, 1, MSG_DONTWAIT), -1);
  for (const int descriptor : {ended, mapped, kept}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

TEST(Route, AHostIsItself) {
  EXPECT_EQ(host_identity(), host_identity());
  EXPECT_FALSE(host_name().empty());
}

}  // namespace creg::route_test
