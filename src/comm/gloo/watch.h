// Who of the other ranks is there: each says so a few times a second, on connections of their own,
// whatever else it does. One that is killed closes them, one that fails says why.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "comm/gloo/group.h"

namespace creg {

class Watch {
 public:
  /// `broken` is called, once at most and from a thread of the watch, when a rank is found lost.
  Watch(Group group, int rank, int size, std::chrono::milliseconds timeout,
        std::function<void()> broken);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  /// What is known to be wrong: the rank at fault, and what happened to it.
  struct Loss {
    int rank = 0;
    std::string reason;
  };
  std::optional<Loss> loss() const;
  /// The same, waited for a little: a connection that broke is noticed here soon. Without it, the
  /// rank that it led to.
  Loss loss_behind(int peer) const;

  /// The last word to all: nothing is wrong, or what is.
  void part();
  void fail(const std::string& reason);

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : std::uint8_t { there, parted, lost };

  /// A message, kept until nobody can want it any more.
  struct Sent {
    at::Tensor bytes;
    GroupWork work;
  };
  struct Peer {
    State state = State::there;
    Clock::time_point heard;
    GroupWork hearing;
    std::deque<Sent> sent;
    std::thread ears;
  };

  void listen(int peer);
  void beat();
  void hear(int peer, const std::string& message);
  void lose(int rank, const std::string& reason);
  void say(int peer, const std::string& message);
  void last_word(const std::string& message);

  Group group_;
  int rank_;
  std::chrono::milliseconds timeout_;
  std::function<void()> broken_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Peer> peers_;
  std::optional<Loss> loss_;
  bool spoken_ = false;  // the last word
  bool ending_ = false;
  std::thread mouth_;
};

}  // namespace creg
