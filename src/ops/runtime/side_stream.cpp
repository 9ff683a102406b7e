#include "ops/side_stream.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/types.h>

#include "ops/device.h"
#include "ops/runtime.h"

namespace creg {
namespace {

c10::Stream further_stream(const c10::Device& device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

}  // namespace

SideStream::SideStream(const Context& context)
    : context_(context), stream_(further_stream(device_of(context))) {}

void SideStream::run(const std::function<void()>& body) const {
  const c10::StreamGuard there(stream_);
  body();
  wait_for_device(context_);
}

void used_by_current_stream(const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& tensor : tensors) {
    const c10::Device device = tensor.device();
    tensor.record_stream(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  }
}

}  // namespace creg
