// A log that keeps what it is told.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "creg/core/context.h"

namespace creg::test {

class RecordingLog final : public LogSink {
 public:
  void write(LogLevel level, std::string_view message) override {
    const std::lock_guard lock(mutex_);
    entries_.emplace_back(level, message);
  }
  /// The messages of this level, in order.
  std::vector<std::string> messages(LogLevel level) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const auto& [l, message] : entries_) {
      if (l == level) found.push_back(message);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<LogLevel, std::string>> entries_;
};

}  // namespace creg::test
