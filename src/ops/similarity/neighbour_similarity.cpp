#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "kernels/neighbours.h"
#include "kernels/similarity.h"
#include "ops/runtime/on_device.h"
#include "ops/runtime/pointers.h"
#include "ops/similarity.h"
#include "ops/similarity/embedding_rows.h"

namespace creg {
namespace {

// Rows per piece: small enough that a few nodes with very many neighbours do not hold up the rest.
constexpr std::int64_t piece_rows = 256;

/// One worker's view of a node: its distinct neighbours and the best of them.
class NeighbourRanking {
 public:
  NeighbourRanking(const CsrTensors& adjacency, const at::Tensor& rows, const at::Tensor& inverse,
                   std::int64_t k, const at::Tensor& numbers = {})
      : offsets_(adjacency.offsets.data_ptr<std::int64_t>()),
        columns_(adjacency.columns.data_ptr<std::int32_t>()),
        rows_(rows.data_ptr<float>()),
        width_(rows.size(1)),
        inverse_(inverse.defined() ? inverse.data_ptr<float>() : nullptr),
        k_(k),
        numbers_(pointer<std::int32_t>(numbers)) {}

  /// Neighbours of `node` in rising order (of their numbers, where they have some), without itself
  /// and repeats.
  const std::vector<std::int32_t>& distinct(std::int64_t node) {
    neighbours_.assign(columns_ + offsets_[node], columns_ + offsets_[node + 1]);
    const auto before = [&](std::int32_t a, std::int32_t b) { return number(a) < number(b); };
    if (!std::is_sorted(neighbours_.begin(), neighbours_.end(), before)) {
      std::sort(neighbours_.begin(), neighbours_.end(), before);
    }
    neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
    std::erase(neighbours_, static_cast<std::int32_t>(node));
    return neighbours_;
  }

  /// Writes the best min(k, number) of the neighbours last asked for, most similar first. False
  /// when a similarity is not finite, and then nothing is in order.
  bool rank(std::int64_t node, float* values, std::int32_t* indices) {
    const auto count = static_cast<std::int64_t>(neighbours_.size());
    const std::int64_t kept = std::min(count, k_);
    products_.resize(neighbours_.size());
    cpu::dot_products(rows_ + node * width_, rows_, width_, neighbours_.data(), count,
                      products_.data());
    std::fill(values, values + kept, -std::numeric_limits<float>::infinity());
    std::fill(indices, indices + kept, cpu::TopKLists::vacant);
    bool finite = true;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t other = neighbours_[static_cast<std::size_t>(i)];
      float value = products_[static_cast<std::size_t>(i)];
      if (inverse_ != nullptr) value *= inverse_[node] * inverse_[other];
      finite = finite && std::isfinite(value);
      // Of equals the one that comes first here.
      cpu::offer(value, static_cast<std::int32_t>(i), kept, values, indices);
    }
    for (std::int64_t i = 0; finite && i < kept; ++i) {
      indices[i] = neighbours_[static_cast<std::size_t>(indices[i])];
    }
    return finite;
  }

  /// What random draws call the node.
  std::int64_t number(std::int64_t node) const {
    return numbers_ == nullptr ? node : numbers_[node];
  }

  /// The neighbour at `place` in that order; -1 where rank() says false.
  std::int32_t ranked(std::int64_t node, std::size_t place) {
    best_values_.resize(neighbours_.size());
    best_indices_.resize(neighbours_.size());
    if (!rank(node, best_values_.data(), best_indices_.data())) return -1;
    return best_indices_[place];
  }

