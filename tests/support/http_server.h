// A small HTTP/1.1 server on the loopback interface that serves a folder, with faults to order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace creg::test {

/// What goes wrong, for every response unless it says how often.
struct HttpFaults {
  bool ranges = true;  ///< false: Range is ignored, the answer is always 200
  bool etags = false;  ///< responses carry an ETag, and If-Range is honoured
  int refusals = 0;    ///< the next so many requests are answered by `refusal_status`
  int refusal_status = 500;
  int cuts = 0;                       ///< the next so many bodies end, with the connection, …
  std::int64_t cut_after = 0;         ///< … after so many bytes
  int stalls = 0;                     ///< the next so many bodies stop after `cut_after` bytes and
                                      ///< the connection stays open
  std::int64_t bytes_per_second = 0;  ///< 0: as fast as it goes
  bool wrong_bytes = false;           ///< every body has one bit flipped, in its last byte
  std::int64_t length_error = 0;      ///< added to Content-Length
  std::int64_t range_shift = 0;       ///< 206 answers start so many bytes later than asked
};

struct HttpRequestSeen {
  std::string path;
  std::string range;     ///< the Range header, or empty
  std::string if_range;  ///< the If-Range header, or empty
  int status = 0;        ///< what was answered
};

/// Serves from construction to destruction, in threads of its own. `/moved/X` redirects to `/X`.
class HttpServer {
 public:
  explicit HttpServer(std::filesystem::path folder);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// "http://127.0.0.1:PORT", without a trailing '/'.
  std::string url() const;
  void set_faults(const HttpFaults& faults);
  /// Everything asked so far, in order.
  std::vector<HttpRequestSeen> requests() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// An address on which nobody listens.
std::string refused_url();

}  // namespace creg::test
