#include "comm/communicator.h"

#include <torch/types.h>

#include <algorithm>
#include <exception>
#include <numeric>

#include "comm/peer_links.h"
#include "comm/pending_rows.h"
#include "comm/text_tensor.h"
#include "creg/core/error.h"

namespace creg {
namespace {

// Tags are told apart by 31 bits; so many messages are never under way at once.
constexpr int most_tags = 1 << 30;

at::Tensor on_host(const at::Tensor& tensor) {
  return tensor.is_cpu() ? tensor : tensor.cpu();
}

std::int64_t sum_of(std::span<const std::int64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::int64_t row_bytes(const at::Tensor& rows) {
  const std::int64_t width = rows.dim() == 2 ? rows.size(1) : 1;
  return width * static_cast<std::int64_t>(rows.element_size());
}

at::Tensor room_for(const at::Tensor& like, std::int64_t rows) {
  return like.dim() == 2 ? at::empty({rows, like.size(1)}, like.options().requires_grad(false))
                         : at::empty({rows}, like.options().requires_grad(false));
}

}  // namespace

PendingRows::PendingRows() = default;
PendingRows::PendingRows(PendingRows&& other) noexcept = default;
PendingRows& PendingRows::operator=(PendingRows&& other) noexcept = default;
PendingRows::~PendingRows() = default;

at::Tensor PendingRows::take() {
  for (const std::unique_ptr<Transfer>& transfer : transfers_) transfer->wait();
  transfers_.clear();
  sent_.reset();
  at::Tensor rows = std::move(received_);
  return rows.device() == device_ ? rows : rows.to(device_);
}

Communicator::Communicator()
    : hosts_{"this host"}, piece_bytes_(CommunicatorOptions().piece_bytes) {}

Communicator::Communicator(const RankLaunch& launch, const CommunicatorOptions& options)
    : rank_(launch.rank),
      size_(launch.size),
      hosts_{"this host"},
      piece_bytes_(std::max<std::int64_t>(1, options.piece_bytes)) {
  if (size_ == 1) return;
  links_ = connect_peers(launch, options);
  hosts_ = links_->hosts();
}

Communicator::~Communicator() = default;

int Communicator::ranks_here() const {
  return static_cast<int>(std::count(hosts_.begin(), hosts_.end(), hosts_[rank_]));
}

bool Communicator::lost_one() const {
  return links_ != nullptr && links_->lost_one();
}

std::string Communicator::name_of(int rank) const {
  return "rank " + std::to_string(rank) + " (" + hosts_[rank] + ")";
}

PendingRows Communicator::start_all_to_all(const at::Tensor& rows,
                                           std::span<const std::int64_t> send_rows,
                                           std::span<const std::int64_t> receive_rows) {
  TORCH_CHECK(rows.dim() == 1 || rows.dim() == 2, "all_to_all: rows must be [n] or [n, width]");
  TORCH_CHECK(
      static_cast<int>(send_rows.size()) == size_ && static_cast<int>(receive_rows.size()) == size_,
      "all_to_all: a number of rows for each of ", size_, " ranks");
  TORCH_CHECK(sum_of(send_rows) == rows.size(0), "all_to_all: ", rows.size(0), " rows to send, ",
              sum_of(send_rows), " of them addressed");
  TORCH_CHECK(send_rows[rank_] == receive_rows[rank_],
              "all_to_all: a rank receives what it sends to itself");
  PendingRows pending;
  pending.device_ = rows.device();
  if (size_ == 1) {
    pending.received_ = rows.detach();
    return pending;
  }
  pending.sent_ = on_host(rows.detach()).contiguous();
  pending.received_ = room_for(pending.sent_, sum_of(receive_rows));
  const std::int64_t at_once =
      std::max<std::int64_t>(1, piece_bytes_ / std::max<std::int64_t>(1, row_bytes(pending.sent_)));
  const int tag = tag_ = (tag_ + 1) % most_tags;
  const auto first_of = [](std::span<const std::int64_t> counts, int rank) {
    return sum_of(counts.first(static_cast<std::size_t>(rank)));
  };
  const bool empty = row_bytes(pending.sent_) == 0;
  // Each begins with the rank after it, so that not all of them send to one.
  for (int step = 1; step < size_ && !empty; ++step) {
    const int from = (rank_ + size_ - step) % size_;
    const std::int64_t first = first_of(receive_rows, from);
    for (std::int64_t done = 0; done < receive_rows[from]; done += at_once) {
      const at::Tensor piece =
          pending.received_.narrow(0, first + done, std::min(at_once, receive_rows[from] - done));
      pending.transfers_.push_back(links_->receive(piece, from, tag));
    }
  }
  for (int step = 1; step < size_ && !empty; ++step) {
    const int to = (rank_ + step) % size_;
    const std::int64_t first = first_of(send_rows, to);
    for (std::int64_t done = 0; done < send_rows[to]; done += at_once) {
      const at::Tensor piece =
          pending.sent_.narrow(0, first + done, std::min(at_once, send_rows[to] - done));
      pending.transfers_.push_back(links_->send(piece, to, tag));
    }
    bytes_sent_ += send_rows[to] * row_bytes(pending.sent_);
  }
  pending.received_.narrow(0, first_of(receive_rows, rank_), receive_rows[rank_])
      .copy_(pending.sent_.narrow(0, first_of(send_rows, rank_), send_rows[rank_]));
  return pending;
}

at::Tensor Communicator::all_to_all(const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                                    std::span<const std::int64_t> receive_rows) {
  return start_all_to_all(rows, send_rows, receive_rows).take();
}

at::Tensor Communicator::all_gather(const at::Tensor& rows,
                                    std::span<const std::int64_t> rows_of_rank) {
  TORCH_CHECK(static_cast<int>(rows_of_rank.size()) == size_ && rows_of_rank[rank_] == rows.size(0),
              "all_gather: ", rows.size(0), " rows here, another number is told");
  if (size_ == 1) return rows.detach();
  PendingRows pending;
  pending.device_ = rows.device();
  pending.sent_ = on_host(rows.detach()).contiguous();
  pending.received_ = room_for(pending.sent_, sum_of(rows_of_rank));
  const std::int64_t at_once =
      std::max<std::int64_t>(1, piece_bytes_ / std::max<std::int64_t>(1, row_bytes(pending.sent_)));
  const int tag = tag_ = (tag_ + 1) % most_tags;
  const bool empty = row_bytes(pending.sent_) == 0;
  std::int64_t first = 0;
  for (int from = 0; from < size_; ++from) {
    at::Tensor part = pending.received_.narrow(0, first, rows_of_rank[from]);
    first += rows_of_rank[from];
    if (from == rank_) {
      part.copy_(pending.sent_);
      continue;
    }
    for (std::int64_t done = 0; done < rows_of_rank[from] && !empty; done += at_once) {
      pending.transfers_.push_back(links_->receive(
          part.narrow(0, done, std::min(at_once, rows_of_rank[from] - done)), from, tag));
    }
  }
  for (int step = 1; step < size_ && !empty; ++step) {
    const int to = (rank_ + step) % size_;
    for (std::int64_t done = 0; done < rows.size(0); done += at_once) {
      pending.transfers_.push_back(links_->send(
          pending.sent_.narrow(0, done, std::min(at_once, rows.size(0) - done)), to, tag));
    }
    bytes_sent_ += rows.size(0) * row_bytes(pending.sent_);
  }
  return pending.take();
}

std::vector<std::int64_t> Communicator::rows_everywhere(std::int64_t rows) {
  const std::vector<std::int64_t> one_each(static_cast<std::size_t>(size_), 1);
  const at::Tensor counts =
      all_gather(at::full({1}, rows, at::TensorOptions().dtype(at::kLong)), one_each);
  const auto values = counts.accessor<std::int64_t, 1>();
  std::vector<std::int64_t> found;
  for (int rank = 0; rank < size_; ++rank) found.push_back(values[rank]);
  return found;
}

at::Tensor Communicator::all_gather(const at::Tensor& rows) {
  return all_gather(rows, rows_everywhere(rows.size(0)));
}

std::vector<std::string> Communicator::all_gather(const std::string& text) {
  const std::vector<std::int64_t> lengths = rows_everywhere(static_cast<std::int64_t>(text.size()));
  const std::string all = tensor_text(all_gather(text_tensor(text), lengths));
  std::vector<std::string> texts;
  std::size_t first = 0;
  for (const std::int64_t length : lengths) {
    texts.push_back(all.substr(first, static_cast<std::size_t>(length)));
    first += static_cast<std::size_t>(length);
  }
  return texts;
}

at::Tensor Communicator::sum_in_rank_order(const at::Tensor& values) {
  if (size_ == 1) return values.detach().clone();
  // Each rank sums its share of the places, of all ranks in their order.
  const at::Tensor flat = values.detach().reshape({-1});
  std::vector<std::int64_t> shares;
  for (int rank = 0; rank < size_; ++rank) {
    shares.push_back(flat.numel() * (rank + 1) / size_ - flat.numel() * rank / size_);
  }
  const std::int64_t own = shares[rank_];
  const std::vector<std::int64_t> own_of_each(static_cast<std::size_t>(size_), own);
  const at::Tensor parts = all_to_all(flat, shares, own_of_each).view({size_, own});
  at::Tensor sum = parts[0].clone();
  for (int rank = 1; rank < size_; ++rank) sum += parts[rank];
  return all_gather(sum, shares).view(values.sizes());
}

void Communicator::broadcast(at::Tensor& values, int root) {
  if (size_ == 1) return;
  const at::Tensor flat = values.detach().reshape({-1});
  std::vector<std::int64_t> rows(static_cast<std::size_t>(size_), 0);
  rows[root] = flat.numel();
  const at::Tensor of_root = all_gather(rank_ == root ? flat : flat.narrow(0, 0, 0), rows);
  if (rank_ != root) values.detach().copy_(of_root.view(values.sizes()));
}

void Communicator::barrier() {
  rows_everywhere(0);
}

std::shared_ptr<Communicator> meet_ranks(const RankLaunch& launch,
                                         const CommunicatorOptions& options) {
  return std::make_shared<Communicator>(launch, options);
}

void with_ranks(const RankLaunch& launch, const CommunicatorOptions& options,
                const std::function<void(const std::shared_ptr<Communicator>&)>& work) {
  const std::shared_ptr<Communicator> world = meet_ranks(launch, options);
  try {
    work(world);
    world->finish();
  } catch (const Interrupted&) {
    world->fail("it was stopped");
    throw;
  } catch (const std::exception& error) {
    world->fail(error.what());
    throw;
  }
}

void Communicator::finish() {
  if (!links_) return;
  barrier();
  links_->part();
  links_.reset();
}

void Communicator::fail(const std::string& reason) {
  if (!links_) return;
  links_->fail(reason);
}

}  // namespace creg
