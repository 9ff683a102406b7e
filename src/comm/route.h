// Who this host is to others, and by which of its addresses they see it.
#pragma once

#include <optional>
#include <string>

namespace creg {

/// The name of this host.
std::string host_name();

/// The same for processes that see each other on the loopback interface, and for them alone.
std::string host_identity();

/// The addresses at both ends of the way to a host.
struct Route {
  std::string from;  ///< the address of this host that others on the way see
  std::string to;    ///< the host's own
  bool loopback = false;
};

/// The way to `host` by the system's table of routes; nothing is sent. An environment error where
/// the name means nothing or there is no way.
Route route_to(const std::string& host);

/// Whether somebody listens at this port of the host; false where that takes longer than a second.
bool answers(const std::string& host, int port);

/// Ends this process's connections to that port of the host: what waits for an answer there fails.
void end_connections_to(const std::string& host, int port);

/// Whether this host has that address.
bool is_own_address(const std::string& address);

}  // namespace creg
