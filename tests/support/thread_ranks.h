// Ranks that are threads of one process, for quick tests of what ranks do together. They count what
// they would send over a network.
#pragma once

#include <torch/types.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "nn/peer_ranks.h"

namespace creg::test {

/// Where the threads meet. A rank that fails wakes the others, which then fail too.
class MeetingPlace {
 public:
  explicit MeetingPlace(int size) : size_(size), slots_(static_cast<std::size_t>(size)) {}

  /// What every rank brings, by rank.
  std::vector<at::Tensor> meet(int rank, const at::Tensor& brought) {
    std::unique_lock lock(mutex_);
    slots_[static_cast<std::size_t>(rank)] = brought;
    if (++here_ == size_) {
      here_ = 0;
      ++round_;
      seen_ = slots_;
      change_.notify_all();
    } else {
      const std::int64_t round = round_;
      change_.wait(lock, [&] { return round_ != round || failed_; });
      if (round_ == round) throw std::runtime_error("another rank failed");
    }
    return seen_;
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    change_.notify_all();
  }

 private:
  int size_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::vector<at::Tensor> slots_;
  std::vector<at::Tensor> seen_;
  int here_ = 0;
  std::int64_t round_ = 0;
  bool failed_ = false;
};

class ThreadRanks final : public PeerRanks {
 public:
  ThreadRanks(MeetingPlace& place, int rank, int size) : place_(place), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  at::Tensor exchange(const at::Tensor& rows, std::span<const std::int64_t> sends,
                      std::span<const std::int64_t> receives) override {
    const at::Tensor counts =
        at::tensor(std::vector<std::int64_t>(sends.begin(), sends.end()), at::kLong);
    if (counts.sum().item<std::int64_t>() != rows.size(0)) throw std::runtime_error("sends");
    const std::vector<at::Tensor> all_counts = place_.meet(rank_, counts);
    const std::vector<at::Tensor> all_rows = place_.meet(rank_, rows);
    std::vector<at::Tensor> came;
    for (int q = 0; q < size_; ++q) {
      const auto i = static_cast<std::size_t>(q);
      const at::Tensor& theirs = all_counts[i];
      const auto first = theirs.narrow(0, 0, rank_).sum().item<std::int64_t>();
      const auto count = theirs[rank_].item<std::int64_t>();
      if (count != receives[i]) throw std::runtime_error("receives");
      came.push_back(all_rows[i].narrow(0, first, count));
      if (q != rank_) {
        sent_ += sends[i] * static_cast<std::int64_t>(rows.element_size()) *
                 (rows.size(0) == 0 ? 0 : rows.numel() / rows.size(0));
      }
    }
    return at::cat(came, 0);
  }

  at::Tensor sum(const at::Tensor& values) override {
    const std::vector<at::Tensor> all = place_.meet(rank_, values);
    at::Tensor out = all[0].clone();
    for (std::size_t q = 1; q < all.size(); ++q) out += all[q];
    summed_ += static_cast<std::int64_t>(values.nbytes());
    return out;
  }

  at::Tensor gather(const at::Tensor& values) override {
    gathered_ += static_cast<std::int64_t>(values.nbytes());
    return at::stack(place_.meet(rank_, values));
  }

  std::int64_t sent() const { return sent_; }          ///< bytes of rows to other ranks
  std::int64_t summed() const { return summed_; }      ///< bytes that went into sums
  std::int64_t gathered() const { return gathered_; }  ///< bytes of this rank that all got

 private:
  MeetingPlace& place_;
  int rank_;
  int size_;
  std::int64_t sent_ = 0;
  std::int64_t summed_ = 0;
  std::int64_t gathered_ = 0;
};

/// Calls body once per rank, each on a thread of its own; the first failure is thrown here.
inline void on_ranks(int size, const std::function<void(ThreadRanks&)>& body) {
  MeetingPlace place(size);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ThreadRanks ranks(place, rank, size);
        body(ranks);
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
        place.fail();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace creg::test
