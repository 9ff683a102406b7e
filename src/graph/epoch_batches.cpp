#include "graph/epoch_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/permutation.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/graph/graph.h"

namespace creg {

std::int64_t batches_per_epoch(std::int64_t nodes, std::int64_t batch_size) {
  if (batch_size < 1) {
    fail_input({.what = "a batch needs at least one node",
                .found = fmt::format("a batch size of {}", batch_size),
                .expected = fmt::format("1 to {}", with_commas(nodes))});
  }
  if (batch_size > nodes) {
    fail_input({.what = "a batch is larger than the nodes it is drawn from",
                .found = fmt::format("a batch size of {} with {} nodes", with_commas(batch_size),
                                     with_commas(nodes)),
                .expected = fmt::format("1 to {}", with_commas(nodes)),
                .hint = "take a smaller batch, or train on the whole graph at once"});
  }
  return (nodes + batch_size - 1) / batch_size;
}

EpochBatches::EpochBatches(std::int64_t nodes, std::int64_t batch_size, std::uint64_t seed,
                           std::uint32_t epoch)
    : batch_size_(batch_size), size_(batches_per_epoch(nodes, batch_size)) {
  invariant(nodes <= max_nodes, "nodes have 32-bit numbers");
  order_ = keyed_permutation({seed, Purpose::batch_order, epoch}, nodes);
}

EpochBatches::EpochBatches(std::span<const std::int32_t> nodes, std::int64_t batch_size,
                           std::uint64_t seed, std::uint32_t epoch)
    : batch_size_(batch_size),
      size_(batches_per_epoch(static_cast<std::int64_t>(nodes.size()), batch_size)) {
  std::vector<std::int32_t> order = keyed_permutation({seed, Purpose::batch_order, epoch},
                                                      static_cast<std::int64_t>(nodes.size()));
  for (std::int32_t& item : order) item = nodes[static_cast<std::size_t>(item)];
  order_ = std::move(order);
}

std::span<const std::int32_t> EpochBatches::operator[](std::int64_t i) const {
  invariant(i >= 0 && i < size_, "a batch is one of its epoch's");
  const std::int64_t first = i * batch_size_;
  return order_.span().subspan(
      static_cast<std::size_t>(first),
      static_cast<std::size_t>(std::min(batch_size_, order_.size() - first)));
}

}  // namespace creg
