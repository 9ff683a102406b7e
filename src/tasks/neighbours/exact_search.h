// Nodes compared with all others, by libtorch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "creg/core/array.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/ops/similarity_options.h"

namespace creg::tasks {

/// `wide` places for each of some nodes, the most similar first, -1 where nothing is. Those of the
/// first node begin at `start`.
struct Found {
  std::int64_t wide = 0;
  Array<std::int32_t> neighbours;
  Array<float> scores;
  std::int64_t start = 0;
};

class ExactSearch {
 public:
  /// `context` and `embedding` must outlive it.
  ExactSearch(const Context& context, const DenseMatrix& embedding, Similarity similarity);
  ExactSearch(const ExactSearch&) = delete;
  ExactSearch& operator=(const ExactSearch&) = delete;
  ~ExactSearch();

  /// The `wide` most similar others of these nodes; `shown` says who sees the progress.
  Found of_nodes(const Context& shown, std::span<const std::int32_t> nodes,
                 std::int64_t wide) const;
  /// Those of all nodes, for half the work.
  Found of_all(std::int64_t wide) const;

 private:
  struct Rows;

  const Context& context_;
  std::unique_ptr<Rows> rows_;
  Similarity similarity_;
};

}  // namespace creg::tasks
