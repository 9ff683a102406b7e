#include "calibration/pair_sample.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "calibration/node_pairs.h"
#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "creg/ops/aggregate.h"
#include "graph/normalise.h"
#include "ops/csr.h"
#include "ops/runtime.h"
#include "ops/similarity.h"
#include "ops/tensors.h"
#include "tasks/embedding_rows.h"

namespace creg {
namespace {

constexpr std::int64_t most_anchors = 10'000;
constexpr std::int64_t grain = 256;
// Draws of one sample: each has its own part of the stream.
constexpr std::uint32_t anchor_draw = 0;
constexpr std::uint32_t negative_draw = 1;
constexpr std::uint32_t edge_draw = 2;

double sigma_of(std::span<const float> a, std::span<const float> b) {
  return calibration::sigma(calibration::dot(a, b));
}

std::vector<std::int32_t> draw_anchors(std::uint64_t seed, std::int64_t nodes, std::int64_t count) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(nodes));
  std::iota(all.begin(), all.end(), 0);
  if (count == nodes) return all;
  RandomStream stream(seed, Purpose::calibration_pairs, anchor_draw);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto other =
        i + static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(nodes - i)));
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(other)]);
  }
  all.resize(static_cast<std::size_t>(count));
  std::sort(all.begin(), all.end());
  return all;
}

/// Puts a list of k per anchor, filled up with -1, into the sample.
void take_lists(const at::Tensor& lists, PairSample& sample) {
  const auto values = host_array<std::int32_t>(lists);
  const std::int64_t k = lists.size(1);
  for (std::int64_t i = 0; i < lists.size(0); ++i) {
    for (std::int64_t p = 0; p < k && values[i * k + p] >= 0; ++p) {
      sample.positives.push_back(values[i * k + p]);
    }
    sample.offsets.push_back(static_cast<std::int64_t>(sample.positives.size()));
  }
}

/// The neighbours of a node without itself and without repeats.
std::vector<std::int32_t> other_neighbours(const CsrMatrix& adjacency, std::int32_t node) {
  const auto row = adjacency.row(node);
  std::vector<std::int32_t> found(row.begin(), row.end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::erase(found, node);
  return found;
}

/// k of each anchor's neighbours, without repeats.
void take_edges(std::uint64_t seed, const CsrMatrix& adjacency, PairSample& sample) {
  for (const std::int32_t anchor : sample.anchors) {
    std::vector<std::int32_t> found = other_neighbours(adjacency, anchor);
    RandomStream stream(seed, Purpose::calibration_pairs, edge_draw,
                        static_cast<std::uint64_t>(anchor));
    shuffle(std::span<std::int32_t>(found), stream);
    const auto count = std::min<std::size_t>(found.size(), static_cast<std::size_t>(sample.k));
    sample.positives.insert(sample.positives.end(), found.begin(),
                            found.begin() + static_cast<std::ptrdiff_t>(count));
    sample.offsets.push_back(static_cast<std::int64_t>(sample.positives.size()));
  }
}

void take_top_k(const Context& context, const DenseMatrix& embedding, const PairOptions& options,
                PairSample& sample) {
  const at::Tensor rows = as_tensor(context, embedding);
  const bool all = static_cast<std::int64_t>(sample.anchors.size()) == embedding.rows;
  take_lists(all ? top_k_similar(context, rows, options.k, options.similarity, options.self).indices
                 : top_k_of_nodes(context, rows, tensor_on(context, sample.anchors), options.k,
                                  options.similarity, options.self)
                       .indices,
             sample);
}

void sample_negatives(const Context& context, std::int64_t nodes, PairSample& sample) {
  sample.negatives.resize(sample.anchors.size() * static_cast<std::size_t>(sample.k));
  for (std::size_t i = 0; i < sample.anchors.size(); ++i) {
    const std::int32_t anchor = sample.anchors[i];
    RandomStream stream(context.seed(), Purpose::calibration_pairs, negative_draw,
                        static_cast<std::uint64_t>(anchor));
    for (std::int64_t p = 0; p < sample.k; ++p) {
      sample.negatives[i * static_cast<std::size_t>(sample.k) + static_cast<std::size_t>(p)] =
          calibration::another_node(stream, nodes, anchor);
    }
  }
}

/// sigma of every pair, with the rows of `anchors` for the nodes that are anchors.
void fill_sigmas(const Context& context, const DenseMatrix& anchors, const DenseMatrix& embedding,
                 PairSample& sample) {
  sample.positive_sigma.resize(sample.positives.size());
  sample.negative_sigma.resize(sample.negatives.size());
  const auto count = static_cast<std::int64_t>(sample.anchors.size());
  parallel_for(context, 0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto anchor = anchors.row(sample.anchors[static_cast<std::size_t>(i)]);
      const auto last = sample.offsets[static_cast<std::size_t>(i) + 1];
      for (std::int64_t p = sample.offsets[static_cast<std::size_t>(i)]; p < last; ++p) {
        const auto place = static_cast<std::size_t>(p);
        sample.positive_sigma[place] = sigma_of(anchor, embedding.row(sample.positives[place]));
      }
      for (std::int64_t p = i * sample.k; p < (i + 1) * sample.k; ++p) {
        const auto place = static_cast<std::size_t>(p);
        sample.negative_sigma[place] = sigma_of(anchor, embedding.row(sample.negatives[place]));
      }
    }
  });
}

}  // namespace

