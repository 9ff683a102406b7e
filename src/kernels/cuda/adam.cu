#include "kernels/adam.h"

#include "kernels/cuda/common.cuh"

namespace creg::cuda {

using kernels::AdamValues;

namespace {

template <class T>
__global__ void adam_elements(const AdamValues<T> given, const StepCells* cells) {
  AdamValues<T> v = given;
  if (cells != nullptr) {
    v.step_size = static_cast<T>(cells->step_size);
    v.root_scale = static_cast<T>(cells->root_scale);
  }
  if (v.guard != nullptr && !isfinite(*v.guard)) return;
  for (std::int64_t i = first_item(); i < v.count; i += item_step()) {
    const T g = v.gradient[i] + v.weight_decay * v.parameter[i];
    const T m = v.beta1 * v.moment1[i] + v.rest1 * g;
    const T s = v.beta2 * v.moment2[i] + v.rest2 * g * g;
    v.moment1[i] = m;
    v.moment2[i] = s;
    v.parameter[i] -= v.step_size * m / (sqrt(s) * v.root_scale + v.eps);
  }
}

template <class T>
void adam_on_stream(const Launch& launch, const AdamValues<T>& values) {
  constexpr int threads = 256;
  if (values.count == 0) return;
  adam_elements<<<grid_for(values.count, threads), threads, 0, stream_of(launch)>>>(values,
                                                                                    launch.cells);
  check_launch("adam");
}

}  // namespace

void adam(const Launch& launch, const AdamValues<float>& values) {
  adam_on_stream(launch, values);
}

void adam(const Launch& launch, const AdamValues<double>& values) {
  adam_on_stream(launch, values);
}

}  // namespace creg::cuda
