#include "creg/ops/info_nce.h"

#include <torch/types.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "creg/core/progress.h"
#include "kernels/info_nce.h"
#include "ops/row_norms.h"
#include "ops/runtime/autograd_node.h"
#include "ops/runtime/on_device.h"
#include "ops/similarity/block_rounds.h"

namespace creg {
namespace {

/// All pairs of some unit rows in blocks.
class Blocks {
 public:
  Blocks(const Context& context, const at::Tensor& rows, std::int64_t block_rows)
      : context_(context),
        workers_(torch_workers()),
        rows_(rows),
        starts_(detail::block_starts(rows.size(0), block_rows)) {
    std::int64_t widest = 0;
    for (std::size_t b = 1; b < starts_.size(); ++b) {
      widest = std::max(widest, starts_[b] - starts_[b - 1]);
    }
    for (int worker = 0; worker < workers_.count(); ++worker) {
      buffers_.push_back(at::empty({widest * (widest + 1)}, rows.options()));
    }
  }

  /// Calls body(tile, products, scratch) for each pair of blocks with its products.
  template <class Body>
  void for_tiles(const std::string& label, const Body& body) const {
    const auto blocks = static_cast<std::int64_t>(starts_.size()) - 1;
    ProgressTask progress(context_, label, detail::block_pairs(blocks));
    const auto meet = [&](std::int64_t i, std::int64_t j, std::int64_t worker) {
      const at::NoGradGuard no_grad;
      const at::Tensor& buffer = buffers_[static_cast<std::size_t>(worker)];
      cpu::Tile tile{.values = buffer.data_ptr<float>(),
                     .first_row = starts_[static_cast<std::size_t>(i)],
                     .first_column = starts_[static_cast<std::size_t>(j)]};
      tile.rows = starts_[static_cast<std::size_t>(i) + 1] - tile.first_row;
      tile.columns = starts_[static_cast<std::size_t>(j) + 1] - tile.first_column;
      progress.advance();
      if (tile.rows == 0 || tile.columns == 0) return;
      const std::int64_t size = tile.rows * tile.columns;
      at::Tensor products = buffer.narrow(0, 0, size).view({tile.rows, tile.columns});
      at::mm_out(products, block(tile.first_row, tile.rows),
                 block(tile.first_column, tile.columns).t());
      body(tile, products, buffer.data_ptr<float>() + size);
    };
    detail::for_block_pairs(workers_, blocks, meet);
    progress.finish();
  }

  at::Tensor block(std::int64_t first, std::int64_t count) const {
    return rows_.narrow(0, first, count);
  }

 private:
  const Context& context_;
  const Workers& workers_;
  at::Tensor rows_;
  std::vector<std::int64_t> starts_;
  std::vector<at::Tensor> buffers_;
};

at::Tensor sums_on_cpu(const Context& context, const at::Tensor& rows, float inverse,
                       std::int64_t block_rows) {
  at::Tensor sums = at::zeros({rows.size(0)}, rows.options().dtype(at::kDouble));
  auto* const values = sums.data_ptr<double>();
  Blocks(context, rows, block_rows)
      .for_tiles("InfoNCE over all pairs",
                 [&](const cpu::Tile& tile, const at::Tensor& /*products*/, float* scratch) {
                   cpu::add_exponentials(tile, inverse, values, scratch);
                 });
  return sums;
}

void add_pulls_on_cpu(const Context& context, const at::Tensor& rows, const at::Tensor& weights,
                      float inverse, std::int64_t block_rows, const at::Tensor& gradient) {
  const Blocks blocks(context, rows, block_rows);
  const auto* const weight = weights.data_ptr<float>();
  blocks.for_tiles("gradient of InfoNCE",
                   [&](const cpu::Tile& tile, const at::Tensor& products, float* /*scratch*/) {
                     cpu::weigh_exponentials(tile, inverse, weight);
                     gradient.narrow(0, tile.first_row, tile.rows)
                         .addmm_(products, blocks.block(tile.first_column, tile.columns));
                     if (tile.diagonal()) return;
                     gradient.narrow(0, tile.first_column, tile.columns)
                         .addmm_(products.t(), blocks.block(tile.first_row, tile.rows));
                   });
}

kernels::UnitRows unit_rows_of(const Context& context, const at::Tensor& rows, float inverse) {
  return {.values = rows.data_ptr<float>(),
          .count = rows.size(0),
          .width = rows.size(1),
          .inverse_temperature = inverse,
          .precision = context.precision()};
}

[[maybe_unused]] at::Tensor sums_on_cuda(const Context& context, const at::Tensor& rows,
                                         float inverse, std::int64_t /*block_rows*/) {
  at::Tensor sums = at::empty({rows.size(0)}, rows.options().dtype(at::kDouble));
  const DeviceLaunch lent(rows.device());
  cuda::sum_exponentials(lent.launch(), unit_rows_of(context, rows, inverse),
                         sums.data_ptr<double>());
  return sums;
}

[[maybe_unused]] void add_pulls_on_cuda(const Context& context, const at::Tensor& rows,
                                        const at::Tensor& weights, float inverse,
                                        std::int64_t /*block_rows*/, const at::Tensor& gradient) {
  const DeviceLaunch lent(rows.device());
  cuda::add_exponential_pulls(lent.launch(), unit_rows_of(context, rows, inverse),
                              weights.data_ptr<float>(), gradient.data_ptr<float>());
}

/// float64, one per row: the sum of e^{(s-1)/t} over all other rows.
constexpr OnDevice<at::Tensor(const Context&, const at::Tensor& rows, float inverse,
                              std::int64_t block_rows)>
    sums_over_others{"info_nce", sums_on_cpu, CREG_ON_CUDA(sums_on_cuda)};

/// Adds to `gradient` the sum over all other rows z' of e^{(s-1)/t} (weight + weight') z'.
constexpr OnDevice<void(const Context&, const at::Tensor& rows, const at::Tensor& weights,
                        float inverse, std::int64_t block_rows, const at::Tensor& gradient)>
    add_pulls{"info_nce", add_pulls_on_cpu, CREG_ON_CUDA(add_pulls_on_cuda)};

/// Of unit rows: both views one below the other.
struct InfoNceBackward : public OnceDifferentiable {
  std::unique_ptr<const Context> context;
  at::Tensor rows;     // [2N, d]
  at::Tensor inverse;  // float64 [2N]: 1 / the shifted denominator
  double temperature = 1;
  ViewNegatives negatives = ViewNegatives::both_views;
  std::int64_t block_rows = 0;

