#include "ops/sampled_tensors.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "graph/build.h"
#include "kernels/sampling.h"
#include "ops/csr.h"
#include "ops/device.h"
#include "ops/runtime/on_device.h"
#include "ops/tensors.h"

namespace creg {
namespace {

using kernels::HopSizes;
using kernels::SampledHop;

constexpr KernelOnDevice<const std::int32_t*, std::int64_t, std::int32_t*> seed_numbering{
    {"sampled seeds", nullptr, CREG_ON_CUDA(cuda::number_seeds)}};
constexpr KernelOnDevice<const std::int32_t*, std::int64_t, std::int32_t*> forgetting{
    {"sampled nodes", nullptr, CREG_ON_CUDA(cuda::forget_numbers)}};
constexpr KernelOnDevice<const SampledHop&> counting{
    {"sampled rows", nullptr, CREG_ON_CUDA(cuda::count_drawn)}};
constexpr KernelOnDevice<const SampledHop&, const RandomKey&, int, std::uint64_t*> drawing{
    {"sampled neighbours", nullptr, CREG_ON_CUDA(cuda::draw_neighbours)}};
constexpr KernelOnDevice<const SampledHop&, std::int64_t, const std::uint64_t*, HopSizes*>
    numbering{{"sampled nodes", nullptr, CREG_ON_CUDA(cuda::number_found)}};
constexpr KernelOnDevice<const kernels::SampledRows&, const kernels::NewCsrRows&> mean_listing{
    {"sampled_mean", nullptr, CREG_ON_CUDA(cuda::list_mean_rows)}};
constexpr KernelOnDevice<const kernels::GatheredRows&, float*> row_gathering{
    {"gather_rows", nullptr, CREG_ON_CUDA(cuda::gather_rows)}};
constexpr KernelOnDevice<const kernels::GatheredEntries&, std::int64_t*> offset_gathering{
    {"gather_entries", nullptr, CREG_ON_CUDA(cuda::gather_offsets)}};
constexpr KernelOnDevice<const kernels::GatheredEntries&, const kernels::NewCsrRows&>
    entry_gathering{{"gather_entries", nullptr, CREG_ON_CUDA(cuda::gather_entries)}};

/// The same start with room for `size` in all.
void grow(at::Tensor& values, std::int64_t used, std::int64_t size) {
  if (values.numel() >= size) return;
  at::Tensor larger = at::empty({size}, values.options());
  larger.narrow(0, 0, used).copy_(values.narrow(0, 0, used));
  values = std::move(larger);
}

void check_seeds(std::span<const std::int32_t> seeds, std::int64_t nodes) {
  std::vector<std::int32_t> sorted(seeds.begin(), seeds.end());
  std::sort(sorted.begin(), sorted.end());
  invariant(sorted.empty() || (sorted.front() >= 0 && sorted.back() < nodes),
            "a seed is a node of the graph");
  invariant(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
            "the seeds of a batch are distinct");
}

/// Places that a hop found are told apart from numbers by their size, in 32 bits.
void check_places(std::int64_t known, std::int64_t places) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (known + places < most) return;
  fail_input({.what = "a batch draws more neighbours than a GPU numbers at once",
              .found = std::to_string(places) + " in one hop",
              .expected = "fewer than " + std::to_string(most - known),
              .hint = "a smaller --batch-size, or smaller --fanouts"});
}

std::int64_t largest_degree(const CsrMatrix& matrix) {
  std::int64_t largest = 0;
  for (std::int64_t u = 0; u < matrix.rows; ++u) {
    largest = std::max(largest, matrix.offsets[u + 1] - matrix.offsets[u]);
  }
  return largest;
}

kernels::NewCsrRows new_places(const CsrTensors& matrix) {
  return {.offsets = matrix.offsets.data_ptr<std::int64_t>(),
          .columns = matrix.columns.data_ptr<std::int32_t>(),
          .values = matrix.values.defined() ? matrix.values.data_ptr<float>() : nullptr};
}

}  // namespace

CsrTensors SampledTensors::block(int hop) const {
  invariant(hop >= 0 && hop < hops(), "a hop is one of the batch's");
  const auto h = static_cast<std::size_t>(hop);
  return {.rows = known[h],
          .cols = known[h + 1],
          .offsets = offsets.narrow(0, 0, known[h] + 1),
          .columns = columns.narrow(0, 0, entries[h]),
          .values = {}};
}

/// A batch that is being drawn; its arrays have room behind what is known.
struct DeviceSampler::Growing {
  at::Tensor nodes;
  at::Tensor offsets;
  at::Tensor columns;
  std::vector<std::int64_t> known;
  std::vector<std::int64_t> entries;
};

