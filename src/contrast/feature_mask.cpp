#include "contrast/feature_mask.h"

#include <torch/types.h>

#include <cmath>

#include "contrast/adaptive_chances.h"
#include "creg/core/error.h"
#include "creg/core/random.h"

namespace creg {
namespace {

template <class Chance>
at::Tensor draw_mask(std::int64_t columns, const ViewDraw& draw, const Chance& chance_of) {
  at::Tensor mask = at::empty({columns}, at::kFloat);
  auto* const values = mask.data_ptr<float>();
  RandomStream stream(draw.seed, Purpose::feature_mask, draw.step, draw.item());
  for (std::int64_t c = 0; c < columns; ++c) {
    values[c] = stream.uniform() < chance_of(c) ? 0.0F : 1.0F;
  }
  return mask;
}

/// Calls body(row, column, value) for everything that is not 0.
template <class Body>
void for_nonzeros(const FeatureMatrix& features, const Body& body) {
  if (features.sparse()) {
    const CsrTensors& csr = features.entries();
    const auto* const offsets = csr.offsets.data_ptr<std::int64_t>();
    const auto* const columns = csr.columns.data_ptr<std::int32_t>();
    const auto* const values = csr.values.defined() ? csr.values.data_ptr<float>() : nullptr;
    for (std::int64_t r = 0; r < csr.rows; ++r) {
      for (std::int64_t e = offsets[r]; e < offsets[r + 1]; ++e) {
        const float value = values == nullptr ? 1.0F : values[e];
        if (value != 0) body(r, static_cast<std::int64_t>(columns[e]), value);
      }
    }
    return;
  }
  const at::Tensor dense = features.dense().contiguous();
  const auto* const values = dense.data_ptr<float>();
  for (std::int64_t r = 0; r < features.rows(); ++r) {
    for (std::int64_t c = 0; c < features.cols(); ++c) {
      const float value = values[r * features.cols() + c];
      if (value != 0) body(r, c, value);
    }
  }
}

bool lists_of_words(const FeatureMatrix& features) {
  std::int64_t filled = 0;
  bool negative = false;
  for_nonzeros(features, [&](std::int64_t /*row*/, std::int64_t /*column*/, float value) {
    ++filled;
    negative = negative || value < 0;
  });
  return !negative && 2 * filled <= features.rows() * features.cols();
}

}  // namespace

at::Tensor draw_column_mask(std::int64_t columns, double chance, const ViewDraw& draw) {
  return draw_mask(columns, draw, [=](std::int64_t /*column*/) { return chance; });
}

at::Tensor draw_column_mask(std::span<const float> chances, const ViewDraw& draw) {
  return draw_mask(static_cast<std::int64_t>(chances.size()), draw,
                   [=](std::int64_t c) { return chances[static_cast<std::size_t>(c)]; });
}

std::vector<float> adaptive_column_chances(const FeatureMatrix& features,
                                           std::span<const double> centrality, double chance) {
  invariant(static_cast<std::int64_t>(centrality.size()) == features.rows(),
            "every node has its centrality");
  const bool words = lists_of_words(features);
  std::vector<double> scores(static_cast<std::size_t>(features.cols()), 0);
  for_nonzeros(features, [&](std::int64_t row, std::int64_t column, float value) {
    scores[static_cast<std::size_t>(column)] +=
        centrality[static_cast<std::size_t>(row)] * (words ? 1.0 : std::abs(value));
  });
  for (double& score : scores) score = std::log(score);
  return adaptive_chances(scores, chance);
}

}  // namespace creg
