// Where messages for people go. Library code never prints: it writes to the Context's sink.
#pragma once

#include <memory>
#include <string_view>

namespace creg {

enum class LogLevel { debug, info, notice, warning };

class LogSink {
 public:
  LogSink() = default;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;
  virtual ~LogSink() = default;
  /// Thread-safe. `message` has no trailing newline.
  virtual void write(LogLevel level, std::string_view message) = 0;
};

/// Discards everything: the default of a Context.
std::shared_ptr<LogSink> make_silent_log();

}  // namespace creg