DeviceSampler::DeviceSampler(const Context& context, const CsrMatrix& gathered,
                             SamplerOptions options, Residence residence)
    : context_(context),
      options_(NeighbourSampler(gathered, std::move(options)).options()),
      nodes_(gathered.rows),
      graph_offsets_(context, gathered.offsets, residence),
      graph_columns_(context, gathered.columns, residence) {
  invariant(largest_degree(gathered) <= std::numeric_limits<std::uint32_t>::max(),
            "the neighbours of a node are counted in 32 bits");
}

/// Whether the passes were enough for the hop's draws.
bool DeviceSampler::expand(Growing& batch, std::size_t hop, std::uint64_t seed,
                           std::uint32_t step) {
  const std::int64_t first = hop == 0 ? 0 : batch.known[hop - 1];
  const std::int64_t last = batch.known[hop];
  const std::int64_t begin = hop == 0 ? 0 : batch.entries[hop - 1];
  const std::int64_t rows = last - first;
  const int fanout = options_.fanouts[hop];
  const bool all = fanout == every_neighbour;
  grow(batch.offsets, first + 1, last + 1);
  const at::Tensor draw_starts = at::empty({rows + 1}, batch.offsets.options());
  SampledHop arrays{.first = first,
                    .last = last,
                    .fanout = fanout,
                    .replace = options_.replace && !all,
                    .places = 0,
                    .graph_offsets = graph_offsets_.there(),
                    .graph_columns = graph_columns_.there(),
                    .nodes = batch.nodes.data_ptr<std::int32_t>(),
                    .offsets = batch.offsets.data_ptr<std::int64_t>(),
                    .draw_starts = draw_starts.data_ptr<std::int64_t>(),
                    .columns = nullptr,
                    .numbers = numbers_.data_ptr<std::int32_t>()};
  counting.run(numbers_, arrays);
  if (all) {
    arrays.places = batch.offsets[last].item<std::int64_t>() - begin;
  } else {
    arrays.places = rows * std::int64_t{fanout};
    // No entry of the graph is taken twice.
    if (!arrays.replace) arrays.places = std::min(arrays.places, graph_columns_.size());
  }
  if (arrays.places == 0) {
    batch.known.push_back(last);
    batch.entries.push_back(begin);
    return true;
  }
  check_places(last, arrays.places);
  grow(batch.columns, begin, begin + arrays.places);
  grow(batch.nodes, last, std::min(last + arrays.places, nodes_));
  arrays.columns = batch.columns.data_ptr<std::int32_t>();
  arrays.nodes = batch.nodes.data_ptr<std::int32_t>();
  const at::Tensor rejected = at::empty({passes_}, batch.offsets.options());
  auto* const found = reinterpret_cast<std::uint64_t*>(rejected.data_ptr<std::int64_t>());
  drawing.run(numbers_, arrays, {seed, Purpose::neighbour_sampling, step, hop}, passes_, found);
  static_assert(sizeof(HopSizes) == 3 * sizeof(std::int64_t));
  const at::Tensor told = at::empty({3}, batch.offsets.options());
  numbering.run(numbers_, arrays, last, found + passes_ - 1,
                static_cast<HopSizes*>(told.data_ptr()));
  const Array<std::int64_t> sizes = host_array<std::int64_t>(told);
  batch.entries.push_back(sizes[0]);
  batch.known.push_back(sizes[1]);
  return sizes[2] == 0;
}

bool DeviceSampler::try_sample(Growing& batch, std::span<const std::int32_t> seeds,
                               std::uint64_t seed, std::uint32_t step) {
  const auto count = static_cast<std::int64_t>(seeds.size());
  if (!numbers_.defined()) {
    numbers_ = at::full({nodes_}, kernels::unnumbered, options_on(context_, at::kInt));
  }
  batch.nodes = tensor_on(context_, std::vector<std::int32_t>(seeds.begin(), seeds.end()));
  batch.offsets = at::zeros({1}, options_on(context_, at::kLong));
  batch.columns = at::empty({0}, batch.nodes.options());
  batch.known = {count};
  seed_numbering.run(numbers_, batch.nodes.data_ptr<std::int32_t>(), count,
                     numbers_.data_ptr<std::int32_t>());
  bool settled = true;
  for (std::size_t hop = 0; settled && hop < options_.fanouts.size(); ++hop) {
    settled = expand(batch, hop, seed, step);
  }
  forgetting.run(numbers_, batch.nodes.data_ptr<std::int32_t>(), batch.known.back(),
                 numbers_.data_ptr<std::int32_t>());
  return settled;
}

