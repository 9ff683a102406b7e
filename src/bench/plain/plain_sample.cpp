#include "bench/plain/plain_sample.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <utility>

#include "ops/tensors.h"

namespace creg {

PlainSampler::PlainSampler(const CsrMatrix& gathered, SamplerOptions options, std::uint64_t seed)
    : options_(std::move(options)),
      generator_(at::detail::createCPUGenerator(seed)),
      offsets_(as_tensor(gathered.offsets)),
      columns_(as_tensor(gathered.columns).to(at::kLong)),
      local_(at::full({gathered.rows}, -1, at::kLong)) {}

std::int64_t PlainSampler::bytes() const {
  return static_cast<std::int64_t>(offsets_.nbytes() + columns_.nbytes() + local_.nbytes());
}

PlainSampler::Drawn PlainSampler::draw(const at::Tensor& frontier, int fanout) {
  const at::Tensor starts = offsets_.index_select(0, frontier);
  const at::Tensor degrees = offsets_.index_select(0, frontier + 1) - starts;
  const bool all = fanout == every_neighbour;
  at::Tensor counts = degrees;
  if (!all) {
    counts = options_.replace ? degrees.clamp(0, 1) * fanout : degrees.clamp_max(fanout);
  }
  const at::Tensor rows = at::repeat_interleave(counts);
  const at::Tensor row_degrees = degrees.index_select(0, rows);
  const at::Tensor before = counts.cumsum(0) - counts;
  at::Tensor places = at::arange(rows.size(0), at::kLong) - before.index_select(0, rows);
  if (!all) {
    const at::Tensor random =
        (at::rand(rows.sizes(), generator_, at::kFloat) * row_degrees).to(at::kLong);
    // A product rounded up to the degree would be the next row's first entry.
    const at::Tensor drawn = at::minimum(random, row_degrees - 1);
    places = options_.replace ? drawn : at::where(row_degrees > fanout, drawn, places);
  }
  places += starts.index_select(0, rows);
  return {.rows = rows, .columns = columns_.index_select(0, places)};
}

at::Tensor PlainSampler::unknown_nodes(const at::Tensor& columns) {
  const at::Tensor unknown = columns.masked_select(local_.index_select(0, columns) < 0);
  // Half the time of at::unique: of several places of a node the one whose number stays is kept,
  // whichever of them was written last.
  const at::Tensor places = at::arange(unknown.size(0), at::kLong);
  local_.index_put_({unknown}, places);
  return unknown.masked_select(local_.index_select(0, unknown) == places);
}

PlainSample PlainSampler::sample(const at::Tensor& seeds) {
  const at::NoGradGuard no_grad;
  local_.index_put_({seeds}, at::arange(seeds.size(0), at::kLong));
  std::vector<at::Tensor> found = {seeds};
  std::vector<at::Tensor> rows;
  std::vector<at::Tensor> columns;
  std::int64_t known = seeds.size(0);
  for (const int fanout : options_.fanouts) {
    const at::Tensor frontier = found.back();
    Drawn drawn = draw(frontier, fanout);
    const at::Tensor fresh = unknown_nodes(drawn.columns);
    local_.index_put_({fresh}, at::arange(known, known + fresh.size(0), at::kLong));
    rows.push_back(drawn.rows.add_(known - frontier.size(0)));
    columns.push_back(local_.index_select(0, drawn.columns));
    found.push_back(fresh);
    known += fresh.size(0);
  }
  PlainSample out{.nodes = at::cat(found), .rows = at::cat(rows), .columns = at::cat(columns)};
  local_.index_fill_(0, out.nodes, -1);
  return out;
}

}  // namespace creg
