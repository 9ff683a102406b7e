#include "ops/random.h"

#include <torch/types.h>

#include <limits>

#include "kernels/random.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"

namespace creg {
namespace {

constexpr KernelOnDevice<const kernels::DrawnRows&, const kernels::UniformRange&> uniform_kernel{
    {.op = "draw_uniform", .cpu = cpu::draw_uniform, .cuda = CREG_ON_CUDA(cuda::draw_uniform)}};
constexpr KernelOnDevice<const kernels::DrawnRows&, double> normal_kernel{
    {.op = "draw_normal", .cpu = cpu::draw_normal, .cuda = CREG_ON_CUDA(cuda::draw_normal)}};
constexpr KernelOnDevice<const kernels::DrawnRows&, double> dropout_rows_kernel{
    {.op = "draw_dropout",
     .cpu = cpu::draw_dropout_rows,
     .cuda = CREG_ON_CUDA(cuda::draw_dropout_rows)}};
constexpr KernelOnDevice<const kernels::DrawnEntries&, double> dropout_entries_kernel{
    {.op = "draw_dropout",
     .cpu = cpu::draw_dropout_entries,
     .cuda = CREG_ON_CUDA(cuda::draw_dropout_entries)}};
constexpr KernelOnDevice<const RandomKey&, const kernels::DropChances&, float*> kept_kernel{
    {.op = "draw_kept", .cpu = cpu::draw_kept, .cuda = CREG_ON_CUDA(cuda::draw_kept)}};
constexpr KernelOnDevice<const RandomKey&, std::int64_t, std::int64_t, std::int64_t*> below_kernel{
    {.op = "draw_below", .cpu = cpu::draw_below, .cuda = CREG_ON_CUDA(cuda::draw_below)}};

constexpr KernelOnDevice<const RandomKey&, std::int64_t, std::int32_t*> permutation_kernel{
    {.op = "draw_permutation",
     .cpu = cpu::draw_permutation,
     .cuda = CREG_ON_CUDA(cuda::draw_permutation)}};

constexpr std::int64_t stream_words = std::int64_t{1} << 34;
constexpr std::uint64_t stream_items = std::uint64_t{1} << 48;

void check_rows(const char* op, std::int64_t rows, std::int64_t words, const DrawKey& key) {
  TORCH_CHECK(rows >= 0 && words >= 0, op, ": negative size");
  TORCH_CHECK(words < stream_words, op, ": ", words, " words from one stream");
  TORCH_CHECK(key.stream.item + static_cast<std::uint64_t>(rows) <= stream_items, op,
              ": rows beyond the items of a stream");
}

void check_numbers(const char* op, const c10::Device& device, std::int64_t rows,
                   const at::Tensor& numbers) {
  TORCH_CHECK(!numbers.defined() || (device.is_cpu() && numbers.scalar_type() == at::kInt &&
                                     numbers.numel() == rows && numbers.is_contiguous()),
              op, ": numbers are int32, one per row, and on the CPU");
}

void check_rate(double rate) {
  TORCH_CHECK(rate >= 0 && rate < 1, "draw_dropout: rate ", rate, " is not in [0, 1)");
}

at::Tensor floats(const c10::Device& device, at::IntArrayRef shape) {
  return at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(device));
}

at::Tensor uniform_matrix(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                          const kernels::UniformRange& range, const DrawKey& key,
                          const at::Tensor& numbers = {}) {
  check_rows(uniform_kernel.op, rows, cols, key);
  check_numbers(uniform_kernel.op, device, rows, numbers);
  at::Tensor out = floats(device, {rows, cols});
  uniform_kernel.run(
      out,
      kernels::DrawnRows{key, rows, cols, out.data_ptr<float>(), pointer<std::int32_t>(numbers)},
      range);
  return out;
}

at::Tensor kept_items(const c10::Device& device, const kernels::DropChances& chances,
                      const RandomKey& key) {
  check_rows(kept_kernel.op, 1, chances.count, key);
  at::Tensor out = floats(device, {chances.count});
  kept_kernel.run(out, key, chances, out.data_ptr<float>());
  return out;
}

}  // namespace

