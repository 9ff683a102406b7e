#include "creg/nn/parameter_list.h"

#include <torch/types.h>

#include <cmath>

#include "creg/core/error.h"
#include "ops/random.h"

namespace creg {
namespace {

/// FNV-1a, so that a parameter's first values do not change when another one is added before it.
std::uint64_t hash_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

RandomKey key_of_parameter(std::uint64_t seed, const std::string& name) {
  return {
      .seed = seed, .purpose = Purpose::initialisation, .item = hash_of(name) & ((1ULL << 48) - 1)};
}

}  // namespace

at::Tensor ParameterList::uniform(const std::string& name, at::IntArrayRef shape, double bound) {
  if (device_.is_meta()) return constant(name, shape, 0);
  const std::int64_t numbers = c10::multiply_integers(shape);
  return add(name,
             draw_symmetric(device_, 1, numbers, bound, key_of_parameter(seed_, name)).view(shape));
}

at::Tensor ParameterList::normal(const std::string& name, at::IntArrayRef shape, double deviation) {
  if (device_.is_meta()) return constant(name, shape, 0);
  const std::int64_t numbers = c10::multiply_integers(shape);
  return add(
      name, draw_normal(device_, 1, numbers, deviation, key_of_parameter(seed_, name)).view(shape));
}

at::Tensor ParameterList::constant(const std::string& name, at::IntArrayRef shape, double value) {
  return add(name, at::full(shape, value, at::TensorOptions().dtype(at::kFloat).device(device_)));
}

void ParameterList::adopt(const std::string& name, const at::Tensor& value) {
  check_adopted(name, value);
  add(name, value);
}

void ParameterList::adopt_untrained(const std::string& name, const at::Tensor& value) {
  check_adopted(name, value);
  add(name, value, false);
}

void ParameterList::check_adopted(const std::string& name, const at::Tensor& value) const {
  const auto fail = [&](const std::string& found, const std::string& expected) {
    fail_input({.what = "this tensor cannot be trained here",
                .file = name,
                .found = found,
                .expected = expected});
  };
  if (value.scalar_type() != at::kFloat) fail(c10::toString(value.scalar_type()), "float32");
  if (!value.is_contiguous()) fail("a strided view", "a contiguous tensor");
  if (!value.is_leaf()) fail("a result of other tensors", "a tensor of its own");
  if (value.device() != device_ &&
      !(value.device().type() == device_.type() && !device_.has_index())) {
    fail("on " + value.device().str(), "on " + device_.str());
  }
}

std::int64_t ParameterList::count() const {
  std::int64_t numbers = 0;
  for (const NamedTensor& parameter : parameters_) numbers += parameter.value.numel();
  return numbers;
}

at::Tensor ParameterList::add(const std::string& name, at::Tensor value, bool trained) {
  for (const NamedTensor& parameter : parameters_) {
    invariant(parameter.name != name, "parameters have different names");
  }
  if (trained) value.set_requires_grad(true);
  parameters_.push_back({name, value});
  return value;
}

double glorot_bound(std::int64_t fan_in, std::int64_t fan_out, double gain) {
  return gain * std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
}

double linear_bound(std::int64_t fan_in) {
  return 1.0 / std::sqrt(static_cast<double>(fan_in));
}

}  // namespace creg