std::int64_t anchor_count(std::int64_t nodes, const PairOptions& options) {
  if (options.anchors == 0) return std::min(nodes, most_anchors);
  if (options.anchors < 0 || options.anchors > nodes) {
    fail_input({.what = "the number of anchors is out of range",
                .file = "--anchors",
                .found = std::to_string(options.anchors),
                .expected = "1 to " + std::to_string(nodes)});
  }
  return options.anchors;
}

PairSample sample_pairs(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                        const PairOptions& options) {
  tasks::check_rows(graph, embedding);
  if (embedding.rows < 2) {
    fail_input({.what = "a single node makes no pairs",
                .file = tasks::subject(graph),
                .expected = "a graph with at least 2 nodes"});
  }
  if (options.k < 1) {
    fail_input({.what = "every anchor needs a pair",
                .file = "--k",
                .found = std::to_string(options.k),
                .expected = "1 or more"});
  }
  prepare_torch(context);
  const at::NoGradGuard no_grad;
  PairSample sample;
  sample.k = options.k;
  sample.anchors =
      draw_anchors(context.seed(), embedding.rows, anchor_count(embedding.rows, options));
  sample.offsets = {0};
  switch (options.source) {
    case PairSource::top_k:
      take_top_k(context, embedding, options, sample);
      break;
    case PairSource::neighbours: {
      const at::Tensor lists =
          top_k_neighbours(context, as_tensor(context, embedding),
                           csr_tensors(context, graph.adjacency), options.k, Similarity::dot)
              .indices;
      take_lists(lists.index_select(0, tensor_on(context, sample.anchors)), sample);
      break;
    }
    case PairSource::propagation:
      for (const std::int32_t anchor : sample.anchors) {
        sample.positives.push_back(anchor);
        sample.offsets.push_back(static_cast<std::int64_t>(sample.positives.size()));
      }
      break;
    case PairSource::edges:
      take_edges(context.seed(), graph.adjacency, sample);
      break;
  }
  sample_negatives(context, embedding.rows, sample);
  if (options.source == PairSource::propagation) {
    const SparseMatrix propagation(context, gcn_normalised(context, graph.adjacency),
                                   SparseMatrix::Shape::forward);
    const DenseMatrix deeper = as_dense(aggregate(propagation, as_tensor(context, embedding)));
    fill_sigmas(context, deeper, embedding, sample);
  } else {
    fill_sigmas(context, embedding, embedding, sample);
  }
  return sample;
}

}  // namespace creg
