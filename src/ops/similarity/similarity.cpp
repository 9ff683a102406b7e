#include "ops/similarity.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "kernels/similarity.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"
#include "ops/similarity/block_rounds.h"
#include "ops/similarity/embedding_rows.h"

namespace creg {
namespace {

/// Cosines are products scaled by both norms, so that no normalised copy is needed unless the
/// products would overflow.
detail::ScaledRows scaled_for(const at::Tensor& rows, const SimilarityRequest& request) {
  const bool plain = request.k > 0 && request.similarity == Similarity::dot;
  return detail::scaled_rows(rows, plain, !plain || request.entropies);
}

/// The streamed pass: blocks of the similarity matrix on or above its diagonal, each computed once
/// and given to the nodes on both its sides.
class Pass {
 public:
  Pass(const Context& context, const at::Tensor& rows, const SimilarityRequest& request)
      : context_(context),
        request_(request),
        workers_(torch_workers()),
        rows_(rows),
        n_(rows.size(0)),
        starts_(detail::block_starts(n_, request.block_rows)) {
    const detail::ScaledRows scaled = scaled_for(rows, request);
    rows_ = scaled.rows;
    scales_ = scaled.scales;
    const auto floats = rows_.options();
    if (request_.k > 0) {
      result_.values = at::full({n_, request_.k}, -std::numeric_limits<float>::infinity(), floats);
      result_.indices = at::full({n_, request_.k}, cpu::TopKLists::vacant, floats.dtype(at::kInt));
      lists_ = {.k = request_.k,
                .values = result_.values.data_ptr<float>(),
                .indices = result_.indices.data_ptr<std::int32_t>()};
    }
    if (request_.entropies) {
      sums_tensor_ = at::zeros({2, n_}, floats.dtype(at::kDouble));
      sums_ = {.s = sums_tensor_.data_ptr<double>(),
               .s_ln_s = sums_tensor_.data_ptr<double>() + n_};
    }
    std::int64_t widest = 0;
    for (std::size_t b = 1; b < starts_.size(); ++b) {
      widest = std::max(widest, starts_[b] - starts_[b - 1]);
    }
    for (int worker = 0; worker < workers_.count(); ++worker) {
      buffers_.push_back(at::empty({widest * (widest + 2)}, floats));
    }
  }

  SimilarityResult run() {
    const auto blocks = static_cast<std::int64_t>(starts_.size()) - 1;
    ProgressTask progress(context_, "similarity of all pairs", detail::block_pairs(blocks));
    const auto meet = [&](std::int64_t i, std::int64_t j, std::int64_t worker) {
      process(i, j, buffers_[static_cast<std::size_t>(worker)]);
      progress.advance();
    };
    detail::for_block_pairs(workers_, blocks, meet);
    progress.finish();
    finish();
    return result_;
  }

 private:
  void process(std::int64_t i, std::int64_t j, const at::Tensor& buffer) {
    const at::NoGradGuard no_grad;
    cpu::Tile tile{.values = buffer.data_ptr<float>(),
                   .first_row = starts_[static_cast<std::size_t>(i)],
                   .first_column = starts_[static_cast<std::size_t>(j)]};
    tile.rows = starts_[static_cast<std::size_t>(i) + 1] - tile.first_row;
    tile.columns = starts_[static_cast<std::size_t>(j) + 1] - tile.first_column;
    if (tile.rows == 0 || tile.columns == 0) return;

    const std::int64_t size = tile.rows * tile.columns;
    at::Tensor products = buffer.narrow(0, 0, size).view({tile.rows, tile.columns});
    at::mm_out(products, rows_.narrow(0, tile.first_row, tile.rows),
               rows_.narrow(0, tile.first_column, tile.columns).t());
    float* scratch = buffer.data_ptr<float>() + size;

    if (request_.k > 0 && request_.similarity == Similarity::dot) update_top_k(tile, scratch);
    if (scales_.defined()) {
      const float* scales = scales_.data_ptr<float>();
      cpu::scale_tile(tile, scales + tile.first_row, scales + tile.first_column);
    }
    if (request_.k > 0 && request_.similarity == Similarity::cosine) update_top_k(tile, scratch);
    if (request_.entropies) cpu::update_entropies(tile, sums_, scratch);
  }