 private:
  const std::int64_t* offsets_;
  const std::int32_t* columns_;
  const float* rows_;
  std::int64_t width_;
  const float* inverse_;
  std::int64_t k_;
  const std::int32_t* numbers_;
  std::vector<std::int32_t> neighbours_;
  std::vector<float> products_;
  std::vector<float> best_values_;
  std::vector<std::int32_t> best_indices_;
};

struct Prepared {
  at::Tensor rows;
  at::Tensor inverse;  ///< undefined for dot products
};

at::Tensor checked_inverse_norms(const at::Tensor& rows) {
  return detail::inverse_norms(detail::embedding_norms(rows));
}

constexpr KernelOnDevice<const float*, std::int64_t, std::int64_t, float*> norm_inverting{
    {"draw_top_neighbour", nullptr, CREG_ON_CUDA(cuda::inverse_norms)}};

/// Without a look at whether they are finite, for which the host would have to wait.
at::Tensor unchecked_inverse_norms(const at::Tensor& rows) {
  at::Tensor out = at::empty({rows.size(0)}, rows.options());
  norm_inverting.run(rows, rows.data_ptr<float>(), rows.size(0), rows.size(1),
                     out.data_ptr<float>());
  return out;
}

/// In a training step.
constexpr OnDevice<at::Tensor(const at::Tensor&)> step_inverse_norms{
    "draw_top_neighbour", checked_inverse_norms, unchecked_inverse_norms};

/// `inverse_norms`: how to find them, where they are needed.
template <class InverseNorms>
Prepared prepare(const at::Tensor& embeddings, const CsrTensors& adjacency, std::int64_t k,
                 Similarity similarity, std::string_view operation,
                 const InverseNorms& inverse_norms) {
  Prepared out{.rows = detail::embedding_rows(embeddings, operation)};
  invariant(adjacency.cols == out.rows.size(0) && adjacency.rows <= adjacency.cols,
            std::string(operation) + ": the adjacency's columns are the embedding's rows");
  if (k < 1 || k > max_nodes) {
    fail_input({.what = "k, the number of most similar neighbours, is out of range",
                .found = std::to_string(k),
                .expected = "1 or more"});
  }
  if (similarity == Similarity::cosine) {
    out.inverse = inverse_norms(out.rows);
  }
  return out;
}

/// Some similarity was not finite: says why.
[[noreturn]] void fail_not_finite(const Prepared& prepared) {
  detail::embedding_norms(prepared.rows);
  fail_input({.what = "dot products of the embedding leave the range of float32",
              .hint = "training diverged: lower the learning rate"});
}

/// Calls body(node, ranking) for every node, in parallel.
template <class Body>
void for_nodes(const CsrTensors& adjacency, const Prepared& prepared, std::int64_t k,
               const at::Tensor& numbers, const Body& body) {
  const Workers& workers = torch_workers();
  std::vector<NeighbourRanking> rankings(
      static_cast<std::size_t>(workers.count()),
      NeighbourRanking(adjacency, prepared.rows, prepared.inverse, k, numbers));
  const std::int64_t n = adjacency.rows;
  workers.for_pieces((n + piece_rows - 1) / piece_rows,
                     [&](std::int64_t piece, std::int64_t worker) {
                       NeighbourRanking& ranking = rankings[static_cast<std::size_t>(worker)];
                       const std::int64_t last = std::min((piece + 1) * piece_rows, n);
                       for (std::int64_t i = piece * piece_rows; i < last; ++i) body(i, ranking);
                     });
}

NeighbourTopK rank_on_cpu(const CsrTensors& adjacency, const Prepared& prepared, std::int64_t k) {
  const std::int64_t n = adjacency.rows;
  NeighbourTopK out{.indices = at::full({n, k}, -1, prepared.rows.options().dtype(at::kInt)),
                    .values = at::zeros({n, k}, prepared.rows.options())};
  auto* indices = out.indices.data_ptr<std::int32_t>();
  auto* values = out.values.data_ptr<float>();
  std::atomic<bool> finite{true};
  for_nodes(adjacency, prepared, k, {}, [&](std::int64_t node, NeighbourRanking& ranking) {
    ranking.distinct(node);
    if (!ranking.rank(node, values + node * k, indices + node * k)) finite = false;
  });
  if (!finite) fail_not_finite(prepared);
  return out;
}

at::Tensor draw_on_cpu(const CsrTensors& adjacency, const Prepared& prepared, std::int64_t k,
                       std::uint64_t seed, std::uint32_t epoch, const at::Tensor& numbers) {
  const std::int64_t n = adjacency.rows;
  at::Tensor out = at::full({n}, -1, prepared.rows.options().dtype(at::kInt));
  auto* drawn = out.data_ptr<std::int32_t>();
  std::atomic<bool> finite{true};
  for_nodes(adjacency, prepared, k, numbers, [&](std::int64_t node, NeighbourRanking& ranking) {
    const std::vector<std::int32_t>& neighbours = ranking.distinct(node);
    if (neighbours.empty()) return;
    const std::size_t choices = std::min(neighbours.size(), static_cast<std::size_t>(k));
    RandomStream stream(seed, Purpose::positive_neighbour, epoch,
                        static_cast<std::uint64_t>(ranking.number(node)));
    const std::size_t choice = choices == 1 ? 0 : stream.below(choices);
    if (choices == neighbours.size()) {
      drawn[node] = neighbours[choice];
      return;
    }
    drawn[node] = ranking.ranked(node, choice);
    if (drawn[node] < 0) finite = false;
  });
  if (!finite) fail_not_finite(prepared);
  return out;
}

constexpr KernelOnDevice<const kernels::NeighbourRows&, float*, std::int32_t*> neighbour_ranking{
    {"top_k_neighbours", nullptr, CREG_ON_CUDA(cuda::rank_neighbours)}};
constexpr KernelOnDevice<const kernels::NeighbourRows&, const RandomKey&, std::int32_t*>
    neighbour_drawing{{"draw_top_neighbour", nullptr, CREG_ON_CUDA(cuda::draw_neighbours)}};

kernels::NeighbourRows neighbour_rows(const CsrTensors& adjacency, const Prepared& prepared,
                                      std::int64_t k) {
  return {.rows = adjacency.rows,
          .places = adjacency.nonzeros(),
          .offsets = adjacency.offsets.data_ptr<std::int64_t>(),
          .columns = adjacency.columns.data_ptr<std::int32_t>(),
          .embedding = prepared.rows.data_ptr<float>(),
          .width = prepared.rows.size(1),
          .inverse = pointer<float>(prepared.inverse),
          .k = k};
}

NeighbourTopK rank_on_cuda(const CsrTensors& adjacency, const Prepared& prepared, std::int64_t k) {
  const auto options = prepared.rows.options();
  NeighbourTopK out{.indices = at::empty({adjacency.rows, k}, options.dtype(at::kInt)),
                    .values = at::empty({adjacency.rows, k}, options)};
  neighbour_ranking.run(prepared.rows, neighbour_rows(adjacency, prepared, k),
                        out.values.data_ptr<float>(), out.indices.data_ptr<std::int32_t>());
  return out;
}

at::Tensor draw_on_cuda(const CsrTensors& adjacency, const Prepared& prepared, std::int64_t k,
                        std::uint64_t seed, std::uint32_t epoch, const at::Tensor& numbers) {
  TORCH_CHECK(!numbers.defined(), "draw_top_neighbour: the nodes of a part are drawn on the CPU");
  at::Tensor out = at::empty({adjacency.rows}, prepared.rows.options().dtype(at::kInt));
  neighbour_drawing.run(prepared.rows, neighbour_rows(adjacency, prepared, k),
                        RandomKey{seed, Purpose::positive_neighbour, epoch, 0},
                        out.data_ptr<std::int32_t>());
  return out;
}

constexpr OnDevice<NeighbourTopK(const CsrTensors&, const Prepared&, std::int64_t k)> ranking_on{
    "top_k_neighbours", rank_on_cpu, rank_on_cuda};
constexpr OnDevice<at::Tensor(const CsrTensors&, const Prepared&, std::int64_t k,
                              std::uint64_t seed, std::uint32_t epoch, const at::Tensor& numbers)>
    drawing_on{"draw_top_neighbour", draw_on_cpu, draw_on_cuda};

}  // namespace

NeighbourTopK top_k_neighbours(const Context& /*context*/, const at::Tensor& embeddings,
                               const CsrTensors& adjacency, std::int64_t k, Similarity similarity) {
  const Prepared prepared =
      prepare(embeddings, adjacency, k, similarity, "top_k_neighbours", checked_inverse_norms);
  return ranking_on.of(embeddings.device())(adjacency, prepared, k);
}

at::Tensor draw_top_neighbour(const Context& /*context*/, const at::Tensor& embeddings,
                              const CsrTensors& adjacency, std::int64_t k, Similarity similarity,
                              std::uint64_t seed, std::uint32_t epoch, const at::Tensor& numbers) {
  TORCH_CHECK(!numbers.defined() ||
                  (numbers.scalar_type() == at::kInt && numbers.numel() == embeddings.size(0)),
              "draw_top_neighbour: an int32 number for every row of the embeddings");
  const Prepared prepared = prepare(embeddings, adjacency, k, similarity, "draw_top_neighbour",
                                    step_inverse_norms.of(embeddings.device()));
  return drawing_on.of(embeddings.device())(adjacency, prepared, k, seed, epoch, numbers);
}

}  // namespace creg