at::Tensor draw_uniform(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                        double scale, const DrawKey& key, const at::Tensor& numbers) {
  return uniform_matrix(device, rows, cols, {.scale = scale}, key, numbers);
}

at::Tensor draw_symmetric(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                          double bound, const RandomKey& key) {
  return uniform_matrix(device, rows, cols, {.scale = bound, .both_signs = true}, key);
}

at::Tensor draw_normal(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                       double deviation, const RandomKey& key) {
  check_rows(normal_kernel.op, rows, 2 * (cols + 1), key);
  at::Tensor out = floats(device, {rows, cols});
  normal_kernel.run(out, kernels::DrawnRows{key, rows, cols, out.data_ptr<float>()}, deviation);
  return out;
}

at::Tensor draw_dropout(const c10::Device& device, std::int64_t rows, std::int64_t cols,
                        double rate, const DrawKey& key, const at::Tensor& numbers) {
  check_rate(rate);
  check_rows(dropout_rows_kernel.op, rows, cols, key);
  check_numbers(dropout_rows_kernel.op, device, rows, numbers);
  at::Tensor out = floats(device, {rows, cols});
  dropout_rows_kernel.run(
      out,
      kernels::DrawnRows{key, rows, cols, out.data_ptr<float>(), pointer<std::int32_t>(numbers)},
      rate);
  return out;
}

at::Tensor draw_dropout(const at::Tensor& offsets, std::int64_t entries, double rate,
                        const DrawKey& key, const at::Tensor& numbers) {
  TORCH_CHECK(offsets.scalar_type() == at::kLong && offsets.dim() == 1 && offsets.numel() > 0 &&
                  offsets.is_contiguous(),
              "draw_dropout: offsets must be int64 [rows + 1]");
  check_rate(rate);
  const std::int64_t rows = offsets.numel() - 1;
  check_rows(dropout_entries_kernel.op, rows, entries, key);
  check_numbers(dropout_entries_kernel.op, offsets.device(), rows, numbers);
  at::Tensor out = floats(offsets.device(), {entries});
  dropout_entries_kernel.run(
      out,
      kernels::DrawnEntries{key, rows, offsets.data_ptr<std::int64_t>(), out.data_ptr<float>(),
                            pointer<std::int32_t>(numbers)},
      rate);
  return out;
}

at::Tensor draw_kept(const c10::Device& device, std::int64_t count, double chance,
                     const RandomKey& key) {
  return kept_items(device, {.count = count, .shared = chance}, key);
}

at::Tensor draw_kept(const at::Tensor& chances, const RandomKey& key) {
  TORCH_CHECK(chances.scalar_type() == at::kFloat && chances.dim() == 1,
              "draw_kept: chances must be float32 [count]");
  const at::Tensor own = chances.contiguous();
  return kept_items(own.device(), {.count = own.numel(), .own = own.data_ptr<float>()}, key);
}

at::Tensor draw_below(const c10::Device& device, std::int64_t count, std::int64_t bound,
                      const RandomKey& key) {
  TORCH_CHECK(bound > 0 || count == 0, "draw_below: bound ", bound, " is not positive");
  check_rows(below_kernel.op, 1, count, key);
  at::Tensor out = at::empty({count}, at::TensorOptions().dtype(at::kLong).device(device));
  below_kernel.run(out, key, bound, count, out.data_ptr<std::int64_t>());
  return out;
}

at::Tensor draw_other_rows(const c10::Device& device, std::int64_t lists, std::int64_t rows,
                           const RandomKey& key) {
  TORCH_CHECK(rows > 1, "draw_other_rows: there is no other row");
  at::Tensor out = draw_below(device, lists * rows, rows - 1, key).view({lists, rows});
  // The row itself is left out of those to choose from.
  return out.add_(out.ge(at::arange(rows, out.options())));
}

at::Tensor draw_permutation(const c10::Device& device, std::int64_t n, const RandomKey& key) {
  TORCH_CHECK(n >= 0 && n <= std::numeric_limits<std::int32_t>::max(), "draw_permutation: ", n,
              " items have no 32-bit numbers");
  at::Tensor out = at::empty({n}, at::TensorOptions().dtype(at::kInt).device(device));
  permutation_kernel.run(out, key, n, out.data_ptr<std::int32_t>());
  return out;
}

}  // namespace creg
