#include "train/loop/gradient_sum.h"

#include <torch/types.h>

#include <utility>

namespace creg {

GradientSum::GradientSum(Communicator& world, std::int64_t numbers) : world_(world) {
  const std::int64_t size = world.size();
  for (std::int64_t rank = 0; rank < size; ++rank) {
    shares_.push_back(numbers * (rank + 1) / size - numbers * rank / size);
  }
}

void GradientSum::add(const at::Tensor& gradient, int ranks) {
  if (world_.alone()) {
    sum_ = sum_.defined() ? sum_.add_(gradient) : gradient.clone();
    return;
  }
  catch_up();
  const auto size = static_cast<std::size_t>(world_.size());
  std::vector<std::int64_t> receives(size, 0);
  for (int rank = 0; rank < ranks; ++rank) receives[rank] = shares_[world_.rank()];
  const bool sends = gradient.defined();
  const at::Tensor sent = sends ? gradient : at::empty({0}, at::TensorOptions().dtype(at::kFloat));
  pending_ =
      world_.start_all_to_all(sent, sends ? shares_ : std::vector<std::int64_t>(size, 0), receives);
  pending_ranks_ = ranks;
}

void GradientSum::catch_up() {
  if (!pending_) return;
  const at::Tensor shares = pending_->take().view({pending_ranks_, shares_[world_.rank()]});
  pending_.reset();
  for (int rank = 0; rank < pending_ranks_; ++rank) {
    sum_ = sum_.defined() ? sum_.add_(shares[rank]) : shares[rank].clone();
  }
}

at::Tensor GradientSum::take() {
  catch_up();
  const at::Tensor own = std::exchange(sum_, at::Tensor());
  return world_.all_gather(own, shares_);
}

}  // namespace creg