SampledTensors DeviceSampler::sample(std::span<const std::int32_t> seeds, std::uint64_t seed,
                                     std::uint32_t step) {
  check_seeds(seeds, nodes_);
  Growing batch;
  try {
    // A batch is a function of its arguments: it is drawn again where the passes were too few.
    while (!try_sample(batch, seeds, seed, step)) {
      batch = {};
      passes_ *= 2;
    }
  } catch (...) {
    // Nobody meets them half used.
    numbers_.reset();
    throw;
  }
  const std::int64_t drawn = batch.known[options_.fanouts.size() - 1];
  return {.nodes = batch.nodes.narrow(0, 0, batch.known.back()),
          .offsets = batch.offsets.narrow(0, 0, drawn + 1),
          .columns = batch.columns.narrow(0, 0, batch.entries.back()),
          .known = std::move(batch.known),
          .entries = std::move(batch.entries)};
}

MeanTensors sampled_mean_rows(const Context& context, const SampledTensors& batch,
                              std::int64_t rows, std::int64_t cols) {
  const std::int64_t drawn = batch.offsets.numel() - 1;
  // Rows end with a hop, or behind the last one that was drawn.
  std::int64_t listed = batch.entries.back();
  for (std::size_t h = 0; h < batch.entries.size(); ++h) {
    if (batch.known[h] == rows) listed = batch.entries[h];
  }
  CsrTensors found;
  found.rows = rows;
  found.cols = cols;
  found.offsets = at::empty({rows + 1}, batch.offsets.options());
  found.columns = at::empty({listed + rows}, batch.columns.options());
  found.values = at::empty({listed + rows}, batch.columns.options().dtype(at::kFloat));
  mean_listing.run(batch.offsets,
                   {.rows = rows,
                    .drawn = std::min(rows, drawn),
                    .cols = cols,
                    .offsets = batch.offsets.data_ptr<std::int64_t>(),
                    .columns = batch.columns.data_ptr<std::int32_t>()},
                   new_places(found));
  MeanTensors out;
  out.transposed = transpose(context, found);
  out.rows = transpose(context, out.transposed);
  return out;
}

CsrTensors with_sorted_rows(const Context& context, const CsrTensors& matrix) {
  return transpose(context, transpose(context, matrix));
}

ResidentFeatures::ResidentFeatures(const Context& context, const Features& features,
                                   Residence residence)
    : context_(context),
      sparse_(std::holds_alternative<CsrMatrix>(features)),
      cols_(feature_cols(features)) {
  if (const auto* csr = std::get_if<CsrMatrix>(&features)) {
    const CsrMatrix sorted = sort_rows(context, *csr);
    offsets_ = {context, sorted.offsets, residence};
    columns_ = {context, sorted.columns, residence};
    if (!sorted.values.empty()) values_ = {context, sorted.values, residence};
  } else {
    values_ = {context, std::get<DenseMatrix>(features).values, residence};
  }
}

at::Tensor ResidentFeatures::dense_rows(const at::Tensor& nodes) const {
  invariant(!sparse_, "dense rows are those of dense features");
  at::Tensor out = at::empty({nodes.numel(), cols_}, options_on(context_, at::kFloat));
  row_gathering.run(nodes,
                    {.rows = nodes.numel(),
                     .width = cols_,
                     .nodes = nodes.data_ptr<std::int32_t>(),
                     .from = values_.there()},
                    out.data_ptr<float>());
  return out;
}

CsrTensors ResidentFeatures::sparse_rows(const at::Tensor& nodes) const {
  invariant(sparse_, "sparse rows are those of sparse features");
  const kernels::GatheredEntries gathered{.rows = nodes.numel(),
                                          .nodes = nodes.data_ptr<std::int32_t>(),
                                          .offsets = offsets_.there(),
                                          .columns = columns_.there(),
                                          .values = values_.there()};
  CsrTensors out;
  out.rows = nodes.numel();
  out.cols = cols_;
  out.offsets = at::empty({out.rows + 1}, options_on(context_, at::kLong));
  offset_gathering.run(nodes, gathered, out.offsets.data_ptr<std::int64_t>());
  const auto entries = out.offsets[out.rows].item<std::int64_t>();
  out.columns = at::empty({entries}, nodes.options());
  if (values_.size() > 0) out.values = at::empty({entries}, options_on(context_, at::kFloat));
  entry_gathering.run(nodes, gathered, new_places(out));
  return out;
}

}  // namespace creg
