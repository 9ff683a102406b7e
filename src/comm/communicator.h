// The ranks of a run, and what goes between them: by c10d's Gloo where there are several.
//
// Every rank calls the same functions in the same order. A rank that is lost, stopped or out of
// reach, or that failed and said so, ends these calls on all others with an environment error that
// names it. This header knows no torch (comm/pending_rows.h does). Tensors may be on any device;
// what is on a GPU goes through the host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/launch.h"

namespace at {
class Tensor;
}

namespace creg {

class PeerLinks;
class PendingRows;

struct CommunicatorOptions {
  /// A rank that says nothing for so long is lost. Ranks that compute go on saying something.
  double timeout_seconds = 60;
  /// What goes from one rank to another at once, at most.
  std::int64_t piece_bytes = std::int64_t{1} << 30;
  /// Looked at while the ranks meet: after Ctrl-C they do not wait for each other.
  std::function<bool()> stopped;
};

class Communicator {
 public:
  /// A world of one: everything comes back as it is.
  Communicator();
  /// Meets the other ranks. Those that do not come within the timeout are an environment error
  /// that names them; Interrupted where this one is stopped before.
  explicit Communicator(const RankLaunch& launch, const CommunicatorOptions& options = {});
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  /// Tells the others that this rank has failed, unless it has finished.
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool alone() const { return size_ == 1; }
  /// The host names of all ranks.
  const std::vector<std::string>& hosts() const { return hosts_; }
  /// Ranks that share this rank's host, itself included.
  int ranks_here() const;
  /// Whether a rank was found lost.
  bool lost_one() const;
  /// "rank 2 (host)".
  std::string name_of(int rank) const;
  /// Sent to other ranks so far by this one.
  std::int64_t bytes_sent() const { return bytes_sent_; }

  /// `rows`, [n] or [n, width] and contiguous, begin with send_rows[0] for rank 0, those for rank 1
  /// follow, and so on; so do the rows that come back, receive_rows[r] of rank r. Each may be 0.
  at::Tensor all_to_all(const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                        std::span<const std::int64_t> receive_rows);
  /// The same, begun: the rows must not change until they are taken.
  PendingRows start_all_to_all(const at::Tensor& rows, std::span<const std::int64_t> send_rows,
                               std::span<const std::int64_t> receive_rows);

  /// The rows of all ranks, in their order; rank r has rows_of_rank[r] of them.
  at::Tensor all_gather(const at::Tensor& rows, std::span<const std::int64_t> rows_of_rank);
  /// The same where nobody knows the others' number.
  at::Tensor all_gather(const at::Tensor& rows);
  /// A short text of every rank.
  std::vector<std::string> all_gather(const std::string& text);

  /// ((t0 + t1) + t2) + …, of tensors of one shape: its bits depend on nothing but them.
  at::Tensor sum_in_rank_order(const at::Tensor& values);
  /// Writes root's values to the others' tensor of the same shape.
  void broadcast(at::Tensor& values, int root);
  void barrier();

  /// Waits for all, and parts from them.
  void finish();
  /// Tells the others why this rank ends.
  void fail(const std::string& reason);

 private:
  std::vector<std::int64_t> rows_everywhere(std::int64_t rows);

  int rank_ = 0;
  int size_ = 1;
  std::vector<std::string> hosts_;
  std::int64_t piece_bytes_;
  std::int64_t bytes_sent_ = 0;
  int tag_ = 0;
  std::unique_ptr<PeerLinks> links_;
};

/// The ranks of this launch. With one of them no connection is made.
std::shared_ptr<Communicator> meet_ranks(const RankLaunch& launch,
                                         const CommunicatorOptions& options = {});

/// The ranks of this launch, as long as `work` lasts: they part after it, or are told why this one
/// ends without it.
void with_ranks(const RankLaunch& launch, const CommunicatorOptions& options,
                const std::function<void(const std::shared_ptr<Communicator>&)>& work);

/// Whether this build can connect ranks at all.
bool has_communication();

}  // namespace creg
