#include "train/part_session.h"

#include <torch/types.h>

#include <algorithm>
#include <cstring>

#include "comm/communicator.h"
#include "core/memory_limits.h"
#include "creg/core/error.h"
#include "nn/communicator_ranks.h"
#include "ops/tensors.h"
#include "train/part_training.h"
#include "train/same_ranks.h"

namespace creg {

TextPairs graph_identity(const PartitionManifest& manifest) {
  return {{"dataset", manifest.dataset},
          {"nodes", std::to_string(manifest.nodes)},
          {"entries", std::to_string(manifest.entries)},
          {"feature_width", std::to_string(std::max<std::int64_t>(0, manifest.features))},
          {"edges_checksum", manifest.edges_checksum},
          {"features_checksum", manifest.features_checksum}};
}

namespace {

/// Its graph with as many classes as the whole one.
GraphPart with_all_classes(const StoredPart& stored) {
  GraphPart part = stored.part;
  std::vector<std::string>& names = part.graph.class_names;
  for (auto c = static_cast<std::int64_t>(names.size()); c < stored.manifest.classes; ++c) {
    names.push_back(std::to_string(c));
  }
  return part;
}

/// Rows of all ranks, in their order, on rank 0; else none.
at::Tensor at_first_rank(PeerRanks& ranks, const at::Tensor& rows) {
  const auto size = static_cast<std::size_t>(ranks.size());
  const at::Tensor counts = ranks.gather(at::full({1}, rows.size(0), at::kLong)).flatten();
  std::vector<std::int64_t> sends(size, 0);
  std::vector<std::int64_t> receives(size, 0);
  sends[0] = rows.size(0);
  if (ranks.rank() == 0) {
    const auto values = host_array<std::int64_t>(counts);
    receives.assign(values.begin(), values.end());
  }
  return ranks.exchange(rows, sends, receives);
}

std::vector<std::int32_t> sorted_values(const at::Tensor& numbers) {
  const auto values = host_array<std::int32_t>(numbers.contiguous());
  std::vector<std::int32_t> out(values.begin(), values.end());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

struct PartSession::State {
  State(Communicator& all, const StoredPart& its)
      : communicator(all),
        stored(its),
        ranks(all),
        part(with_all_classes(its)),
        exchange(std::make_shared<PartExchange>(ranks, part, its.owners)) {}

  Communicator& communicator;
  const StoredPart& stored;
  CommunicatorRanks ranks;
  GraphPart part;
  std::shared_ptr<PartExchange> exchange;
};

PartSession::PartSession(Communicator& communicator, const StoredPart& stored)
    : state_(std::make_unique<State>(communicator, stored)) {}

PartSession::~PartSession() = default;

int PartSession::rank() const {
  return state_->ranks.rank();
}

int PartSession::size() const {
  return state_->ranks.size();
}

int PartSession::ranks_here() const {
  return state_->communicator.ranks_here();
}

void PartSession::check_same(const TextPairs& things) {
  creg::check_same(state_->communicator, things);
}

TrainResult PartSession::train(const Context& context, const TrainConfig& config,
                               const RunFiles& files, TrainObserver* observer,
                               std::span<const std::int32_t> labelled) {
  const PartOfRun part{.part = state_->part,
                       .exchange = state_->exchange,
                       .identity = graph_identity(state_->stored.manifest)};
  try {
    return train_on_part(context, part, config, files, observer, labelled);
  } catch (const Interrupted&) {
    // All ranks stop after the same epoch, and none of them is lost.
    state_->communicator.finish();
    throw;
  }
}

DenseMatrix PartSession::gathered(const DenseMatrix& own, const std::filesystem::path& folder) {
  const std::int64_t bytes = state_->exchange->nodes() * own.cols * std::int64_t{sizeof(float)};
  const bool fits = bytes <= memory_left().bytes / (4 * ranks_here());
  return gathered_rows_of_all(*state_->exchange, own, fits ? std::filesystem::path() : folder);
}

Graph PartSession::nodes_of_all() {
  PeerRanks& ranks = state_->ranks;
  const GraphPart& part = state_->part;
  const std::int64_t own = part.own;
  const bool first = rank() == 0;
  const std::int64_t nodes = first ? state_->exchange->nodes() : 0;
  Graph all;
  all.name = state_->stored.manifest.dataset;
  all.directed = part.graph.directed;
  all.class_names = part.graph.class_names;
  all.adjacency = {.rows = nodes,
                   .cols = nodes,
                   .offsets = std::vector<std::int64_t>(static_cast<std::size_t>(nodes) + 1, 0),
                   .columns = {},
                   .values = {}};
  const at::Tensor own_numbers = state_->exchange->numbers().narrow(0, 0, own).contiguous();
  const at::Tensor numbers = at_first_rank(ranks, own_numbers).to(at::kLong);
  if (part.graph.has_labels()) {
    const at::Tensor labels =
        at_first_rank(ranks, as_tensor(part.graph.labels).narrow(0, 0, own).contiguous());
    if (first) {
      all.labels =
          host_array<std::int32_t>(at::empty({nodes}, at::kInt).index_copy_(0, numbers, labels));
    }
  }
  for (const Split& split : part.graph.splits) {
    const auto everywhere = [&](const Array<std::int32_t>& rows) {
      const at::Tensor here = own_numbers.index_select(0, as_tensor(rows));
      return sorted_values(at_first_rank(ranks, here));
    };
    Split joined{.name = split.name,
                 .train = everywhere(split.train),
                 .val = everywhere(split.val),
                 .test = everywhere(split.test)};
    if (first) all.splits.push_back(std::move(joined));
  }
  if (part.graph.names.empty()) return all;
  const NodeNames& names = part.graph.names;
  const auto characters = static_cast<std::size_t>(names.offsets()[own]);
  const at::Tensor text =
      at_first_rank(ranks, tensor_of(std::as_bytes(names.characters().span().first(characters)),
                                     {static_cast<std::int64_t>(characters)}, at::kByte));
  std::vector<std::int32_t> own_lengths;
  for (std::int64_t i = 0; i < own; ++i) {
    own_lengths.push_back(static_cast<std::int32_t>(names[i].size()));
  }
  const auto lengths = host_array<std::int32_t>(at_first_rank(ranks, index_tensor(own_lengths)));
  if (!first) return all;
  const auto bytes = host_array<std::uint8_t>(text);
  const auto places = host_array<std::int64_t>(numbers);
  std::vector<std::int64_t> starts(static_cast<std::size_t>(nodes));
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(nodes) + 1, 0);
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < nodes; ++i) {
    starts[static_cast<std::size_t>(places[i])] = next;
    offsets[static_cast<std::size_t>(places[i]) + 1] = lengths[i];
    next += lengths[i];
  }
  std::vector<char> joined(static_cast<std::size_t>(next));
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto length = static_cast<std::size_t>(offsets[i + 1]);
    if (length > 0) {
      std::memcpy(joined.data() + offsets[i], bytes.data() + starts[i], length);
    }
    offsets[i + 1] += offsets[i];
  }
  all.names = NodeNames(Array<std::int64_t>(std::move(offsets)), Array<char>(std::move(joined)));
  return all;
}

std::optional<double> PartSession::from_first(const std::optional<double>& value) {
  const at::Tensor said =
      at::tensor({value ? 1.0 : 0.0, value.value_or(0)}, at::dtype(at::kDouble));
  const auto all = host_array<double>(state_->ranks.gather(said));
  if (all[0] == 0) return std::nullopt;
  return all[1];
}

void PartSession::barrier() {
  state_->communicator.barrier();
}

}  // namespace creg
