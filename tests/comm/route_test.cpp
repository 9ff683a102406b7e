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
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  EXPECT_TRUE(answers("localhost", port));
  ::close(listener);
}

TEST(Route, AHostIsItself) {
  EXPECT_EQ(host_identity(), host_identity());
  EXPECT_FALSE(host_name().empty());
}

}  // namespace creg::route_test
