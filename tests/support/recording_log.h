// A log that keeps what it is told.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/log.h"

namespace creg::test {

class RecordingLog final : public LogSink {
 public:
  struct Entry {
    LogLevel level;
    std::string message;
  };

  void write(LogLevel level, std::string_view message) override {
    const std::lock_guard lock(mutex_);
    entries_.push_back({level, std::string(message)});
  }

  std::vector<Entry> entries() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

  /// The messages of this level, in order.
  std::vector<std::string> messages(LogLevel level) const {
    std::vector<std::string> found;
    for (const Entry& entry : entries()) {
      if (entry.level == level) found.push_back(entry.message);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace creg::test