  torch::autograd::variable_list gradients(torch::autograd::variable_list&& outputs) override {
    const std::int64_t nodes = rows.size(0) / 2;
    const auto inverse_temperature = static_cast<float>(1 / temperature);
    at::Tensor gradient = at::zeros_like(rows);
    const at::Tensor weights = inverse.to(at::kFloat);
    const auto pull = add_pulls.of(rows.device());
    if (negatives == ViewNegatives::both_views) {
      pull(*context, rows, weights, inverse_temperature, block_rows, gradient);
    } else {
      for (const std::int64_t first : {std::int64_t{0}, nodes}) {
        pull(*context, rows.narrow(0, first, nodes), weights.narrow(0, first, nodes).contiguous(),
             inverse_temperature, block_rows, gradient.narrow(0, first, nodes));
      }
    }
    // The positive: in the numerator of both losses and, for negatives of the own view, in their
    // denominators beside the sums.
    const at::Tensor u = rows.narrow(0, 0, nodes);
    const at::Tensor v = rows.narrow(0, nodes, nodes);
    at::Tensor share = at::full({nodes, 1}, -2.0, inverse.options());
    if (negatives == ViewNegatives::own_view) {
      const at::Tensor own = (((u * v).sum(1).to(at::kDouble) - 1) / temperature).exp();
      share += (own * (inverse.narrow(0, 0, nodes) + inverse.narrow(0, nodes, nodes))).unsqueeze(1);
    }
    const at::Tensor positive = share.to(at::kFloat);
    gradient.narrow(0, 0, nodes).add_(v * positive);
    gradient.narrow(0, nodes, nodes).add_(u * positive);
    const double scale = 1 / (temperature * static_cast<double>(2 * nodes));
    gradient.mul_(outputs[0] * scale);
    return {gradient};
  }
  std::string op() const override { return "info_nce"; }
  std::string name() const override { return "creg::InfoNceBackward"; }
};

}  // namespace

at::Tensor info_nce(const Context& context, const at::Tensor& u, const at::Tensor& v,
                    double temperature, ViewNegatives negatives, std::int64_t block_rows) {
  TORCH_CHECK(u.dim() == 2 && u.sizes() == v.sizes() && u.scalar_type() == at::kFloat &&
                  v.scalar_type() == at::kFloat && u.size(0) > 0,
              "info_nce: two float32 matrices of one shape, with at least one row");
  TORCH_CHECK(temperature > 0, "info_nce: the temperature is ", temperature);
  const at::Tensor rows = at::cat({unit_rows(u), unit_rows(v)});
  const bool gradient = wants_gradient(rows);
  const std::int64_t nodes = u.size(0);
  const auto inverse_temperature = static_cast<float>(1 / temperature);
  at::Tensor loss;
  at::Tensor sums;
  at::Tensor unit;
  {
    const at::NoGradGuard no_grad;
    unit = rows.detach();
    const at::Tensor first = unit.narrow(0, 0, nodes);
    const at::Tensor second = unit.narrow(0, nodes, nodes);
    const at::Tensor own = ((first * second).sum(1).to(at::kDouble) - 1) / temperature;
    const auto sums_of = sums_over_others.of(unit.device());
    if (negatives == ViewNegatives::both_views) {
      sums = sums_of(context, unit, inverse_temperature, block_rows);
    } else {
      sums = at::cat({sums_of(context, first, inverse_temperature, block_rows),
                      sums_of(context, second, inverse_temperature, block_rows)});
      sums += own.exp().repeat({2});
    }
    // What was taken off the exponents is in the numerator and in the denominator.
    loss = (sums.log().mean() - own.mean()).to(at::kFloat);
  }
  if (gradient) {
    auto node = make_node<InfoNceBackward>(rows);
    node->context = std::make_unique<const Context>(context);
    node->rows = unit;
    node->inverse = sums.reciprocal();
    node->temperature = temperature;
    node->negatives = negatives;
    node->block_rows = block_rows;
    attach(loss, node);
  }
  return loss;
}

}  // namespace creg
