#include "contrast/node_mask.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "creg/ops/aggregate.h"

namespace creg {
namespace {

std::int64_t share_of(double share, std::int64_t count) {
  return static_cast<std::int64_t>(share * static_cast<double>(count));
}

}  // namespace

NodeMask draw_node_mask(std::int64_t nodes, const MaskOptions& options, std::uint64_t seed,
                        std::uint32_t step) {
  invariant(nodes > 0, "there are nodes to mask");
  RandomStream stream(seed, Purpose::node_mask, step, 0);
  const std::vector<std::int32_t> order =
      random_permutation(static_cast<std::int32_t>(nodes), stream);
  const std::int64_t masked = std::clamp<std::int64_t>(share_of(options.rate, nodes), 1, nodes);
  const std::int64_t replaced = share_of(options.replace, masked);
  const std::int64_t hidden = options.replace == 0 ? masked : share_of(1 - options.replace, masked);
  NodeMask mask;
  mask.nodes.assign(order.begin(), order.begin() + masked);
  mask.visible.assign(order.begin() + masked, order.end());
  mask.hidden.assign(order.begin(), order.begin() + hidden);
  mask.replaced.assign(order.begin() + masked - replaced, order.begin() + masked);
  std::sort(mask.nodes.begin(), mask.nodes.end());
  std::sort(mask.visible.begin(), mask.visible.end());
  RandomStream others(seed, Purpose::node_mask, step, 1);
  for (std::int64_t i = 0; i < replaced; ++i) {
    mask.shown.push_back(
        static_cast<std::int32_t>(others.below(static_cast<std::uint64_t>(nodes))));
  }
  return mask;
}

CsrMatrix choice_matrix(const std::vector<std::int32_t>& chosen, std::int64_t rows) {
  std::vector<std::int64_t> offsets(chosen.size() + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  return {.rows = static_cast<std::int64_t>(chosen.size()),
          .cols = rows,
          .offsets = std::move(offsets),
          .columns = chosen,
          .values = {}};
}

at::Tensor masked_rows(const Context& context, const NodeMask& mask, const at::Tensor& rows,
                       const at::Tensor& tokens) {
  const auto nodes = static_cast<std::int32_t>(rows.size(0));
  const bool own = tokens.size(0) > 1;
  invariant(!own || tokens.size(0) == static_cast<std::int64_t>(mask.hidden.size()),
            "a token for all hidden nodes, or one each");
  std::vector<std::int32_t> source(static_cast<std::size_t>(nodes));
  std::iota(source.begin(), source.end(), 0);
  for (std::size_t i = 0; i < mask.hidden.size(); ++i) {
    source[static_cast<std::size_t>(mask.hidden[i])] =
        nodes + (own ? static_cast<std::int32_t>(i) : 0);
  }
  for (std::size_t i = 0; i < mask.replaced.size(); ++i) {
    source[static_cast<std::size_t>(mask.replaced[i])] = mask.shown[i];
  }
  const SparseMatrix choice(context, choice_matrix(source, nodes + tokens.size(0)));
  return aggregate(choice, at::cat({rows, tokens}, 0));
}

}  // namespace creg
