#include "train/part_training.h"

#include <torch/types.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "io/file.h"
#include "io/scratch_file.h"
#include "ops/tensors.h"

namespace creg {
Checkpoint read_on_all(PartExchange& part, const std::string& file) {
  PeerRanks& ranks = part.ranks();
  const auto size = static_cast<std::size_t>(ranks.size());
  Bytes bytes;
  if (ranks.rank() == 0) bytes = map_file(file);
  const auto length = bytes.size();
  const std::int64_t all =
      ranks.gather(at::full({1}, length, at::kLong)).sum().item<std::int64_t>();
  std::vector<std::int64_t> sends(size, 0);
  std::vector<std::int64_t> receives(size, 0);
  receives[0] = all;
  at::Tensor sent = at::empty({0}, at::kByte);
  if (ranks.rank() == 0) {
    std::fill(sends.begin(), sends.end(), all);
    sent = tensor_of(bytes.data, {length}, at::kByte).repeat({ranks.size()});
  }
  const auto came = host_array<std::uint8_t>(ranks.exchange(sent, sends, receives).contiguous());
  const std::span<const std::byte> read = std::as_bytes(came.span());
  return read_checkpoint(Bytes{
      .name = file, .data = read, .owner = std::make_shared<const Array<std::uint8_t>>(came)});
}

DenseMatrix gathered_rows_of_all(PartExchange& part, const DenseMatrix& own,
                                 const std::filesystem::path& folder) {
  PeerRanks& ranks = part.ranks();
  const auto size = static_cast<std::size_t>(ranks.size());
  constexpr std::int64_t rows_at_once = 1 << 16;
  const bool first = ranks.rank() == 0;
  const at::Tensor rows = as_tensor(own);
  const at::Tensor numbers = part.numbers().narrow(0, 0, part.own());
  const at::Tensor counts = ranks.gather(at::full({1}, part.own(), at::kLong)).flatten();
  const auto most = counts.max().item<std::int64_t>();
  const std::int64_t nodes = first ? part.nodes() : 0;
  const std::int64_t bytes = nodes * own.cols * std::int64_t{sizeof(float)};
  std::shared_ptr<ScratchFile> file;
  if (!folder.empty() && bytes > 0) file = std::make_shared<ScratchFile>(folder, bytes);
  at::Tensor out = file ? at::from_blob(file->data(), {nodes, own.cols}, at::kFloat)
                        : at::empty({nodes, own.cols}, at::kFloat);
  for (std::int64_t begin = 0; begin < most; begin += rows_at_once) {
    const auto piece = [&](std::int64_t count) {
      return std::clamp<std::int64_t>(count - begin, 0, rows_at_once);
    };
    std::vector<std::int64_t> sends(size, 0);
    std::vector<std::int64_t> receives(size, 0);
    sends[0] = piece(part.own());
    for (std::size_t q = 0; first && q < size; ++q) {
      receives[q] = piece(counts[static_cast<std::int64_t>(q)].item<std::int64_t>());
    }
    const std::int64_t start = std::min(begin, part.own());
    const at::Tensor places =
        ranks.exchange(numbers.narrow(0, start, sends[0]).contiguous(), sends, receives);
    const at::Tensor came =
        ranks.exchange(rows.narrow(0, start, sends[0]).contiguous(), sends, receives);
    if (first) out.index_copy_(0, places.to(at::kLong), came);
    // A rank's nodes come in the order of the graph, so that pieces to come touch other pages.
    if (file) file->set_aside(0, bytes);
  }
  if (!file) return as_dense(out);
  const std::span<const float> values(reinterpret_cast<const float*>(file->data()),
                                      static_cast<std::size_t>(nodes * own.cols));
  return {nodes, own.cols, Array<float>::view(values, file)};
}

}  // namespace creg
