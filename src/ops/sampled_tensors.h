// Sampled neighbourhoods drawn by a GPU: what graph/neighbour_sampler.h gives, to the last number,
// as tensors there.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/ops/sparse_matrix.h"
#include "graph/neighbour_sampler.h"
#include "ops/resident_array.h"

namespace creg {

/// A SampledBatch whose arrays are tensors.
struct SampledTensors {
  at::Tensor nodes;    ///< int32
  at::Tensor offsets;  ///< int64, known[hops() - 1] + 1
  at::Tensor columns;  ///< int32
  std::vector<std::int64_t> known;
  std::vector<std::int64_t> entries;  ///< offsets[known[h]] for every hop h

  int hops() const { return static_cast<int>(known.size()) - 1; }
  std::int64_t seeds() const { return known.front(); }
  /// As SampledBatch::block, in the order drawn.
  CsrTensors block(int hop) const;
};

/// NeighbourSampler of a GPU. The graph and a number per node of it stay from one batch to the
/// next; one thread at a time.
class DeviceSampler {
 public:
  /// As of NeighbourSampler, which judges the options.
  DeviceSampler(const Context& context, const CsrMatrix& gathered, SamplerOptions options,
                Residence residence = Residence::device);

  /// On the current stream. The host waits once a hop for its sizes, and once more where all
  /// neighbours are taken: how much memory the next arrays take depends on them, and a bound from
  /// the fanouts would be several times as much.
  SampledTensors sample(std::span<const std::int32_t> seeds, std::uint64_t seed,
                        std::uint32_t step);

 private:
  struct Growing;
  bool expand(Growing& batch, std::size_t hop, std::uint64_t seed, std::uint32_t step);
  bool try_sample(Growing& batch, std::span<const std::int32_t> seeds, std::uint64_t seed,
                  std::uint32_t step);

  Context context_;
  SamplerOptions options_;
  std::int64_t nodes_;
  ResidentArray<std::int64_t> graph_offsets_;
  ResidentArray<std::int32_t> graph_columns_;
  at::Tensor numbers_;  // by node of the graph; unnumbered between batches, undefined before them
  int passes_ = 3;      // over a hop's draws: as many as a batch has needed so far
};

/// The mean rows of nn/sampled_hops.h: [rows, cols], and the same turned round.
struct MeanTensors {
  CsrTensors rows;
  CsrTensors transposed;
};
MeanTensors sampled_mean_rows(const Context& context, const SampledTensors& batch,
                              std::int64_t rows, std::int64_t cols);

/// The same matrix with columns that ascend in every row.
CsrTensors with_sorted_rows(const Context& context, const CsrTensors& matrix);

/// Features of which rows are gathered on a GPU.
class ResidentFeatures {
 public:
  ResidentFeatures(const Context& context, const Features& features, Residence residence);

  bool sparse() const { return sparse_; }
  /// Of the nodes listed, int32: [nodes, cols], where the features are not sparse.
  at::Tensor dense_rows(const at::Tensor& nodes) const;
  /// Where they are: columns ascend. The host waits for the number of entries.
  CsrTensors sparse_rows(const at::Tensor& nodes) const;

 private:
  Context context_;
  bool sparse_;
  std::int64_t cols_;
  ResidentArray<float> values_;
  ResidentArray<std::int64_t> offsets_;
  ResidentArray<std::int32_t> columns_;
};

}  // namespace creg
