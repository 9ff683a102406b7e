#include "ops/kept_best.h"

#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "kernels/kept_best.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

using kernels::JudgedStep;

constexpr KernelOnDevice<const kernels::KeptBest&> keep_best{
    {"keep_best", cpu::keep_best, CREG_ON_CUDA(cuda::keep_best)}};

// A row of the table is a JudgedStep: doubles all through.
constexpr auto row_numbers = static_cast<std::int64_t>(sizeof(JudgedStep) / sizeof(double));
constexpr std::int64_t first_statistic = row_numbers - JudgedStep::most_numbers;

}  // namespace

KeptBest::KeptBest(const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& first,
                   const std::vector<at::Tensor>& second, at::Tensor halt, const Options& options)
    : parameters_(parameters),
      kept_{first, second},
      halt_(std::move(halt)),
      always_(options.always) {
  TORCH_CHECK(options.most > 0, "keep_best: there are steps between two looks");
  TORCH_CHECK(halt_.scalar_type() == at::kFloat && halt_.numel() == 1,
              "keep_best: `halt` must be one float32");
  for (const auto& kept : kept_) {
    TORCH_CHECK(kept.size() == parameters_.size(), "keep_best: as many copies as parameters");
    for (std::size_t i = 0; i < kept.size(); ++i) {
      for (const at::Tensor& part : {parameters_[i], kept[i]}) {
        TORCH_CHECK(part.scalar_type() == at::kFloat && part.is_contiguous() &&
                        part.numel() == parameters_[i].numel() && part.device() == halt_.device(),
                    "keep_best: parameters and copies must be contiguous float32 of one size");
      }
    }
  }
  table_ = at::zeros({options.most + 1, row_numbers}, at::dtype(at::kDouble));
  table_[0][0] = options.lowest;
  table_ = table_.to(halt_.device());
}

void KeptBest::judge(const at::Tensor& statistics) {
  TORCH_CHECK(statistics.scalar_type() == at::kDouble && statistics.is_contiguous() &&
                  statistics.device() == halt_.device() && statistics.numel() > 0 &&
                  statistics.numel() <= JudgedStep::most_numbers,
              "keep_best: statistics must be a few contiguous float64");
  TORCH_CHECK(pending_ + 1 < table_.size(0), "keep_best: too many steps without a look");
  numbers_ = statistics.numel();
  auto* const rows = static_cast<JudgedStep*>(table_.data_ptr());
  const std::int64_t next = (last_ + 1) % table_.size(0);
  kernels::KeptBest values{.statistics = statistics.data_ptr<double>(),
                           .numbers = static_cast<int>(numbers_),
                           .before = rows + last_,
                           .after = rows + next,
                           .halt = halt_.data_ptr<float>(),
                           .always = always_};
  // Calls of one step read the same row and write the same: their order is no matter.
  std::size_t done = 0;
  do {
    const std::size_t end =
        std::min(parameters_.size(), done + std::size_t{kernels::KeptBest::most_parameters});
    values.count = static_cast<int>(end - done);
    for (std::size_t i = done; i < end; ++i) {
      values.parameters[i - done] = {
          .count = parameters_[i].numel(),
          .value = parameters_[i].data_ptr<float>(),
          .kept = {kept_[0][i].data_ptr<float>(), kept_[1][i].data_ptr<float>()}};
    }
    keep_best.run(halt_, values);
    done = end;
  } while (done < parameters_.size());
  last_ = next;
  ++pending_;
}

at::Tensor KeptBest::look() {
  const at::Tensor here = table_.to(at::kCPU);
  at::Tensor seen = at::empty({pending_, numbers_}, here.options());
  for (std::int64_t i = 0; i < pending_; ++i) {
    const std::int64_t row = (last_ - pending_ + 1 + i + table_.size(0)) % table_.size(0);
    seen[i].copy_(here[row].narrow(0, first_statistic, numbers_));
  }
  pending_ = 0;
  return seen;
}

}  // namespace creg
