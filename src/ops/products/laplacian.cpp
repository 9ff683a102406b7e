#include "ops/laplacian.h"

#include <torch/types.h>

#include "graph/normalise.h"
#include "kernels/pagerank.h"
#include "ops/csr.h"
#include "ops/runtime/on_device.h"
#include "ops/tensors.h"

namespace creg {
namespace {

class HostLaplacians final : public LaplacianSource {
 public:
  explicit HostLaplacians(const PagerankWalk& walk) : walk_(walk) {}

  CsrTensors at(const Context& context, double alpha) const override {
    return csr_tensors(context, pagerank_laplacian(context, walk_, alpha));
  }

 private:
  PagerankWalk walk_;
};

constexpr KernelOnDevice<const kernels::WalkChances&, const kernels::PowerIteration&, float*>
    laplacian_weighing{{"pagerank_laplacian", nullptr, CREG_ON_CUDA(cuda::pagerank_laplacian)}};

/// The pattern stays, values are made anew.
class DeviceLaplacians final : public LaplacianSource {
 public:
  DeviceLaplacians(const Context& context, const PagerankWalk& walk)
      : in_offsets_(as_tensor(context, walk.in_offsets)),
        in_nodes_(as_tensor(context, walk.in_nodes)),
        in_chances_(as_tensor(context, walk.in_chances)),
        there_(as_tensor(context, walk.there)),
        back_(as_tensor(context, walk.back)) {
    pattern_.rows = walk.nodes;
    pattern_.cols = walk.nodes;
    pattern_.offsets = as_tensor(context, walk.offsets);
    pattern_.columns = as_tensor(context, walk.joined);
  }

  CsrTensors at(const Context& /*context*/, double alpha) const override {
    CsrTensors out = pattern_;
    out.values = at::empty({out.nonzeros()}, out.columns.options().dtype(at::kFloat));
    laplacian_weighing.run(
        out.columns,
        {.nodes = out.rows,
         .entries = out.nonzeros(),
         .in_offsets = in_offsets_.data_ptr<std::int64_t>(),
         .in_nodes = in_nodes_.data_ptr<std::int32_t>(),
         .in_chances = in_chances_.data_ptr<double>(),
         .offsets = out.offsets.data_ptr<std::int64_t>(),
         .joined = out.columns.data_ptr<std::int32_t>(),
         .there = there_.data_ptr<double>(),
         .back = back_.data_ptr<double>()},
        {.alpha = alpha, .tolerance = pagerank_tolerance, .most = pagerank_iterations},
        out.values.data_ptr<float>());
    return out;
  }

 private:
  CsrTensors pattern_;
  at::Tensor in_offsets_;
  at::Tensor in_nodes_;
  at::Tensor in_chances_;
  at::Tensor there_;
  at::Tensor back_;
};

std::unique_ptr<LaplacianSource> laplacians_on_cpu(const Context& /*context*/,
                                                   const PagerankWalk& walk) {
  return std::make_unique<HostLaplacians>(walk);
}

std::unique_ptr<LaplacianSource> laplacians_on_cuda(const Context& context,
                                                    const PagerankWalk& walk) {
  return std::make_unique<DeviceLaplacians>(context, walk);
}

constexpr OnDevice<std::unique_ptr<LaplacianSource>(const Context&, const PagerankWalk&)>
    making_laplacians{"pagerank_laplacian", laplacians_on_cpu, laplacians_on_cuda};

}  // namespace

std::unique_ptr<LaplacianSource> make_laplacian_source(const Context& context,
                                                       const CsrTensors& adjacency) {
  return making_laplacians.of(adjacency.columns.device())(
      context, pagerank_walk(context, host_csr(adjacency)));
}

}  // namespace creg
