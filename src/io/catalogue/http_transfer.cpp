#include "io/catalogue/http_transfer.h"

#include "creg/core/error.h"

#ifdef CREG_HAS_CURL

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "core/build_info.h"
#include "core/text.h"
#include "io/catalogue/http_headers.h"

namespace creg {
namespace {

constexpr int status_ok = 200;
constexpr int status_partial = 206;
constexpr int status_bad_range = 416;
constexpr double stall_bytes_per_second = 16;
constexpr long most_redirects = 20;
constexpr double longest_wait_seconds = 30;

using Handle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using ErrorText = std::array<char, CURL_ERROR_SIZE>;
using HeaderList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// One request. The callbacks run inside libcurl, which exceptions must not cross: they wait in
/// `failure`.
struct Attempt {
  Attempt(const Context& context_in, PartFile& part_in, CURL* handle_in, std::string label_in)
      : context(context_in),
        part(part_in),
        handle(handle_in),
        label(std::move(label_in)),
        asked_from(part_in.size()) {}

  const Context& context;
  PartFile& part;
  CURL* handle;
  std::string label;
  std::int64_t asked_from;
  HttpHeaders headers;
  std::optional<ProgressTask> progress;
  std::exception_ptr failure;
  std::int64_t bytes = 0;
  bool begun = false;
  bool wanted = false;        ///< the body is the file, not an error page
  bool other_piece = false;   ///< the server sent something that does not continue the part
  std::int64_t too_long = 0;  ///< so many bytes are more than there may be
  std::int64_t most_bytes = -1;
  bool interrupted = false;
  bool stalled = false;
  double stall_seconds = 0;
  std::int64_t bytes_before = 0;  ///< when the present watch began
  std::chrono::steady_clock::time_point watch_began = std::chrono::steady_clock::now();

  int status() const {
    long code = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    return static_cast<int>(code);
  }

  /// Looks at the headers before the first byte of the body is kept.
  void begin() {
    begun = true;
    std::int64_t total = -1;
    if (status() == status_ok) {
      curl_off_t length = -1;
      curl_easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
      total = length;
      part.clear();
      // A weak tag does not promise the same bytes.
      part.set_version(headers.etag.starts_with('"') ? headers.etag : "");
    } else if (status() == status_partial) {
      const ContentRange range = parse_content_range(headers.content_range);
      const bool same_version =
          part.version().empty() || headers.etag.empty() || part.version() == headers.etag;
      other_piece = range.start != asked_from || !same_version;
      if (other_piece) return;
      total = range.total;
    } else {
      return;
    }
    wanted = true;
    progress.emplace(context, label, total, "bytes");
    progress->advance(part.size());
  }

  bool receive(std::span<const std::byte> body) {
    if (!begun) begin();
    if (other_piece) return false;
    if (!wanted) return true;
    const auto arrived = static_cast<std::int64_t>(body.size());
    if (most_bytes >= 0 && arrived > most_bytes - part.size()) {
      too_long = part.size() + arrived;
      return false;
    }
    part.append(body);
    bytes += arrived;
    progress->advance(arrived);
    return true;
  }

  /// libcurl's own limit looks at an average over some seconds; this one is as quick as asked.
  bool goes_on() {
    interrupted = context.stopped();
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - watch_began).count();
    if (seconds >= stall_seconds) {
      stalled = static_cast<double>(bytes - bytes_before) < stall_bytes_per_second * seconds;
      bytes_before = bytes;
      watch_began = now;
    }
    return !interrupted && !stalled;
  }
};

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& attempt = *static_cast<Attempt*>(user);
  try {
    const std::span<const char> body(data, size * count);
    return attempt.receive(std::as_bytes(body)) ? body.size() : 0;
  } catch (...) {
    attempt.failure = std::current_exception();
    return 0;
  }
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& attempt = *static_cast<Attempt*>(user);
  try {
    attempt.headers.read_line({data, size * count});
    return size * count;
  } catch (...) {
    attempt.failure = std::current_exception();
    return 0;
  }
}

/// Called about once a second even when nothing arrives, so that Ctrl-C is noticed then too.
int on_tick(void* user, curl_off_t /*total*/, curl_off_t /*now*/, curl_off_t /*up_total*/,
            curl_off_t /*up_now*/) {
  return static_cast<Attempt*>(user)->goes_on() ? 0 : 1;
}

void configure(CURL* handle, const std::string& url, const HttpOptions& options, Attempt& attempt,
               ErrorText& reason) {
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  // A redirect may lead from http to https, never back.
  const char* redirects = url.starts_with("https:") ? "https" : "http,https";
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, redirects);
#else
  const long both = CURLPROTO_HTTP | CURLPROTO_HTTPS;
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS, both);
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS,
                   std::string_view(redirects) == "https" ? CURLPROTO_HTTPS : both);
#endif
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, most_redirects);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, ("creg/" + build_info().version).c_str());
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, static_cast<long>(options.connect_seconds));
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, reason.data());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &attempt);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &attempt);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, on_tick);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &attempt);
  attempt.stall_seconds = options.stall_seconds;
  attempt.most_bytes = options.most_bytes;
}

bool is_unreachable(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
         code == CURLE_COULDNT_CONNECT;
}

