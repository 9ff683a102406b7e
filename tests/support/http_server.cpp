#include "support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "support/temp_dir.h"

namespace creg::test {
namespace {

constexpr int poll_ms = 20;

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {
    if (fd_ < 0) throw std::runtime_error("no socket");
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { ::close(fd_); }
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// Binds to a free port of the loopback interface and returns it.
int bind_to_loopback(const Socket& socket) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.fd(), generic, size) != 0 || ::getsockname(socket.fd(), generic, &size) != 0) {
    throw std::runtime_error("cannot bind to the loopback interface");
  }
  return ntohs(address.sin_port);
}

std::string header_value(const std::string& head, const std::string& name) {
  const std::size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const std::size_t start = at + name.size() + 4;
  return head.substr(start, head.find("\r\n", start) - start);
}

bool wait_readable(int fd, const std::atomic<bool>& stop) {
  while (!stop) {
    pollfd waited{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&waited, 1, poll_ms) > 0) return true;
  }
  return false;
}

std::optional<std::string> read_head(int fd, const std::atomic<bool>& stop) {
  std::string head;
  while (head.find("\r\n\r\n") == std::string::npos) {
    char piece[4096];
    if (!wait_readable(fd, stop)) return std::nullopt;
    const ssize_t got = ::recv(fd, piece, sizeof(piece), 0);
    if (got <= 0) return std::nullopt;
    head.append(piece, static_cast<std::size_t>(got));
  }
  return head;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string etag_of(const std::string& body) {
  return "\"" + std::to_string(std::hash<std::string>()(body)) + "\"";
}

}  // namespace

struct HttpServer::State {
  std::filesystem::path folder;
  Socket listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port = 0;
  std::atomic<bool> stop{false};
  mutable std::mutex mutex;
  HttpFaults faults;                     // guarded by mutex
  std::vector<HttpRequestSeen> seen;     // guarded by mutex
  std::vector<std::thread> connections;  // touched by the accepting thread alone until it ends
  std::thread accepting;

  /// The faults for one response; those that happen a few times only are used up.
  HttpFaults take_faults() {
    const std::lock_guard guard(mutex);
    const HttpFaults current = faults;
    if (current.refusals > 0) {
      --faults.refusals;
    } else if (current.cuts > 0) {
      --faults.cuts;
    } else if (current.stalls > 0) {
      --faults.stalls;
    }
    return current;
  }

  void remember(HttpRequestSeen request) {
    const std::lock_guard guard(mutex);
    seen.push_back(std::move(request));
  }

  void accept_all() {
    while (wait_readable(listener.fd(), stop)) {
      const int fd = ::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      connections.emplace_back([this, fd] {
        const Socket socket(fd);
        if (const auto head = read_head(fd, stop)) answer(fd, *head);
      });
    }
    for (std::thread& connection : connections) connection.join();
  }

  void answer(int fd, const std::string& head) {
    const std::size_t path_start = head.find(' ') + 1;
    HttpRequestSeen request{
        .path = head.substr(path_start, head.find(' ', path_start) - path_start),
        .range = header_value(head, "Range"),
        .if_range = header_value(head, "If-Range")};
    const HttpFaults f = take_faults();
    std::string body;
    std::string extra;
    constexpr std::string_view moved = "/moved/";
    if (f.refusals > 0) {
      request.status = f.refusal_status;
      body = "<html>an error page</html>";
    } else if (request.path.starts_with(moved)) {
      request.status = 302;
      extra = "Location: /" + request.path.substr(moved.size()) + "\r\n";
      body = "<html>elsewhere</html>";
    } else if (!std::filesystem::is_regular_file(folder / request.path.substr(1))) {
      request.status = 404;
      body = "<html>not here</html>";
    } else {
      body = read_text(folder / request.path.substr(1));
      request.status = 200;
      const std::string tag = etag_of(body);
      if (f.etags) extra += "ETag: " + tag + "\r\n";
      if (f.wrong_bytes && !body.empty()) body.back() = static_cast<char>(body.back() ^ 1);
      const bool same = request.if_range.empty() || request.if_range == tag;
      if (!request.range.empty() && f.ranges && same) apply_range(request, f, body, extra);
    }
    const std::int64_t length = static_cast<std::int64_t>(body.size()) + f.length_error;
    remember(request);
    if (send_all(fd, "HTTP/1.1 " + std::to_string(request.status) + " Whatever\r\n" + extra +
                         "Content-Length: " + std::to_string(length) +
                         "\r\nConnection: close\r\n\r\n")) {
      send_body(fd, body, f);
    }
    // All the client sent is read before closing, so that the close is not a reset.
    ::shutdown(fd, SHUT_WR);
    char rest[256];
    while (wait_readable(fd, stop) && ::recv(fd, rest, sizeof(rest), 0) > 0) {
    }
  }

  static void apply_range(HttpRequestSeen& request, const HttpFaults& f, std::string& body,
                          std::string& extra) {
    const std::string total = std::to_string(body.size());
    const std::size_t start = std::stoull(request.range.substr(std::string("bytes=").size())) +
                              static_cast<std::size_t>(f.range_shift);
    if (start >= body.size()) {
      request.status = 416;
      extra += "Content-Range: bytes */" + total + "\r\n";
      body.clear();
      return;
    }
    request.status = 206;
    extra += "Content-Range: bytes " + std::to_string(start) + "-" +
             std::to_string(body.size() - 1) + "/" + total + "\r\n";
    body.erase(0, start);
  }

  void send_body(int fd, std::string_view body, const HttpFaults& f) const {
    const bool stalls = f.refusals == 0 && f.cuts == 0 && f.stalls > 0;
    const bool cuts = f.refusals == 0 && f.cuts > 0;
    if (cuts || stalls) body = body.substr(0, static_cast<std::size_t>(f.cut_after));
    if (f.bytes_per_second <= 0) {
      send_all(fd, body);
    } else {
      constexpr int slices_per_second = 50;
      const auto slice = static_cast<std::size_t>(
          std::max<std::int64_t>(1, f.bytes_per_second / slices_per_second));
      while (!body.empty() && !stop && send_all(fd, body.substr(0, slice))) {
        body.remove_prefix(std::min(slice, body.size()));
        std::this_thread::sleep_for(std::chrono::milliseconds(1000 / slices_per_second));
      }
    }
    if (stalls) wait_readable(fd, stop);  // until the client hangs up
  }
};

HttpServer::HttpServer(std::filesystem::path folder) : state_(std::make_unique<State>()) {
  state_->folder = std::move(folder);
  state_->port = bind_to_loopback(state_->listener);
  constexpr int waiting_connections = 16;
  if (::listen(state_->listener.fd(), waiting_connections) != 0) {
    throw std::runtime_error("cannot listen");
  }
  state_->accepting = std::thread([state = state_.get()] { state->accept_all(); });
}

HttpServer::~HttpServer() {
  state_->stop = true;
  state_->accepting.join();
}

std::string HttpServer::url() const {
  return "http://127.0.0.1:" + std::to_string(state_->port);
}

void HttpServer::set_faults(const HttpFaults& faults) {
  const std::lock_guard guard(state_->mutex);
  state_->faults = faults;
}

std::vector<HttpRequestSeen> HttpServer::requests() const {
  const std::lock_guard guard(state_->mutex);
  return state_->seen;
}

std::string refused_url() {
  // Bound but not listening, then closed: nobody else is given this port in a hurry.
  const Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return "http://127.0.0.1:" + std::to_string(bind_to_loopback(socket));
}

}  // namespace creg::test
