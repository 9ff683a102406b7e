// An end to waiting for a host that is there and says nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace creg {

/// While it lives: once the time is over or the run is stopped, the connections of this process to
/// that port are ended. c10d's store waits for the answer of a frozen process without a limit; an
/// ended connection it reports at once.
class AnswerLimit {
 public:
  AnswerLimit(std::string host, int port, std::chrono::milliseconds time,
              std::function<bool()> stopped);
  AnswerLimit(const AnswerLimit&) = delete;
  AnswerLimit& operator=(const AnswerLimit&) = delete;
  ~AnswerLimit();

 private:
  void watch(const std::string& host, int port, std::chrono::steady_clock::time_point end,
             const std::function<bool()>& stopped);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool answered_ = false;
  std::thread thread_;
};

}  // namespace creg
