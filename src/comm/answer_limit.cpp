#include "comm/answer_limit.h"

#include <utility>

#include "comm/route.h"

namespace creg {
namespace {

constexpr std::chrono::milliseconds between_looks{50};

}  // namespace

AnswerLimit::AnswerLimit(std::string host, int port, std::chrono::milliseconds time,
                         std::function<bool()> stopped)
    : thread_([this, host = std::move(host), port, end = std::chrono::steady_clock::now() + time,
               stopped = std::move(stopped)] { watch(host, port, end, stopped); }) {}

AnswerLimit::~AnswerLimit() {
  {
    const std::lock_guard lock(mutex_);
    answered_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AnswerLimit::watch(const std::string& host, int port,
                        std::chrono::steady_clock::time_point end,
                        const std::function<bool()>& stopped) {
  std::unique_lock lock(mutex_);
  while (!answered_) {
    // Again and again: a connection may be one that was not there yet a moment ago.
    if (std::chrono::steady_clock::now() >= end || (stopped && stopped())) {
      end_connections_to(host, port);
    }
    changed_.wait_for(lock, between_looks, [this] { return answered_; });
  }
}

}  // namespace creg
