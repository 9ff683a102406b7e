#include "ops/slow_copy.h"

#include <torch/types.h>

#include "kernels/slow_copy.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

constexpr KernelOnDevice<std::int64_t, double, const float*, float*> share_keeping{
    {"keep_share", nullptr, CREG_ON_CUDA(cuda::keep_share)}};

void keep_share_on_cpu(const at::Tensor& slow, const at::Tensor& value, double share) {
  slow.mul_(share).add_(value, 1 - share);
}

void keep_share_on_cuda(const at::Tensor& slow, const at::Tensor& value, double share) {
  share_keeping.run(slow, slow.numel(), share, value.data_ptr<float>(), slow.data_ptr<float>());
}

constexpr OnDevice<void(const at::Tensor&, const at::Tensor&, double)> keeping_shares{
    "keep_share", keep_share_on_cpu, keep_share_on_cuda};

}  // namespace

void keep_share(const at::Tensor& slow, const at::Tensor& value, double share) {
  for (const at::Tensor& part : {slow, value}) {
    TORCH_CHECK(part.scalar_type() == at::kFloat && part.is_contiguous() &&
                    part.sizes() == slow.sizes() && part.device() == slow.device(),
                "keep_share: contiguous float32 of one shape");
  }
  const at::NoGradGuard no_grad;
  keeping_shares.of(slow.device())(slow.detach(), value.detach(), share);
}

}  // namespace creg
