#include "ops/pair_sources.h"

#include <torch/types.h>

#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "creg/core/error.h"
#include "graph/non_edges.h"
#include "graph/random_walks.h"
#include "graph/walk_pairs.h"
#include "kernels/walks.h"
#include "ops/csr.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"
#include "ops/tensors.h"

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

constexpr KernelOnDevice<const WalkSteps&, const kernels::WalkStarts&, std::int32_t*> walk_going{
    {"walks", nullptr, CREG_ON_CUDA(cuda::walk)}};
constexpr KernelOnDevice<const kernels::WalkWindows&, const kernels::NewCsrRows&,
                         const kernels::NewCsrRows&>
    window_pairing{{"walks", nullptr, CREG_ON_CUDA(cuda::pair_windows)}};
constexpr KernelOnDevice<const kernels::NonEdges&, std::int64_t, const kernels::NewCsrRows&>
    non_edge_drawing{{"non-edges", nullptr, CREG_ON_CUDA(cuda::draw_non_edges)}};

/// `pairs` of them among `nodes`, beside `like`, yet to be written.
CsrTensors unwritten_pairs(const CsrTensors& like, std::int64_t nodes, std::int64_t pairs) {
  CsrTensors out;
  out.rows = nodes;
  out.cols = nodes;
  out.offsets = at::empty({nodes + 1}, like.offsets.options());
  out.columns = at::empty({pairs}, like.columns.options());
  return out;
}

kernels::NewCsrRows pair_places(const CsrTensors& pairs) {
  return {.offsets = pairs.offsets.data_ptr<std::int64_t>(),
          .columns = pairs.columns.data_ptr<std::int32_t>()};
}

/// The host looks at the graph once: checks it, and adds its weights up.
class DeviceWalks final : public WalkSource {
 public:
  DeviceWalks(const Context& context, const CsrTensors& adjacency, double p, double q)
      : adjacency_(adjacency) {
    const RandomWalker walker(context, host_csr(adjacency), p, q);
    steps_ = walker.steps();
    if (!walker.sums().empty()) sums_ = tensor_on(context, walker.sums());
    steps_.offsets = adjacency_.offsets.data_ptr<std::int64_t>();
    steps_.columns = adjacency_.columns.data_ptr<std::int32_t>();
    steps_.values = pointer<float>(adjacency_.values);
    steps_.sums = pointer<double>(sums_);
  }

  Pairs draw(const Context& /*context*/, const at::Tensor& starts, const WalkOptions& options,
             std::uint64_t seed, std::uint32_t step) const override {
    check_window(options.window, options.length);
    invariant(options.per_start >= 1, "a start has at least one walk");
    invariant(options.negatives >= 1, "a positive has a negative beside it");
    const at::Tensor from = starts.defined() ? starts.contiguous() : at::Tensor();
    const std::int64_t count =
        (starts.defined() ? starts.numel() : adjacency_.rows) * options.per_start;
    const at::Tensor walked = at::empty({count, options.length}, adjacency_.columns.options());
    walk_going.run(walked, steps_,
                   {.key = {seed, Purpose::walks, step, 0},
                    .starts = pointer<std::int32_t>(from),
                    .walks = count,
                    .per_start = options.per_start,
                    .length = options.length},
                   walked.data_ptr<std::int32_t>());
    const kernels::WalkWindows windows{.key = {seed, Purpose::walk_negatives, step, 0},
                                       .walked = walked.data_ptr<std::int32_t>(),
                                       .walks = count,
                                       .length = options.length,
                                       .window = options.window,
                                       .negatives = options.negatives,
                                       .nodes = adjacency_.rows};
    const std::int64_t all = count * windows.windows_each();
    Pairs out{
        .positives = unwritten_pairs(adjacency_, adjacency_.rows, all * windows.positives_each()),
        .negatives = unwritten_pairs(adjacency_, adjacency_.rows, all * windows.negatives_each())};
    window_pairing.run(walked, windows, pair_places(out.positives), pair_places(out.negatives));
    return out;
  }

 private:
  CsrTensors adjacency_;
  at::Tensor sums_;
  WalkSteps steps_;  // over the tensors above
};

/// The host looks at the graph once, and lists the non-edges where they are few.
class DeviceNonEdges final : public NonEdgeSource {
 public:
  DeviceNonEdges(const Context& context, const CsrTensors& adjacency) {
    const NonEdgeSampler sampler(context, host_csr(adjacency), "");
    edges_ = csr_tensors(context, sampler.edges());
    edges_.values.reset();
    if (sampler.listed().empty()) return;
    std::vector<std::int32_t> listed;
    listed.reserve(2 * sampler.listed().size());
    for (const auto& [from, to] : sampler.listed()) {
      listed.push_back(from);
      listed.push_back(to);
    }
    listed_ = tensor_on(context, std::move(listed));
  }

  const CsrTensors& edges() const override { return edges_; }

  CsrTensors draw(const Context& /*context*/, std::int64_t count, std::uint64_t seed,
                  std::uint32_t step) const override {
    CsrTensors out = unwritten_pairs(edges_, edges_.rows, count);
    non_edge_drawing.run(edges_.columns,
                         {.key = {seed, Purpose::negatives, step, 0},
                          .per_stream = NonEdgeSampler::block,
                          .nodes = edges_.rows,
                          .offsets = edges_.offsets.data_ptr<std::int64_t>(),
                          .columns = edges_.columns.data_ptr<std::int32_t>(),
                          .listed = pointer<std::int32_t>(listed_),
                          .listed_count = listed_.defined() ? listed_.numel() / 2 : 0},
                         count, pair_places(out));
    return out;
  }

 private:
  CsrTensors edges_;
  at::Tensor listed_;  // undefined: by trying
};

std::unique_ptr<WalkSource> walks_on_cpu(const Context& context, const CsrTensors& adjacency,
                                         double p, double q) {
  return std::make_unique<HostWalks>(context, adjacency, p, q);
}

std::unique_ptr<NonEdgeSource> non_edges_on_cpu(const Context& context,
                                                const CsrTensors& adjacency) {
  return std::make_unique<HostNonEdges>(context, adjacency);
}

std::unique_ptr<WalkSource> walks_on_cuda(const Context& context, const CsrTensors& adjacency,
                                          double p, double q) {
  return std::make_unique<DeviceWalks>(context, adjacency, p, q);
}

std::unique_ptr<NonEdgeSource> non_edges_on_cuda(const Context& context,
                                                 const CsrTensors& adjacency) {
  return std::make_unique<DeviceNonEdges>(context, adjacency);
}

constexpr OnDevice<std::unique_ptr<WalkSource>(const Context&, const CsrTensors&, double, double)>
    walking{"walks", walks_on_cpu, walks_on_cuda};
constexpr OnDevice<std::unique_ptr<NonEdgeSource>(const Context&, const CsrTensors&)>
    finding_non_edges{"non-edges", non_edges_on_cpu, non_edges_on_cuda};

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
