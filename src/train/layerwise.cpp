#include "train/layerwise.h"

#include <torch/types.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <variant>
#include <vector>

#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "graph/build.h"
#include "graph/transforms.h"
#include "io/scratch_file.h"
#include "nn/sampled_hops.h"
#include "ops/row_norms.h"
#include "ops/tensors.h"

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
        progress_(context, "embedding", nodes_ * (options.encoder.layers + (sparse() ? 1 : 0)),
                  "rows") {}

  DenseMatrix run() {
    const at::NoGradGuard no_grad;
    Projected x;
    std::unique_ptr<Rows> before;
    if (sparse()) {
      before = std::make_unique<Rows>(multiplied_features());
      x = {on_device(context_, before->tensor()), true};
    } else {
      x = {as_tensor(context_, std::get<DenseMatrix>(features_)), false};
    }
    for (int l = 0; l < options_.encoder.layers; ++l) {
      auto out = std::make_unique<Rows>(nodes_, options_.encoder.width(l), place());
      const bool last = l + 1 == options_.encoder.layers;
      for (std::int64_t first = 0; first < nodes_;) {
        const std::int64_t end = block_end(first);
        const SparseMatrix hop = mean_of_rows(context_, gathered_, first, end);
        at::Tensor rows = encoder_.evaluate_layer(l, hop, x);
        if (last && options_.unit_rows) rows = unit_rows(rows);
        out->put(first, rows);
        progress_.advance(end - first);
        first = end;
      }
      before = std::move(out);
      x = {on_device(context_, before->tensor()), false};
    }
    progress_.finish();
    return before->take();
  }

 private:
  bool sparse() const { return std::holds_alternative<CsrMatrix>(features_); }
  std::int64_t widest() const { return std::max(options_.encoder.width(0), options_.encoder.dim); }
  std::int64_t matrix_bytes() const { return nodes_ * widest() * std::int64_t{sizeof(float)}; }
  const std::filesystem::path* place() const { return on_disk_ ? &folder_ : nullptr; }
  std::int64_t default_rows() const {
    constexpr std::int64_t block_bytes = std::int64_t{64} << 20;
    return std::max<std::int64_t>(1, block_bytes / (4 * widest()));
  }

  /// Rows of many neighbours come fewer at a time.
  std::int64_t block_end(std::int64_t first) const {
    constexpr std::int64_t most_entries = std::int64_t{1} << 23;
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
    std::vector<std::int32_t> nodes;
    for (std::int64_t first = 0; first < nodes_; first += rows_at_once_) {
      const std::int64_t end = std::min(first + rows_at_once_, nodes_);
      nodes.resize(static_cast<std::size_t>(end - first));
      std::iota(nodes.begin(), nodes.end(), static_cast<std::int32_t>(first));
      const FeatureMatrix part(context_, feature_rows_of(context_, features_, nodes));
      out.put(first, encoder_.multiply(part));
      progress_.advance(end - first);
    }
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
