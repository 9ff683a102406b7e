// The best parameters so far, kept on the device that trains them: the host need not see a loss to
// go on with the next step.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

namespace creg {

class KeptBest {
 public:
  struct Options {
    bool always = false;    ///< every step is the best so far; else one of the lowest loss so far
    double lowest = 0;      ///< loss up to now
    std::int64_t most = 1;  ///< steps between two looks
  };
  /// `parameters` are copied to `first` or `second` in turn, lists like themselves, whenever a step
  /// is the best so far; `first` has the best up to now, so that the next one goes to `second`. All
  /// are contiguous float32 and stay where they are. `halt`, a float32 of one value, becomes NaN
  /// with the first loss that is not finite, and nothing is kept from then on.
  KeptBest(const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& first,
           const std::vector<at::Tensor>& second, at::Tensor halt, const Options& options);

  /// After a step with these statistics, float64, of which the first is its loss. No number comes
  /// to the host. At most Options::most calls between two looks.
  void judge(const at::Tensor& statistics);
  /// The statistics of the steps since the last look, in order, on the host [steps, numbers].
  at::Tensor look();

 private:
  std::vector<at::Tensor> parameters_;
  std::array<std::vector<at::Tensor>, 2> kept_;  // by slot
  at::Tensor halt_;
  bool always_;
  at::Tensor table_;          // of kernels::JudgedStep, written round and round
  std::int64_t last_ = 0;     // the row of the last step
  std::int64_t pending_ = 0;  // steps since the last look
  std::int64_t numbers_ = 0;  // of their statistics
};

}  // namespace creg
