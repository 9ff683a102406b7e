// A log that keeps what it is told.
#pragma once

#include "creg/core/context.h"
#include "creg/core/log.h"
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>
  /// The messages of this level, in order.
    LogLevel level;
class RecordingLog : public LogSink {
class RecordingLog final : public LogSink {
    const std::lock_guard lock(mutex_);
    entries_.emplace_back(level, message);
    entries_.push_back({level, std::string(message)});
    for (const auto& [l, message] : entries_) {
      if (l == level) found.push_back(message);
namespace creg::test {
 public:
    return entries_;
    return found;
    std::string message;
  std::vector<Entry> entries() const {
    std::vector<std::string> found;
  std::vector<std::string> messages(LogLevel level) const {
  struct Entry {
  void write(LogLevel level, std::string_view message) override {
  }
  };
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<std::pair<LogLevel, std::string>> entries_;
};

}  // namespace creg::test
