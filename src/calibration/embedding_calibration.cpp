#include "calibration/embedding_calibration.h"

#include <torch/types.h>

#include <algorithm>

#include "calibration/random_pairs.h"
#include "ops/row_norms.h"
#include "ops/tensors.h"

namespace creg {
namespace {

DenseMatrix rows_of(const DenseMatrix& matrix, std::span<const std::int32_t> rows) {
  Buffer<float> values(static_cast<std::int64_t>(rows.size()) * matrix.cols);
  std::int64_t place = 0;
  for (const std::int32_t row : rows) {
    for (const float value : matrix.row(row)) values[place++] = value;
  }
  return {.rows = static_cast<std::int64_t>(rows.size()),
          .cols = matrix.cols,
          .values = std::move(values)};
}

}  // namespace

EmbeddingCalibration embedding_calibration(const Context& context, const Graph& graph,
                                           const DenseMatrix& embedding, const PairOptions& pairs,
                                           const PairCalibrationOptions& options) {
  EmbeddingCalibration out;
  const PairSample sample = sample_pairs(context, graph, embedding, pairs);
  out.pairs = pair_calibration(context, sample, graph.labels, options);
  const NormStatistics norms = norm_statistics(as_tensor(context, embedding));
  out.norm_mean = norms.mean.item<double>();
  out.norm_variance = norms.variance.item<double>();
  const auto labels = graph.labels.span();
  if (std::any_of(labels.begin(), labels.end(), [](auto label) { return label != unlabelled; })) {
    out.spectrum = class_spectrum(context, embedding, labels);
  }
  return out;
}

double unlabelled_score(const Context& context, const DenseMatrix& embedding) {
  constexpr std::int64_t pairs = 20'000;
  const RandomPairStatistics found = random_pair_statistics(context, embedding, pairs);
  return found.norm_variance * (1 - found.mean_sigma);
}

std::optional<double> ece_among(const Context& context, const Graph& graph,
                                const DenseMatrix& embedding, std::span<const std::int32_t> nodes) {
  if (nodes.size() < 2) return std::nullopt;
  Graph part;
  part.name = graph.name;
  part.adjacency.rows = part.adjacency.cols = static_cast<std::int64_t>(nodes.size());
  part.adjacency.offsets = Buffer<std::int64_t>(part.adjacency.rows + 1);
  std::vector<std::int32_t> labels;
  for (const std::int32_t node : nodes) labels.push_back(graph.labels[node]);
  const std::int64_t k = std::min<std::int64_t>(5, part.adjacency.rows);
  const PairSample sample = sample_pairs(context, part, rows_of(embedding, nodes), {.k = k});
  const PairCalibration pairs = pair_calibration(context, sample, labels, {.resamples = 0});
  if (!pairs.labelled) return std::nullopt;
  return pairs.labelled->ece.ece();
}

}  // namespace creg
