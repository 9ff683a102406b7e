#include "contrast/node_mask.h"

#include <torch/types.h>

#include <algorithm>
#include <tuple>

#include "creg/core/error.h"
#include "creg/ops/aggregate.h"
#include "ops/device.h"
#include "ops/random.h"
#include "ops/row_choice.h"

namespace creg {
namespace {

std::int64_t share_of(double share, std::int64_t count) {
  return static_cast<std::int64_t>(share * static_cast<double>(count));
}

at::Tensor ascending(const at::Tensor& nodes) {
  return std::get<0>(at::sort(nodes));
}

}  // namespace

NodeMask draw_node_mask(const Context& context, std::int64_t nodes, const MaskOptions& options,
                        std::uint64_t seed, std::uint32_t step) {
  invariant(nodes > 0, "there are nodes to mask");
  const at::Tensor order =
      draw_permutation(device_of(context), nodes, {seed, Purpose::node_mask, step, 0});
  const std::int64_t masked = std::clamp<std::int64_t>(share_of(options.rate, nodes), 1, nodes);
  const std::int64_t replaced = share_of(options.replace, masked);
  const std::int64_t hidden = options.replace == 0 ? masked : share_of(1 - options.replace, masked);
  return {
      .nodes = ascending(order.narrow(0, 0, masked)),
      .visible = ascending(order.narrow(0, masked, nodes - masked)),
      .hidden = order.narrow(0, 0, hidden),
      .replaced = order.narrow(0, masked - replaced, replaced),
      .shown = draw_below(device_of(context), replaced, nodes, {seed, Purpose::node_mask, step, 1})
                   .to(at::kInt)};
}

at::Tensor masked_rows(const NodeMask& mask, const at::Tensor& rows, const at::Tensor& tokens) {
  const std::int64_t nodes = rows.size(0);
  const std::int64_t hidden = mask.hidden.numel();
  invariant(tokens.size(0) == 1 || tokens.size(0) == hidden,
            "a token for all hidden nodes, or one each");
  const at::TensorOptions numbers = mask.hidden.options();
  const at::Tensor token = tokens.size(0) > 1 ? at::arange(nodes, nodes + hidden, numbers)
                                              : at::full({hidden}, nodes, numbers);
  const at::Tensor source = at::arange(nodes, numbers)
                                .index_copy_(0, mask.hidden.to(at::kLong), token)
                                .index_copy_(0, mask.replaced.to(at::kLong), mask.shown);
  return aggregate(choice_matrix(source, nodes + tokens.size(0)), at::cat({rows, tokens}, 0));
}

}  // namespace creg
