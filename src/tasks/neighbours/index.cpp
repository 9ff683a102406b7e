#include "tasks/neighbours/index.h"

#include "creg/core/error.h"

#ifdef CREG_HAS_FAISS
#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "creg/core/progress.h"
#endif

namespace creg::tasks {

#ifdef CREG_HAS_FAISS

namespace {

// Rows that are copied at a time.
constexpr std::int64_t rows_at_once = 4096;
// Rows per centre that the centres are made of.
constexpr std::int64_t rows_of_a_centre = 50;
constexpr int index_seed = 1;

/// Of both what finds a centre and what is behind it about as many are looked through.
std::int64_t list_count(std::int64_t rows) {
  const auto root = static_cast<std::int64_t>(2 * std::sqrt(static_cast<double>(rows)));
  return std::clamp<std::int64_t>(root, 1, std::max<std::int64_t>(1, rows / 40));
}

}  // namespace

struct NeighbourIndex::Parts {
  Parts(const DenseMatrix& rows, Similarity by)
      : embedding(rows),
        similarity(by),
        centres(static_cast<int>(rows.cols)),
        index(&centres, static_cast<std::size_t>(rows.cols),
              static_cast<std::size_t>(list_count(rows.rows)), faiss::METRIC_INNER_PRODUCT) {
    index.cp.seed = index_seed;
    index.cp.min_points_per_centroid = 1;
  }

  /// The row as the index has it: of length 1 for cosines, which are then products.
  void copy_row(std::int64_t node, float* out) const {
    const auto row = embedding.row(node);
    double scale = 1;
    if (similarity == Similarity::cosine) {
      double squares = 0;
      for (const float value : row) squares += static_cast<double>(value) * value;
      scale = 1 / std::max(std::sqrt(squares), 1e-12);
    }
    std::transform(row.begin(), row.end(), out,
                   [&](float value) { return static_cast<float>(scale * value); });
  }

  const DenseMatrix& embedding;
  Similarity similarity;
  faiss::IndexFlatIP centres;
  faiss::IndexIVFFlat index;
};

bool has_neighbour_index() {
  return true;
}

NeighbourIndex::NeighbourIndex(const Context& context, const DenseMatrix& embedding,
                               Similarity similarity)
    : parts_(std::make_unique<Parts>(embedding, similarity)) {
  const std::int64_t n = embedding.rows;
  const auto width = static_cast<std::size_t>(embedding.cols);
  const std::int64_t sample = std::min(n, rows_of_a_centre * lists());
  std::vector<float> rows(static_cast<std::size_t>(sample) * width);
  for (std::int64_t i = 0; i < sample; ++i) {
    parts_->copy_row(i * n / sample, rows.data() + static_cast<std::size_t>(i) * width);
  }
  context.throw_if_stopped();
  parts_->index.train(sample, rows.data());
  rows.assign(static_cast<std::size_t>(std::min(n, rows_at_once)) * width, 0);
  ProgressTask progress(context, "filling the index", n, "nodes");
  for (std::int64_t first = 0; first < n; first += rows_at_once) {
    const std::int64_t count = std::min(rows_at_once, n - first);
    for (std::int64_t i = 0; i < count; ++i) {
      parts_->copy_row(first + i, rows.data() + static_cast<std::size_t>(i) * width);
    }
    parts_->index.add(count, rows.data());
    progress.advance(count);
  }
  progress.finish();
}

NeighbourIndex::~NeighbourIndex() = default;

std::int64_t NeighbourIndex::lists() const {
  return static_cast<std::int64_t>(parts_->index.nlist);
}

void NeighbourIndex::look_through(std::int64_t lists) {
  parts_->index.nprobe = static_cast<std::size_t>(lists);
}

void NeighbourIndex::search(std::span<const std::int32_t> nodes, std::int64_t k,
                            std::int32_t* neighbours, float* scores) const {
  const auto width = static_cast<std::size_t>(parts_->embedding.cols);
  std::vector<float> rows(nodes.size() * width);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    parts_->copy_row(nodes[i], rows.data() + i * width);
  }
  // The node itself is among what it finds, nearly always.
  const auto wide = static_cast<std::size_t>(k + 1);
  std::vector<float> found_scores(nodes.size() * wide);
  std::vector<std::int64_t> found(nodes.size() * wide);
  parts_->index.search(static_cast<std::int64_t>(nodes.size()), rows.data(),
                       static_cast<std::int64_t>(wide), found_scores.data(), found.data());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto places = static_cast<std::size_t>(k);
    std::size_t place = 0;
    for (std::size_t j = 0; j < wide && place < places; ++j) {
      const std::int64_t other = found[i * wide + j];
      if (other < 0 || other == nodes[i]) continue;
      neighbours[i * places + place] = static_cast<std::int32_t>(other);
      scores[i * places + place] = found_scores[i * wide + j];
      ++place;
    }
    for (; place < places; ++place) {
      neighbours[i * places + place] = -1;
      scores[i * places + place] = -std::numeric_limits<float>::infinity();
    }
  }
}

#else

struct NeighbourIndex::Parts {};

bool has_neighbour_index() {
  return false;
}

NeighbourIndex::NeighbourIndex(const Context& /*context*/, const DenseMatrix& /*embedding*/,
                               Similarity /*similarity*/) {
  throw Bug("this build has no index of neighbours");
}

NeighbourIndex::~NeighbourIndex() = default;

std::int64_t NeighbourIndex::lists() const {
  return 0;
}

void NeighbourIndex::look_through(std::int64_t /*lists*/) {}

void NeighbourIndex::search(std::span<const std::int32_t> /*nodes*/, std::int64_t /*k*/,
                            std::int32_t* /*neighbours*/, float* /*scores*/) const {}

#endif

}  // namespace creg::tasks
