#include "train/layerwise.h"

#include <torch/types.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "comm/communicator.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "graph/build.h"
#include "graph/transforms.h"
#include "io/scratch_file.h"
#include "nn/sampled_hops.h"
#include "ops/row_norms.h"
#include "ops/runtime.h"
#include "ops/tensors.h"
#include "train/memory_estimate.h"
#include "train/training_step.h"

namespace creg {
namespace {

/// [nodes, width] of floats, in the host's memory or in a file.
class Rows {
 public:
  Rows(std::int64_t nodes, std::int64_t width, const std::filesystem::path* folder)
      : nodes_(nodes), width_(width) {
    if (folder == nullptr) {
      tensor_ = at::empty({nodes, width}, at::TensorOptions().dtype(at::kFloat).device(at::kCPU));
      return;
    }
    file_ = std::make_shared<ScratchFile>(*folder, nodes * width * std::int64_t{sizeof(float)});
    tensor_ = at::from_blob(file_->data(), {nodes, width}, at::kFloat);
  }

  const at::Tensor& tensor() const { return tensor_; }
  void put(std::int64_t first, const at::Tensor& rows) {
    tensor_.narrow(0, first, rows.size(0)).copy_(rows);
    const std::int64_t row_bytes = width_ * std::int64_t{sizeof(float)};
    if (file_) file_->set_aside(first * row_bytes, rows.size(0) * row_bytes);
  }

  DenseMatrix take() const {
    if (!file_) return as_dense(tensor_);
    const std::span<const float> values(reinterpret_cast<const float*>(file_->data()),
                                        static_cast<std::size_t>(nodes_ * width_));
    return {nodes_, width_, Array<float>::view(values, file_)};
  }

 private:
  std::int64_t nodes_;
  std::int64_t width_;
  std::shared_ptr<ScratchFile> file_;
  at::Tensor tensor_;
};

class Layerwise {
 public:
  Layerwise(const Context& context, const Graph& graph, const Encoder& encoder,
            const LayerwiseOptions& options)
      : context_(context),
        encoder_(encoder),
        options_(options),
        features_(graph.features),
        gathered_(graph.directed ? transpose(context, graph.adjacency) : graph.adjacency),
        nodes_(graph.nodes()),
        folder_(options.scratch.empty() ? std::filesystem::temp_directory_path() : options.scratch),
        on_disk_(2 * matrix_bytes() > options.memory),
        rows_at_once_(options.rows_at_once > 0 ? options.rows_at_once : default_rows()),
        counting_(options.world == nullptr ? context : without_stop(context)),
        progress_(counting_, "embedding", nodes_ * (options.encoder.layers + (sparse() ? 1 : 0)),
                  "rows") {}

  DenseMatrix run() {
    const at::NoGradGuard no_grad;
    std::unique_ptr<Rows> before;
    if (sparse()) before = std::make_unique<Rows>(multiplied_features());
    for (int l = 0; l < options_.encoder.layers; ++l) {
      auto out = std::make_unique<Rows>(nodes_, options_.encoder.width(l), place());
      const bool last = l + 1 == options_.encoder.layers;
      const Read read = before == nullptr
                            ? to_read(as_tensor(std::get<DenseMatrix>(features_)), false)
                            : to_read(before->tensor(), l == 0);
      fill(
          *out, options_.encoder.width(l),
          [&](std::int64_t first, std::int64_t end) {
            const at::Tensor rows = layer_of(l, read, first, end);
            return last && options_.unit_rows ? unit_rows(rows) : rows;
          },
          [&](std::int64_t first) { return block_end(first, read.most_entries); });
      before = std::move(out);
    }
    progress_.finish();
    return before->take();
  }

 private:
  static constexpr std::int64_t block_bytes = std::int64_t{64} << 20;
  static constexpr std::int64_t block_entries = std::int64_t{1} << 23;

  /// What a layer reads.
  struct Read {
    at::Tensor host;
    bool multiplied = false;
    at::Tensor there;  ///< on the device; undefined where each block gets its own
    std::int64_t most_entries = block_entries;
  };

  Read to_read(const at::Tensor& rows, bool multiplied) const {
    Read read{.host = rows, .multiplied = multiplied, .there = {}};
    const std::optional<std::int64_t> left = device_memory_left();
    const auto bytes = static_cast<std::int64_t>(rows.nbytes());
    // A hop with its values, what it gathers and what comes of it.
    constexpr std::int64_t of_block = 12 * block_entries + 4 * block_bytes;
    if (!left || safe_bytes(bytes + of_block) <= *left) {
      read.there = on_device(context_, rows);
      return read;
    }
    constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
    const std::int64_t row_bytes = std::max<std::int64_t>(1, rows.size(1)) * rows.element_size();
    read.most_entries = std::min(block_entries, std::min(*left / 2, most_bytes) / row_bytes);
    return read;
  }

  /// The least of all ranks, whose blocks are to be the same; none: no limit.
  std::optional<std::int64_t> device_memory_left() const {
    std::optional<std::int64_t> left = options_.device_memory;
    if (!left) {
      if (context_.device().type == DeviceType::cpu) return left;
      release_kept_device_memory(context_);
      left = tensor_memory_left(context_).bytes;
    }
    if (options_.world == nullptr) return left;
    return options_.world->all_gather(at::full({1}, *left, at::kLong)).min().item<std::int64_t>();
  }