  void update_top_k(const cpu::Tile& tile, float* scratch) {
    cpu::update_top_k(tile, request_.self == SelfPairs::include, lists_, scratch);
  }

  void finish() {
    if (!request_.entropies) return;
    result_.entropies = at::empty({n_}, rows_.options());
    auto* entropies = result_.entropies.data_ptr<float>();
    for (std::int64_t i = 0; i < n_; ++i) {
      const double s = sums_.s[i];
      entropies[i] = static_cast<float>(s > 0 ? std::max(0.0, std::log(s) - sums_.s_ln_s[i] / s)
                                              : std::log(static_cast<double>(n_)));
    }
  }

  const Context& context_;
  SimilarityRequest request_;
  const Workers& workers_;
  at::Tensor rows_;
  std::int64_t n_;
  std::vector<std::int64_t> starts_;
  at::Tensor scales_;
  SimilarityResult result_;
  at::Tensor sums_tensor_;
  cpu::TopKLists lists_;
  cpu::EntropySums sums_;
  std::vector<at::Tensor> buffers_;
};

SimilarityResult pass_on_cpu(const Context& context, const at::Tensor& rows,
                             const SimilarityRequest& request) {
  return Pass(context, rows, request).run();
}

[[maybe_unused]] SimilarityResult pass_on_cuda(const Context& context, const at::Tensor& rows,
                                               const SimilarityRequest& request) {
  context.throw_if_stopped();
  const detail::ScaledRows scaled = request.checked
                                        ? scaled_for(rows, request)
                                        : detail::ScaledRows{rows, detail::inverse_row_norms(rows)};
  const std::int64_t n = rows.size(0);
  SimilarityResult result;
  kernels::SimilarityPass pass{.rows = scaled.rows.data_ptr<float>(),
                               .count = n,
                               .width = rows.size(1),
                               .scales = pointer<float>(scaled.scales),
                               .scaled_lists = request.similarity == Similarity::cosine,
                               .k = request.k,
                               .with_self = request.self == SelfPairs::include,
                               .precision = context.precision()};
  if (request.k > 0) {
    result.values = at::empty({n, request.k}, rows.options());
    // Places that nothing is found for are not all written.
    result.indices =
        at::full({n, request.k}, kernels::vacant_place, rows.options().dtype(at::kInt));
    pass.values = result.values.data_ptr<float>();
    pass.indices = result.indices.data_ptr<std::int32_t>();
  }
  if (request.entropies) {
    result.entropies = at::empty({n}, rows.options());
    pass.entropies = result.entropies.data_ptr<float>();
  }
  const DeviceLaunch lent(rows.device());
  cuda::similarity_pass(lent.launch(), pass);
  if (!request.checked && request.k > 0) {
    result.indices.masked_fill_(result.indices.eq(kernels::vacant_place), -1);
  }
  return result;
}

constexpr OnDevice<SimilarityResult(const Context&, const at::Tensor&, const SimilarityRequest&)>
    all_pairs{"similarity_pass", pass_on_cpu, CREG_ON_CUDA(pass_on_cuda)};

}  // namespace

SimilarityResult similarity_pass(const Context& context, const at::Tensor& embeddings,
                                 const SimilarityRequest& request) {
  const at::Tensor rows = detail::embedding_rows(embeddings, "similarity_pass");
  invariant(rows.size(0) <= max_nodes, "similarity_pass: nodes are numbered in 32 bits");
  invariant(request.k != 0 || request.entropies, "similarity_pass: something is asked for");
  if (request.k != 0) detail::check_top_k(request.k, rows.size(0), request.self);
  return all_pairs.of(rows.device())(context, rows, request);
}

SimilarityResult top_k_similar(const Context& context, const at::Tensor& embeddings, std::int64_t k,
                               Similarity similarity, SelfPairs self) {
  invariant(embeddings.dim() == 2, "top_k_similar: embeddings are a matrix");
  detail::check_top_k(k, embeddings.size(0), self);
  return similarity_pass(context, embeddings, {.k = k, .similarity = similarity, .self = self});
}

at::Tensor row_entropies(const Context& context, const at::Tensor& embeddings) {
  return similarity_pass(context, embeddings, {.entropies = true}).entropies;
}

}  // namespace creg
