// What Communicator::start_all_to_all has begun.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace creg {

class Transfer;

/// Rows on their way.
class PendingRows {
 public:
  PendingRows(PendingRows&& other) noexcept;
  PendingRows& operator=(PendingRows&& other) noexcept;
  ~PendingRows();

  /// Waits for them. Once.
  at::Tensor take();

 private:
  friend class Communicator;
  PendingRows();

  at::Tensor sent_;
  at::Tensor received_;
  at::Device device_ = at::kCPU;
  // After the tensors that they read and write.
  std::vector<std::unique_ptr<Transfer>> transfers_;
};

}  // namespace creg
