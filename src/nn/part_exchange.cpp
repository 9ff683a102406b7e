#include "nn/part_exchange.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/types.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "creg/core/error.h"
#include "creg/ops/aggregate.h"
#include "ops/tensor_memory.h"
#include "ops/tensors.h"

namespace creg {
namespace {

using torch::autograd::Node;
using torch::autograd::variable_list;
using AcrossRanks = std::function<at::Tensor(const at::Tensor&)>;

/// The way back of something that all ranks do together. Its second result is the chain, which has
/// no gradient of its own.
struct AcrossRanksBackward : public Node {
  AcrossRanks back;
  std::vector<std::int64_t> sizes;  // of the result
  at::TensorOptions options;

  variable_list apply(variable_list&& gradients) override {
    const at::NoGradGuard no_grad;
    // Other ranks wait for this one even where nothing here depended on what they sent.
    const at::Tensor gradient =
        gradients[0].defined() ? gradients[0].contiguous() : at::zeros(sizes, options);
    return {back(gradient), gradients[1]};
  }
  std::string name() const override { return "creg::AcrossRanksBackward"; }
};

/// there(values), with `chain` drawn through it where gradients go back.
at::Tensor across_ranks(const at::Tensor& values, at::Tensor& chain, const AcrossRanks& there,
                        const AcrossRanks& back) {
  at::Tensor out;
  {
    const at::NoGradGuard no_grad;
    out = there(values.detach().contiguous());
  }
  if (!torch::autograd::compute_requires_grad(values)) return out;
  invariant(chain.defined(), "gradients cross ranks within a step alone");
  std::shared_ptr<AcrossRanksBackward> node(new AcrossRanksBackward(), torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(values, chain));
  node->back = back;
  node->sizes = out.sizes().vec();
  node->options = out.options();
  at::Tensor next = chain.detach().clone();
  torch::autograd::set_history(out, node);
  torch::autograd::set_history(next, node);
  chain = next;
  return out;
}

std::vector<std::int64_t> counts_of(const at::Tensor& counts) {
  const auto values = host_array<std::int64_t>(counts.contiguous());
  return {values.begin(), values.end()};
}

std::int64_t in_all(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

}  // namespace

PartExchange::PartExchange(PeerRanks& ranks, const GraphPart& part, Array<std::int32_t> owners)
    : ranks_(ranks), own_(part.own), owners_(std::move(owners)), numbers_(as_tensor(part.nodes)) {
  const auto size = static_cast<std::size_t>(ranks.size());
  invariant(part.send_offsets.size() == ranks.size() + 1, "a rank for every part");
  own_nodes_ = host_array<std::int32_t>(numbers_.narrow(0, 0, own_));
  const at::Tensor sent = as_tensor(part.send_nodes);
  sent_ = sent.to(at::kLong);
  sending_ = choice_matrix(sent, own_);
  halo_.sends.resize(size);
  halo_.receives.resize(size);
  for (std::size_t q = 0; q < size; ++q) {
    const auto i = static_cast<std::int64_t>(q);
    halo_.sends[q] = part.send_offsets[i + 1] - part.send_offsets[i];
  }
  for (const std::int32_t owner : part.halo_owners) {
    ++halo_.receives[static_cast<std::size_t>(owner)];
  }
}

at::Tensor PartExchange::exchanged(const at::Tensor& rows, const Routes& routes) {
  PeerRanks& ranks = ranks_;
  return across_ranks(
      rows, chain_,
      [&](const at::Tensor& sent) { return ranks.exchange(sent, routes.sends, routes.receives); },
      [&ranks, routes](const at::Tensor& gradient) {
        return ranks.exchange(gradient, routes.receives, routes.sends);
      });
}

at::Tensor PartExchange::with_halo(const at::Tensor& own_rows) {
  TORCH_CHECK(own_rows.dim() == 2 && own_rows.size(0) == own_, "with_halo: rows of the own nodes");
  return at::cat({own_rows, exchanged(aggregate(sending_, own_rows), halo_)}, 0);
}

at::Tensor PartExchange::plain_with_halo(const at::Tensor& own_values) {
  const at::NoGradGuard no_grad;
  const at::Tensor sent = own_values.index_select(0, sent_).contiguous();
  return at::cat({own_values, ranks_.exchange(sent, halo_.sends, halo_.receives)}, 0);
}

at::Tensor PartExchange::rows_of(const at::Tensor& own_rows, const at::Tensor& nodes) {
  TORCH_CHECK(own_rows.dim() == 2 && own_rows.size(0) == own_, "rows_of: rows of the own nodes");
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (nodes.numel() + rows() > most) {
    fail_input({.what = "a rank would ask for more rows than 32-bit numbers count",
                .file = "negatives",
                .found = std::to_string(nodes.numel()),
                .expected = "at most " + std::to_string(most - rows()),
                .hint = "fewer --negatives, or more parts"});
  }
  const auto wanted = host_array<std::int32_t>(nodes.contiguous());
  // Requests by owner, each in the order of `nodes`.
  const auto size = static_cast<std::size_t>(ranks_.size());
  Routes asking;
  asking.sends.resize(size);
  for (const std::int32_t node : wanted) {
    ++asking.sends[static_cast<std::size_t>(owners_[node])];
  }
  std::vector<std::int64_t> next(size, 0);
  std::partial_sum(asking.sends.begin(), asking.sends.end() - 1, next.begin() + 1);
  std::vector<std::int32_t> requests(static_cast<std::size_t>(wanted.size()));
  std::vector<std::int32_t> places(requests.size());  // of the answer to each
  for (std::int64_t i = 0; i < wanted.size(); ++i) {
    const std::int64_t place = next[static_cast<std::size_t>(owners_[wanted[i]])]++;
    requests[static_cast<std::size_t>(place)] = wanted[i];
    places[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(place);
  }
  const at::Tensor counts = ranks_.gather(at::tensor(asking.sends, at::kLong));
  asking.receives = counts_of(counts.select(1, ranks_.rank()));

  const auto asked = host_array<std::int32_t>(
      ranks_.exchange(index_tensor(std::move(requests)), asking.sends, asking.receives));
  std::vector<std::int32_t> rows;
  rows.reserve(static_cast<std::size_t>(asked.size()));
  for (const std::int32_t node : asked) {
    const auto* const found = std::lower_bound(own_nodes_.begin(), own_nodes_.end(), node);
    invariant(found != own_nodes_.end() && *found == node, "a rank is asked for its own nodes");
    rows.push_back(static_cast<std::int32_t>(found - own_nodes_.begin()));
  }
  const at::Tensor sent = aggregate(choice_matrix(index_tensor(std::move(rows)), own_), own_rows);
  const at::Tensor came = exchanged(sent, {.sends = asking.receives, .receives = asking.sends});
  const std::int64_t answers = in_all(asking.sends);
  return aggregate(choice_matrix(index_tensor(std::move(places)), answers), came);
}

at::Tensor PartExchange::sum(const at::Tensor& values) {
  PeerRanks& ranks = ranks_;
  const auto add = [&ranks](const at::Tensor& here) { return ranks.sum(here); };
  return across_ranks(values, chain_, add, add);
}

at::Tensor PartExchange::mean_of_rows(const at::Tensor& own_rows) {
  return sum(own_rows.sum(0)) / static_cast<double>(nodes());
}

double PartExchange::share(std::int64_t count) {
  const std::int64_t all =
      in_all(counts_of(ranks_.gather(at::full({1}, count, at::kLong)).flatten()));
  return all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
}

at::Tensor PartExchange::lists_of_all(const at::Tensor& list) {
  const std::vector<std::int64_t> sends(static_cast<std::size_t>(ranks_.size()), list.numel());
  const at::Tensor counts = ranks_.gather(at::full({1}, list.numel(), at::kLong)).flatten();
  return ranks_.exchange(list.repeat({ranks_.size()}), sends, counts_of(counts));
}

void PartExchange::begin_step() {
  // What others ask for is of another size in every step: blocks that are kept for the next tensor
  // of their size would add up.
  const TensorMemory memory = tensor_memory();
  if (memory.kept_bytes > memory.peak_bytes + memory.peak_bytes / 4) release_kept_tensor_memory();
  chain_ = at::zeros({}, at::kFloat).set_requires_grad(true);
}

at::Tensor PartExchange::end_step(const at::Tensor& loss) {
  return loss + std::exchange(chain_, at::Tensor());
}

}  // namespace creg
