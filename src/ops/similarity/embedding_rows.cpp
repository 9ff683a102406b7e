#include "ops/similarity/embedding_rows.h"

#include <torch/types.h>

#include <atomic>
#include <cmath>
#include <string>

#include "creg/core/error.h"
#include "kernels/similarity.h"
#include "ops/runtime/on_device.h"

namespace creg::detail {
namespace {

constexpr std::int64_t norm_grain = 256;
// Products of rows up to this norm, and their partial sums, stay in the range of float.
constexpr double largest_plain_norm = 1.8e19;

[[noreturn]] void fail_not_finite(const at::Tensor& rows, std::int64_t row) {
  const std::int64_t width = rows.size(1);
  const at::Tensor on_host = rows.select(0, row).to(at::kCPU);
  const float* values = on_host.data_ptr<float>();
  std::int64_t column = 0;
  while (column + 1 < width && std::isfinite(values[column])) ++column;
  fail_input({.what = "the embedding holds a value that is not finite",
              .place = "node " + std::to_string(row) + ", column " + std::to_string(column + 1),
              .found = std::isnan(values[column]) ? "NaN" : "infinity",
              .hint = "training diverged: lower the learning rate"});
}

at::Tensor norms_on_cpu(const at::Tensor& rows) {
  const std::int64_t n = rows.size(0);
  at::Tensor norms = at::empty({n}, rows.options().dtype(at::kDouble));
  std::atomic<std::int64_t> first_bad{n};
  torch_workers().for_ranges(n, norm_grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t bad = cpu::finite_row_norms(begin, end, rows.size(1), rows.data_ptr<float>(),
                                                   norms.data_ptr<double>());
    if (bad < 0) return;
    std::int64_t known = first_bad.load();
    while (bad < known && !first_bad.compare_exchange_weak(known, bad)) {
    }
  });
  if (first_bad < n) fail_not_finite(rows, first_bad);
  return norms;
}

struct NormsOnCuda {
  at::Tensor norms;
  at::Tensor first_bad;  // int64, one
};

NormsOnCuda start_norms_on_cuda(const at::Tensor& rows) {
  NormsOnCuda out{.norms = at::empty({rows.size(0)}, rows.options().dtype(at::kDouble)),
                  .first_bad = at::empty({}, rows.options().dtype(at::kLong))};
  const DeviceLaunch lent(rows.device());
  cuda::row_norms(lent.launch(), {.rows = rows.data_ptr<float>(),
                                  .count = rows.size(0),
                                  .width = rows.size(1),
                                  .norms = out.norms.data_ptr<double>(),
                                  .first_bad = out.first_bad.data_ptr<std::int64_t>()});
  return out;
}

[[maybe_unused]] at::Tensor norms_on_cuda(const at::Tensor& rows) {
  const NormsOnCuda out = start_norms_on_cuda(rows);
  const auto first_bad = out.first_bad.item<std::int64_t>();
  if (first_bad < rows.size(0)) fail_not_finite(rows, first_bad);
  return out.norms;
}

[[maybe_unused]] at::Tensor unchecked_norms_on_cuda(const at::Tensor& rows) {
  return start_norms_on_cuda(rows).norms;
}

constexpr OnDevice<at::Tensor(const at::Tensor&)> finite_norms{"embedding_norms", norms_on_cpu,
                                                               CREG_ON_CUDA(norms_on_cuda)};
constexpr OnDevice<at::Tensor(const at::Tensor&)> norms_without_waiting{
    "embedding_norms", norms_on_cpu, CREG_ON_CUDA(unchecked_norms_on_cuda)};

/// Whether products of rows of these norms may leave the range of float.
bool products_overflow(const at::Tensor& norms) {
  return norms.numel() > 0 && norms.max().item<double>() > largest_plain_norm;
}

}  // namespace

at::Tensor embedding_rows(const at::Tensor& embeddings, std::string_view operation) {
  const std::string who(operation);
  invariant(embeddings.defined() && embeddings.dim() == 2, who + ": embeddings are a matrix");
  invariant(embeddings.scalar_type() == at::kFloat, who + ": embeddings are float32");
  return embeddings.detach().contiguous();
}

at::Tensor embedding_norms(const at::Tensor& rows) {
  return finite_norms.of(rows.device())(rows);
}

ScaledRows scaled_rows(const at::Tensor& rows, bool plain, bool cosines) {
  ScaledRows out{.rows = rows};
  const at::Tensor norms = embedding_norms(rows);
  const bool huge = products_overflow(norms);
  if (plain && huge) {
    fail_input({.what = "dot products of the embedding leave the range of float32",
                .hint = "training diverged: lower the learning rate, or use the cosine"});
  }
  if (!cosines) return out;
  out.scales = inverse_norms(norms);
  if (huge) {
    out.rows = rows * out.scales.unsqueeze(1);
    out.scales.fill_(1.0);
  }
  return out;
}

void check_top_k(std::int64_t k, std::int64_t nodes, SelfPairs self) {
  const std::int64_t candidates = self == SelfPairs::include ? nodes : nodes - 1;
  if (k >= 1 && k <= candidates) return;
  fail_input({.what = "k, the number of most similar nodes, is out of range",
              .found = std::to_string(k),
              .expected = candidates > 0 ? "1 to " + std::to_string(candidates)
                                         : "a graph with more nodes"});
}

at::Tensor inverse_norms(const at::Tensor& norms) {
  return norms.clamp_min(1e-12).reciprocal().to(at::kFloat);
}

at::Tensor inverse_row_norms(const at::Tensor& rows) {
  return inverse_norms(norms_without_waiting.of(rows.device())(rows));
}

}  // namespace creg::detail