  at::Tensor layer_of(int layer, const Read& read, std::int64_t first, std::int64_t end) const {
    const bool features = layer == 0 && !read.multiplied;
    if (read.there.defined()) {
      const SparseMatrix hop = mean_of_rows(context_, gathered_, first, end);
      return encoder_.evaluate_layer(layer, features ? scaled(hop) : hop,
                                     {read.there, read.multiplied});
    }
    MeanOfSome hop = mean_of_some(context_, gathered_, first, end);
    const at::Tensor rows = read.host.index_select(0, index_tensor(std::move(hop.nodes)));
    return encoder_.evaluate_layer(layer, features ? scaled(hop.mean) : hop.mean,
                                   {on_device(context_, rows), read.multiplied});
  }

  /// What a layer gathers from the features: these may be a file that is larger than the memory.
  SparseMatrix scaled(const SparseMatrix& hop) const {
    const double scale = options_.encoder.feature_scale;
    return scale == 1 ? hop : hop.with_values(hop.forward().values * scale);
  }

  bool sparse() const { return std::holds_alternative<CsrMatrix>(features_); }
  std::int64_t widest() const { return std::max(options_.encoder.width(0), options_.encoder.dim); }
  std::int64_t matrix_bytes() const { return nodes_ * widest() * std::int64_t{sizeof(float)}; }
  const std::filesystem::path* place() const { return on_disk_ ? &folder_ : nullptr; }
  std::int64_t default_rows() const {
    return std::max<std::int64_t>(1, block_bytes / (4 * widest()));
  }

  /// Makes rows first..end-1 by make(first, end), block by block; end_of(first) says where one
  /// ends. Ranks make a block each, the same ones as a process alone, and tell the others.
  template <class Make, class EndOf>
  void fill(Rows& out, std::int64_t width, const Make& make, const EndOf& end_of) {
    const int ranks = options_.world == nullptr ? 1 : options_.world->size();
    for (std::int64_t first = 0; first < nodes_;) {
      std::vector<std::int64_t> ends{first};
      for (int rank = 0; rank < ranks && ends.back() < nodes_; ++rank) {
        ends.push_back(end_of(ends.back()));
      }
      if (ranks == 1) {
        out.put(first, make(first, ends.back()));
      } else {
        const auto own = static_cast<std::size_t>(options_.world->rank());
        at::Tensor rows = at::empty({0, width}, at::TensorOptions().dtype(at::kFloat));
        if (own + 1 < ends.size()) rows = make(ends[own], ends[own + 1]);
        std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks), 0);
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) counts[i] = ends[i + 1] - ends[i];
        out.put(first, options_.world->all_gather(rows.contiguous(), counts));
        throw_if_any_stopped();
      }
      progress_.advance(ends.back() - first);
      first = ends.back();
    }
  }

  /// Ctrl-C on one rank stops all of them here.
  void throw_if_any_stopped() const {
    const at::Tensor stopped = at::full({1}, context_.stopped() ? 1 : 0, at::kLong);
    if (!options_.world->all_gather(stopped).any().item<bool>()) return;
    options_.world->finish();
    throw Interrupted();
  }

  /// Rows of many neighbours come fewer at a time.
  std::int64_t block_end(std::int64_t first, std::int64_t most_entries) const {
    const std::int64_t* const begin = gathered_.offsets.begin() + first + 1;
    const std::int64_t* const end =
        gathered_.offsets.begin() + std::min(first + rows_at_once_, nodes_) + 1;
    const std::int64_t* const stop =
        std::upper_bound(begin, end, gathered_.offsets[first] + most_entries);
    return std::max<std::int64_t>(first + 1, first + (stop - begin));
  }

  /// Sparse features are multiplied with the first weights before anything is gathered.
  Rows multiplied_features() {
    Rows out(nodes_, options_.encoder.width(0), place());
    fill(
        out, options_.encoder.width(0),
        [&](std::int64_t first, std::int64_t end) {
          std::vector<std::int32_t> nodes(static_cast<std::size_t>(end - first));
          std::iota(nodes.begin(), nodes.end(), static_cast<std::int32_t>(first));
          const FeatureMatrix part(context_, feature_rows_of(context_, features_, nodes));
          return encoder_.multiply(part.scaled(options_.encoder.feature_scale));
        },
        [&](std::int64_t first) { return std::min(first + rows_at_once_, nodes_); });
    return out;
  }

  const Context& context_;
  const Encoder& encoder_;
  const LayerwiseOptions& options_;
  const Features& features_;
  CsrMatrix gathered_;
  std::int64_t nodes_;
  std::filesystem::path folder_;
  bool on_disk_;
  std::int64_t rows_at_once_;
  Context counting_;
  ProgressTask progress_;
};

}  // namespace

DenseMatrix embed_layerwise(const Context& context, const Graph& graph, const Encoder& encoder,
                            const LayerwiseOptions& options) {
  invariant(has_features(graph.features) && runs_in_batches(options.encoder),
            "a graph with features and an encoder that runs in batches");
  return Layerwise(context, graph, encoder, options).run();
}

}  // namespace creg
