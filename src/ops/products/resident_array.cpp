#include "ops/resident_array.h"

#include <torch/types.h>

#include "ops/device.h"
#include "ops/tensors.h"

#ifdef CREG_HAS_CUDA
#include "kernels/pinned_memory.h"
#endif

namespace creg {
namespace {

template <class T>
std::shared_ptr<const void> pinned_copy([[maybe_unused]] const Context& context,
                                        [[maybe_unused]] const Array<T>& values) {
#ifdef CREG_HAS_CUDA
  const c10::DeviceGuard guard(device_of(context));
  const auto copy = std::make_shared<const cuda::PinnedCopy>(
      values.data(), static_cast<std::size_t>(values.bytes()));
  return {copy, copy->there()};
#else
  TORCH_CHECK(false, "ResidentArray: this build has no kernels that read pinned memory");
#endif
}

}  // namespace

template <class T>
ResidentArray<T>::ResidentArray(const Context& context, const Array<T>& values, Residence residence)
    : size_(values.size()) {
  if (residence == Residence::device) {
    on_device_ = as_tensor(context, values);
    there_ = on_device_.data_ptr<T>();
  } else {
    pinned_ = pinned_copy(context, values);
    there_ = static_cast<const T*>(pinned_.get());
  }
}

template class ResidentArray<float>;
template class ResidentArray<std::int32_t>;
template class ResidentArray<std::int64_t>;

}  // namespace creg
