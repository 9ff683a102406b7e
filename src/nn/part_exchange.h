// A part of a graph among the others: rows of nodes that other ranks own, with the way back for
// their gradients.
//
// Gradients come back through the same exchanges in the other direction, so all ranks must make all
// of them, in one order. A step therefore begins with begin_step() and hands its loss to
// end_step(): what is differentiable in between hangs on one chain.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "graph/graph_parts.h"
#include "nn/peer_ranks.h"
#include "ops/row_choice.h"

namespace creg {

class PartExchange {
 public:
  /// `owners`: the part of every node of the whole graph. Neither the ranks nor the numbers of the
  /// part are copied: they outlive this.
  PartExchange(PeerRanks& ranks, const GraphPart& part, Array<std::int32_t> owners);

  PeerRanks& ranks() { return ranks_; }
  std::int64_t own() const { return own_; }
  std::int64_t rows() const { return numbers_.numel(); }  ///< own nodes and halo
  std::int64_t nodes() const { return owners_.size(); }   ///< of the whole graph
  /// int32 [rows]: the number in the whole graph of each node here. Random draws go by it.
  const at::Tensor& numbers() const { return numbers_; }

  /// Rows of the own nodes (float32), followed by those of the halo.
  at::Tensor with_halo(const at::Tensor& own_rows);
  /// The rows of any nodes, by their number in the whole graph (int32), some perhaps several times.
  at::Tensor rows_of(const at::Tensor& own_rows, const at::Tensor& nodes);
  /// The sum over all ranks; its gradient is the sum of theirs.
  at::Tensor sum(const at::Tensor& values);
  /// The mean of the rows of all nodes.
  at::Tensor mean_of_rows(const at::Tensor& own_rows);
  /// What share of a mean over all ranks' items is a mean over `count` items of this one: their
  /// number over that of all. 0 where nobody has any.
  double share(std::int64_t count);

  /// With halo, of any type and without gradients: for what is prepared before training.
  at::Tensor plain_with_halo(const at::Tensor& own_values);

  /// The values (one-dimensional) of all ranks, in their order, of which each has its own number.
  at::Tensor lists_of_all(const at::Tensor& list);

  void begin_step();
  /// The loss itself, on which the gradients of all exchanges since begin_step() depend.
  at::Tensor end_step(const at::Tensor& loss);

 private:
  /// Who sends how many rows to whom.
  struct Routes {
    std::vector<std::int64_t> sends;
    std::vector<std::int64_t> receives;
  };
  at::Tensor exchanged(const at::Tensor& rows, const Routes& routes);

  PeerRanks& ranks_;
  std::int64_t own_;
  Array<std::int32_t> owners_;
  Array<std::int32_t> own_nodes_;  // numbers, ascending
  at::Tensor numbers_;
  at::Tensor sent_;       // int64: own rows that others have in their halo
  SparseMatrix sending_;  // takes them
  Routes halo_;
  at::Tensor chain_;  // one float32, 0: undefined outside of a step
};

}  // namespace creg
