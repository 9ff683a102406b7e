#include "methods/kept_state.h"

#include <torch/types.h>

#include <algorithm>

#include "creg/core/error.h"

namespace creg {

at::Tensor kept_tensor(const std::vector<NamedTensor>& state, const std::string& name,
                       at::ScalarType type, at::IntArrayRef sizes) {
  const auto found = std::find_if(state.begin(), state.end(),
                                  [&](const NamedTensor& one) { return one.name == name; });
  if (found == state.end()) fail_kept(name, "a tensor of this name");
  const at::Tensor& value = found->value;
  const bool fits = value.scalar_type() == type && value.sizes().size() == sizes.size() &&
                    std::equal(sizes.begin(), sizes.end(), value.sizes().begin(),
                               [](std::int64_t wanted, std::int64_t size) {
                                 return wanted < 0 || wanted == size;
                               });
  if (!fits) fail_kept(name, "another type or size");
  return value;
}

void fail_kept(const std::string& name, const std::string& expected) {
  fail_input({.what = "the checkpoint does not fit the method",
              .file = "checkpoint.pt",
              .place = "method." + name,
              .expected = expected,
              .hint = "the file is damaged or of another run: train anew"});
}

}  // namespace creg
