// Point to point: one connection to every other rank, and a watch over them.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/launch.h"

namespace creg {

/// A message on its way. One that is not waited for is given up.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;
  /// An environment error that names the rank that is lost, where one is.
  virtual void wait() = 0;
};

class PeerLinks {
 public:
  PeerLinks() = default;
  PeerLinks(const PeerLinks&) = delete;
  PeerLinks& operator=(const PeerLinks&) = delete;
  virtual ~PeerLinks() = default;

  /// The host name of every rank.
  virtual const std::vector<std::string>& hosts() const = 0;
  /// Whether a rank was found lost.
  virtual bool lost_one() const = 0;
  /// Contiguous tensors of the CPU that live until the transfer was waited for. Messages of the
  /// same tag from one rank to another arrive in their order.
  virtual std::unique_ptr<Transfer> send(const at::Tensor& values, int to, int tag) = 0;
  virtual std::unique_ptr<Transfer> receive(const at::Tensor& values, int from, int tag) = 0;
  /// No message will follow: the others need not wonder.
  virtual void part() = 0;
  /// The same, because of what happened here.
  virtual void fail(const std::string& reason) = 0;
};

std::unique_ptr<PeerLinks> connect_peers(const RankLaunch& launch,
                                         const CommunicatorOptions& options);

}  // namespace creg
