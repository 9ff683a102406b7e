#include "ops/pair_sources.h"

#include <torch/types.h>

#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "graph/non_edges.h"
#include "graph/random_walks.h"
#include "graph/walk_pairs.h"
#include "ops/csr.h"
#include "ops/runtime/on_device.h"

namespace creg {
namespace {

class HostWalks final : public WalkSource {
 public:
  HostWalks(const Context& context, const CsrTensors& adjacency, double p, double q)
      : walker_(context, host_csr(adjacency), p, q),
        all_(static_cast<std::size_t>(adjacency.rows)) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  Pairs draw(const Context& context, const at::Tensor& starts, const WalkOptions& options,
             std::uint64_t seed, std::uint32_t step) const override {
    std::span<const std::int32_t> from = all_;
    at::Tensor given;
    if (starts.defined()) {
      given = starts.contiguous();
      from = {given.data_ptr<std::int32_t>(), static_cast<std::size_t>(given.numel())};
    }
    const Walks walks = walker_.walk(context, from, options.per_start, options.length, seed, step);
    const WalkPairs pairs =
        walk_pairs(context, walks, options.window, options.negatives, walker_.nodes(), seed, step);
    return {csr_tensors(context, pairs.positives), csr_tensors(context, pairs.negatives)};
  }

 private:
  RandomWalker walker_;
  std::vector<std::int32_t> all_;
};

class HostNonEdges final : public NonEdgeSource {
 public:
  HostNonEdges(const Context& context, const CsrTensors& adjacency)
      : sampler_(context, host_csr(adjacency), ""), edges_(csr_tensors(context, sampler_.edges())) {
    edges_.values.reset();
  }

  const CsrTensors& edges() const override { return edges_; }

  CsrTensors draw(const Context& context, std::int64_t count, std::uint64_t seed,
                  std::uint32_t step) const override {
    return csr_tensors(context, sampler_.draw_rows(context, seed, Purpose::negatives, step, count));
  }

 private:
  NonEdgeSampler sampler_;
  CsrTensors edges_;
};

std::unique_ptr<WalkSource> walks_on_cpu(const Context& context, const CsrTensors& adjacency,
                                         double p, double q) {
  return std::make_unique<HostWalks>(context, adjacency, p, q);
}

std::unique_ptr<NonEdgeSource> non_edges_on_cpu(const Context& context,
                                                const CsrTensors& adjacency) {
  return std::make_unique<HostNonEdges>(context, adjacency);
}

constexpr OnDevice<std::unique_ptr<WalkSource>(const Context&, const CsrTensors&, double, double)>
    walking{"walks", walks_on_cpu};
constexpr OnDevice<std::unique_ptr<NonEdgeSource>(const Context&, const CsrTensors&)>
    finding_non_edges{"non-edges", non_edges_on_cpu};

}  // namespace

std::unique_ptr<WalkSource> make_walk_source(const Context& context, const CsrTensors& adjacency,
                                             double p, double q) {
  return walking.of(adjacency.columns.device())(context, adjacency, p, q);
}

std::unique_ptr<NonEdgeSource> make_non_edge_source(const Context& context,
                                                    const CsrTensors& adjacency) {
  return finding_non_edges.of(adjacency.columns.device())(context, adjacency);
}

}  // namespace creg
