#include "comm/route.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>

#include "creg/core/error.h"

namespace creg {
namespace {

/// A socket that sends nothing.
class Probe {
 public:
  explicit Probe(int family, int type = SOCK_DGRAM)
      : descriptor_(::socket(family, type | SOCK_CLOEXEC, 0)) {}
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses addresses_of(const std::string& host, int flags, std::string& reason) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), "9", &hints, &found);
  if (error != 0) reason = ::gai_strerror(error);
  return {found, ::freeaddrinfo};
}

std::string text_of(const sockaddr* address, socklen_t length) {
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return {};
  }
  return text.data();
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

std::string host_identity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  // Containers and network namespaces of a machine have loopback interfaces of their own.
  struct stat network {};
  if (::stat("/proc/self/ns/net", &network) != 0) return host_name() + boot;
  return boot + "/" + std::to_string(network.st_ino);
}

Route route_to(const std::string& host) {
  std::string reason = "no address";
  const Addresses addresses = addresses_of(host, 0, reason);
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
    const Probe probe(one->ai_family);
    if (probe.descriptor() < 0) continue;
    sockaddr_storage own{};
    socklen_t length = sizeof(own);
    auto* const own_address = reinterpret_cast<sockaddr*>(&own);
    if (::connect(probe.descriptor(), one->ai_addr, one->ai_addrlen) != 0 ||
        ::getsockname(probe.descriptor(), own_address, &length) != 0) {
      reason = std::generic_category().message(errno);
      continue;
    }
    Route route{.from = text_of(own_address, length), .to = text_of(one->ai_addr, one->ai_addrlen)};
    route.loopback = is_loopback(route.to);
    return route;
  }
  fail_environment({.what = "no way to the host of rank 0: " + reason,
                    .file = "MASTER_ADDR",
                    .found = host,
                    .hint = "a name or an address that every rank can reach"});
}

bool answers(const std::string& host, int port) {
  std::string reason;
  const Addresses addresses = addresses_of(host, 0, reason);
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
    const Probe probe(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK);
    if (probe.descriptor() < 0) continue;
    // The port stands at the same place in the addresses of both families.
    reinterpret_cast<sockaddr_in*>(one->ai_addr)->sin_port =
        htons(static_cast<std::uint16_t>(port));
    if (::connect(probe.descriptor(), one->ai_addr, one->ai_addrlen) == 0) return true;
    if (errno != EINPROGRESS) continue;
    pollfd waited{.fd = probe.descriptor(), .events = POLLOUT, .revents = 0};
    if (::poll(&waited, 1, 1000) != 1) continue;
    int error = 0;
    socklen_t length = sizeof(error);
    ::getsockopt(probe.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error == 0) return true;
  }
  return false;
}

void end_connections_to(const std::string& host, int port) {
  std::string reason;
  std::set<std::string> wanted;
  const Addresses addresses = addresses_of(host, 0, reason);
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
    wanted.insert(text_of(one->ai_addr, one->ai_addrlen));
  }
  constexpr std::string_view mapped = "::ffff:";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::string name = entry.path().filename().string();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    sockaddr_storage peer{};
    socklen_t length = sizeof(peer);
    auto* const address = reinterpret_cast<sockaddr*>(&peer);
    if (::getpeername(descriptor, address, &length) != 0) continue;
    if (peer.ss_family != AF_INET && peer.ss_family != AF_INET6) continue;
    // The port stands at the same place in the addresses of both families.
    const int peer_port = ntohs(reinterpret_cast<const sockaddr_in*>(&peer)->sin_port);
    std::string text = text_of(address, length);
    // An address of the older family in a socket for both.
    if (text.starts_with(mapped)) text.erase(0, mapped.size());
    if (peer_port == port && wanted.count(text) > 0) ::shutdown(descriptor, SHUT_RDWR);
  }
}

bool is_own_address(const std::string& address) {
  std::string reason;
  const Addresses addresses = addresses_of(address, AI_NUMERICHOST, reason);
  if (!addresses) return false;
  const Probe probe(addresses->ai_family);
  auto* const wanted = reinterpret_cast<sockaddr_in*>(addresses->ai_addr);
  // Any free port will do.
  wanted->sin_port = 0;
  return ::bind(probe.descriptor(), addresses->ai_addr, addresses->ai_addrlen) == 0;
}

}  // namespace creg
