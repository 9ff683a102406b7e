#include "calibration/class_spectrum.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "ops/runtime.h"
#include "ops/tensors.h"

namespace creg {
namespace {

constexpr std::int64_t rows_at_once = 8192;

/// The sum of h hᵀ over these rows, in double.
at::Tensor moment_sum(const at::Tensor& rows, const at::Tensor& nodes, ProgressTask& progress) {
  const std::int64_t dim = rows.size(1);
  at::Tensor sum = at::zeros({dim, dim}, rows.options().dtype(at::kDouble));
  const std::int64_t count = nodes.numel();
  for (std::int64_t first = 0; first < count; first += rows_at_once) {
    const std::int64_t size = std::min(rows_at_once, count - first);
    const at::Tensor block = rows.index_select(0, nodes.narrow(0, first, size)).to(at::kDouble);
    sum.addmm_(block.t(), block);
    progress.advance(size);
  }
  return sum;
}

}  // namespace

ClassSpectrum class_spectrum(const Context& context, const DenseMatrix& embedding,
                             std::span<const std::int32_t> labels) {
  invariant(static_cast<std::int64_t>(labels.size()) == embedding.rows, "a label per row");
  prepare_torch(context);
  const at::NoGradGuard no_grad;
  std::int32_t classes = 0;
  for (const std::int32_t label : labels) classes = std::max(classes, label + 1);
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(classes));
  std::int64_t labelled = 0;
  ClassSpectrum out;
  for (std::int64_t i = 0; i < embedding.rows; ++i) {
    const std::int32_t label = labels[static_cast<std::size_t>(i)];
    if (label == unlabelled) continue;
    members[static_cast<std::size_t>(label)].push_back(i);
    ++labelled;
    double squares = 0;
    for (const float value : embedding.row(i)) squares += static_cast<double>(value) * value;
    out.radius = std::max(out.radius, std::sqrt(squares));
  }
  if (labelled == 0) {
    fail_input({.what = "no node has a label, so there are no classes to take moments of"});
  }
  const at::Tensor rows = as_tensor(context, embedding);
  ProgressTask progress(context, "moments of the classes", labelled, "nodes");
  double squares = 0;
  double bound = 0;
  for (std::int32_t c = 0; c < classes; ++c) {
    const at::Tensor nodes = tensor_on(context, std::move(members[static_cast<std::size_t>(c)]));
    if (nodes.numel() == 0) continue;
    const at::Tensor moment =
        moment_sum(rows, nodes, progress) / static_cast<double>(nodes.numel());
    ClassMoments one;
    one.label = c;
    one.nodes = nodes.numel();
    one.share = static_cast<double>(one.nodes) / static_cast<double>(labelled);
    one.sigma_max = std::max(0.0, at::linalg_eigvalsh(moment).max().item<double>());
    one.norm_squared_mean = moment.diagonal().sum().item<double>();
    one.pair_square_mean = moment.square().sum().item<double>();
    squares += one.share * one.pair_square_mean;
    bound += one.share * one.sigma_max * one.norm_squared_mean;
    out.sigma_max_mean += one.share * one.sigma_max;
    out.norm_squared_mean += one.share * one.norm_squared_mean;
    out.tau += one.share * one.share;
    out.classes.push_back(one);
  }
  progress.finish();
  out.s_f = 4 * std::sqrt(squares);
  out.s_f_bound = 4 * std::sqrt(bound);
  return out;
}

}  // namespace creg
