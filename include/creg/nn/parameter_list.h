// A model's trainable tensors, in a fixed order and by name, and how they start.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace creg {

struct NamedTensor {
  std::string name;
  at::Tensor value;
};

/// Names are unique; the order is that of adding, so that item numbers of random streams and
/// checkpoints stay put.
class ParameterList {
 public:
  /// On the device "meta" parameters have shapes and no values, and take no memory.
  explicit ParameterList(std::uint64_t seed, c10::Device device = c10::kCPU)
      : seed_(seed), device_(device) {}

  /// U(-bound, bound), a pure function of the seed and the parameter's name.
  at::Tensor uniform(const std::string& name, at::IntArrayRef shape, double bound);
  /// N(0, deviation²), likewise.
  at::Tensor normal(const std::string& name, at::IntArrayRef shape, double deviation);
  at::Tensor constant(const std::string& name, at::IntArrayRef shape, double value);
  /// A tensor that was made elsewhere and is trained in place: float32, contiguous, on the list's
  /// device; anything else is an input error that names it.
  void adopt(const std::string& name, const at::Tensor& value);
  /// The same for one that is not trained but belongs to the model: it is kept with the best
  /// parameters and in checkpoints, and gets no gradient.
  void adopt_untrained(const std::string& name, const at::Tensor& value);

  std::uint64_t seed() const { return seed_; }
  const c10::Device& device() const { return device_; }
  const std::vector<NamedTensor>& all() const { return parameters_; }
  std::int64_t count() const;  ///< of numbers

 private:
  void check_adopted(const std::string& name, const at::Tensor& value) const;
  at::Tensor add(const std::string& name, at::Tensor value, bool trained = true);

  std::uint64_t seed_;
  c10::Device device_;
  std::vector<NamedTensor> parameters_;
};

/// sqrt(6 / (fan_in + fan_out)), times gain.
double glorot_bound(std::int64_t fan_in, std::int64_t fan_out, double gain = 1.0);
/// 1 / sqrt(fan_in), for the weights and the bias of a plain linear layer.
double linear_bound(std::int64_t fan_in);

}  // namespace creg