bool is_broken_connection(CURLcode code) {
  constexpr std::array codes{
      CURLE_RECV_ERROR, CURLE_SEND_ERROR,   CURLE_PARTIAL_FILE,       CURLE_GOT_NOTHING,
      CURLE_HTTP2,      CURLE_HTTP2_STREAM, CURLE_OPERATION_TIMEDOUT, CURLE_SSL_CONNECT_ERROR};
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool is_passing_trouble(int status) {
  constexpr std::array codes{408, 425, 429, 500, 502, 503, 504};
  return std::find(codes.begin(), codes.end(), status) != codes.end();
}

bool is_not_there(int status) {
  constexpr std::array codes{401, 403, 404, 410};
  return std::find(codes.begin(), codes.end(), status) != codes.end();
}

void wait(const Context& context, double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds slice{50};
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    context.throw_if_stopped();
    std::this_thread::sleep_for(std::min<Clock::duration>(
        slice, std::chrono::duration_cast<Clock::duration>(end - Clock::now())));
  }
}

/// Counts the tries that brought nothing new and waits longer after each.
class Patience {
 public:
  Patience(const HttpOptions& options, std::int64_t size)
      : options_(options), most_(size), wait_seconds_(options.retry_wait_seconds) {}

  /// False when it is time to give up.
  bool try_again(const Context& context, std::int64_t size, const std::string& reason) {
    if (size > most_) {
      most_ = size;
      failures_ = 0;
      wait_seconds_ = options_.retry_wait_seconds;
    }
    if (++failures_ > options_.retries) return false;
    context.log().write(LogLevel::notice,
                        fmt::format("{}; trying again in {} ({} of {})", reason,
                                    human_seconds(wait_seconds_), failures_, options_.retries));
    wait(context, wait_seconds_);
    wait_seconds_ = std::min(wait_seconds_ * 2, longest_wait_seconds);
    return true;
  }

 private:
  const HttpOptions& options_;
  std::int64_t most_;
  int failures_ = 0;
  double wait_seconds_;
};

std::string describe(const Attempt& attempt, CURLcode code, const ErrorText& text) {
  if (attempt.stalled) return "nothing came for some time";
  if (code == CURLE_OK || attempt.other_piece) {
    return fmt::format("the server answered with status {}", attempt.status());
  }
  return text.front() == '\0' ? curl_easy_strerror(code) : text.data();
}

[[noreturn]] void give_up(const std::string& url, const PartFile& part, bool unreachable,
                          std::string reason) {
  std::string hint = unreachable
                         ? "is this machine online? --mirror DIR takes the files from a folder"
                         : "run the same again later, or use --mirror URL or --mirror DIR";
  if (part.size() > 0) {
    hint += fmt::format("; the {} that came are kept in {} and not fetched again",
                        human_bytes(part.size()), part.path().string());
  }
  fail_environment(
      {.what = "cannot download: " + std::move(reason), .file = url, .hint = std::move(hint)});
}

}  // namespace

bool http_available() {
  return true;
}

HttpResult http_fetch(const Context& context, const std::string& url, PartFile& part,
                      const HttpOptions& options) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  const Handle handle(curl_easy_init(), &curl_easy_cleanup);
  if (started != CURLE_OK || !handle) fail_environment({.what = "libcurl does not start"});

  HttpResult result;
  Patience patience(options, part.size());
  while (true) {
    context.throw_if_stopped();
    ErrorText reason_text{};
    Attempt attempt(context, part, handle.get(), url.substr(url.rfind('/') + 1));
    curl_easy_reset(handle.get());
    configure(handle.get(), url, options, attempt, reason_text);
    HeaderList extra(nullptr, &curl_slist_free_all);
    const std::string range = std::to_string(attempt.asked_from) + "-";
    if (attempt.asked_from > 0) {
      curl_easy_setopt(handle.get(), CURLOPT_RANGE, range.c_str());
      if (!part.version().empty()) {
        extra.reset(curl_slist_append(nullptr, ("If-Range: " + part.version()).c_str()));
        curl_easy_setopt(handle.get(), CURLOPT_HTTPHEADER, extra.get());
      }
    }

    const CURLcode code = curl_easy_perform(handle.get());
    if (attempt.failure) std::rethrow_exception(attempt.failure);
    if (attempt.interrupted) throw Interrupted();
    const int status = attempt.status();
    result.status = status;
    result.bytes += attempt.bytes;
    if (attempt.too_long > 0) {
      part.clear();
      result.too_long = attempt.too_long;
      return result;
    }
    if (code == CURLE_OK && !attempt.begun) attempt.begin();

    if (code == CURLE_OK && attempt.wanted) {
      attempt.progress->finish();
      result.resumed = status == status_partial && attempt.asked_from > 0;
      return result;
    }
    if (code == CURLE_OK && is_not_there(status)) {
      result.found = false;
      return result;
    }
    if (attempt.asked_from > 0 && status == status_bad_range &&
        parse_content_range(attempt.headers.content_range).total == part.size()) {
      result.resumed = true;
      return result;
    }
    if (attempt.asked_from > 0 && (attempt.other_piece || status == status_bad_range)) {
      part.clear();
      continue;
    }

    const std::string reason = describe(attempt, code, reason_text);
    // A machine that was online a moment ago may be again in another; one that never was is not.
    const bool unreachable = is_unreachable(code) && result.bytes == 0;
    const bool passing = attempt.stalled || is_passing_trouble(status) ||
                         is_broken_connection(code) || (is_unreachable(code) && !unreachable);
    if (!passing || !patience.try_again(context, part.size(), reason)) {
      give_up(url, part, unreachable, reason);
    }
  }
}

}  // namespace creg

#else

namespace creg {

bool http_available() {
  return false;
}

HttpResult http_fetch(const Context& /*context*/, const std::string& url, PartFile& /*part*/,
                      const HttpOptions& /*options*/) {
  fail_environment(
      {.what = "cannot download: this build of creg has no libcurl",
       .file = url,
       .hint = "fetch the file by other means and use --mirror DIR, which needs none"});
}

}  // namespace creg

#endif
