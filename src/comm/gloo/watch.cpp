#include "comm/gloo/watch.h"

#include <torch/types.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "comm/text_tensor.h"
#include "core/parse_value.h"

namespace creg {
namespace {

constexpr std::chrono::milliseconds between_beats{250};
// What a broken connection means is known so soon after it.
constexpr std::chrono::milliseconds patience{1000};
constexpr int watch_tag = 1;

// A message: 'a' there, 'p' parting, 'f' failed; then the rank at fault and what happened, filled
// up with spaces.
constexpr std::size_t message_bytes = 512;

std::string message_of(char kind, const std::string& text = {}) {
  std::string message = kind + text;
  message.resize(message_bytes, ' ');
  return message;
}

}  // namespace

Watch::Watch(Group group, int rank, int size, std::chrono::milliseconds timeout,
             std::function<void()> broken)
    : group_(std::move(group)),
      rank_(rank),
      timeout_(timeout),
      broken_(std::move(broken)),
      peers_(static_cast<std::size_t>(size)) {
  for (Peer& peer : peers_) peer.heard = Clock::now();
  for (int peer = 0; peer < size; ++peer) {
    if (peer != rank_) peers_[peer].ears = std::thread([this, peer] { listen(peer); });
  }
  mouth_ = std::thread([this] { beat(); });
}

Watch::~Watch() {
  fail("it ended before the others");
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (Peer& peer : peers_) {
      if (peer.hearing) peer.hearing->abort();
    }
  }
  changed_.notify_all();
  mouth_.join();
  for (Peer& peer : peers_) {
    if (peer.ears.joinable()) peer.ears.join();
  }
}

std::optional<Watch::Loss> Watch::loss() const {
  const std::lock_guard lock(mutex_);
  return loss_;
}

Watch::Loss Watch::loss_behind(int peer) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return loss_.has_value(); });
  if (loss_) return *loss_;
  return {peer,
          peers_[peer].state == State::parted ? "it has ended already" : "its connection broke"};
}

void Watch::part() {
  last_word(message_of('p'));
}

void Watch::fail(const std::string& reason) {
  std::string text = std::to_string(rank_) + " " + reason;
  if (const std::optional<Loss> known = loss()) {
    text = std::to_string(known->rank) + " " + known->reason;
  }
  text.resize(std::min(text.size(), message_bytes - 1));
  last_word(message_of('f', text));
}

void Watch::last_word(const std::string& message) {
  std::vector<int> there;
  {
    const std::lock_guard lock(mutex_);
    if (spoken_) return;
    spoken_ = true;
    for (int peer = 0; peer < static_cast<int>(peers_.size()); ++peer) {
      if (peer != rank_ && peers_[peer].state == State::there) there.push_back(peer);
    }
  }
  for (const int peer : there) say(peer, message);
  // Until it is out: what comes next closes the connections.
  for (const int peer : there) {
    try {
      GroupWork work;
      {
        const std::lock_guard lock(mutex_);
        if (peers_[peer].state == State::there && !peers_[peer].sent.empty()) {
          work = peers_[peer].sent.back().work;
        }
      }
      if (work) work->wait(patience);
    } catch (const std::exception&) {
      // It is gone, and needs to be told nothing.
      continue;
    }
  }
}

void Watch::say(int peer, const std::string& message) {
  Sent sent{.bytes = text_tensor(message), .work = {}};
  try {
    std::vector<at::Tensor> tensors{sent.bytes};
    sent.work = group_->send(tensors, peer, watch_tag);
  } catch (const std::exception&) {
    // Whoever listens to it notices as well, and knows whether it has parted.
    return;
  }
  const std::lock_guard lock(mutex_);
  std::deque<Sent>& kept = peers_[peer].sent;
  kept.push_back(std::move(sent));
  const auto most = static_cast<std::size_t>(timeout_ / between_beats) + 64;
  while (kept.size() > most) kept.pop_front();
}

void Watch::beat() {
  const std::string message = message_of('a');
  Clock::time_point last = Clock::now();
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const Clock::time_point now = Clock::now();
    // Stopped for a while, or without a turn: nobody could be heard.
    if (now - last > 8 * between_beats) {
      for (Peer& peer : peers_) peer.heard = now;
    }
    last = now;
    std::vector<int> there;
    std::vector<int> silent;
    for (int peer = 0; peer < static_cast<int>(peers_.size()); ++peer) {
      if (peer == rank_ || peers_[peer].state != State::there) continue;
      (now - peers_[peer].heard > timeout_ ? silent : there).push_back(peer);
    }
    const bool spoken = spoken_;
    lock.unlock();
    for (const int peer : silent) {
      lose(peer, "it has not been heard of for " +
                     number_text(std::chrono::duration<double>(timeout_).count()) + " s");
    }
    if (!spoken) {
      for (const int peer : there) say(peer, message);
    }
    lock.lock();
    changed_.wait_for(lock, between_beats, [this] { return ending_; });
  }
}

void Watch::listen(int peer) {
  at::Tensor bytes = at::zeros({static_cast<std::int64_t>(message_bytes)}, at::dtype(at::kByte));
  std::vector<at::Tensor> tensors{bytes};
  try {
    while (true) {
      GroupWork work;
      {
        const std::lock_guard lock(mutex_);
        if (ending_ || peers_[peer].state != State::there) return;
        work = group_->recv(tensors, peer, watch_tag);
        peers_[peer].hearing = work;
      }
      if (!work->wait(no_time_limit)) return;
      hear(peer, tensor_text(bytes));
    }
  } catch (const std::exception&) {
    lose(peer, "its connection broke: it was killed, or its host went down");
  }
}

void Watch::hear(int peer, const std::string& message) {
  if (message.front() == 'f') {
    const std::string text = message.substr(1, message.find_last_not_of(' '));
    const int culprit = std::atoi(text.c_str());
    lose(std::clamp(culprit, 0, static_cast<int>(peers_.size()) - 1),
         text.substr(std::min(text.find(' ') + 1, text.size())));
  }
  const std::lock_guard lock(mutex_);
  peers_[peer].heard = Clock::now();
  if (message.front() != 'a') peers_[peer].state = State::parted;
}

void Watch::lose(int rank, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (rank != rank_ && peers_[rank].state == State::there) peers_[rank].state = State::lost;
    if (loss_ || ending_) return;
    loss_ = Loss{rank, reason};
  }
  changed_.notify_all();
  broken_();
}

}  // namespace creg
