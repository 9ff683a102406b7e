#include "contrast/feature_mask.h"

#include <torch/types.h>

#include <cmath>

#include "contrast/adaptive_chances.h"
#include "creg/core/error.h"
#include "ops/device.h"
#include "ops/random.h"
#include "ops/tensors.h"

namespace creg {
namespace {

RandomKey key_of_columns(const ViewDraw& draw) {
  return {draw.seed, Purpose::feature_mask, draw.step, draw.item()};
}

/// Calls body(row, column, value) for everything that is not 0.
template <class Body>
void for_nonzeros(const FeatureMatrix& features, const Body& body) {
  if (features.sparse()) {
    const CsrTensors& csr = features.entries();
    const auto offsets = host_array<std::int64_t>(csr.offsets);
    const auto columns = host_array<std::int32_t>(csr.columns);
    const auto values = csr.values.defined() ? host_array<float>(csr.values) : Array<float>();
    for (std::int64_t r = 0; r < csr.rows; ++r) {
      for (std::int64_t e = offsets[r]; e < offsets[r + 1]; ++e) {
        const float value = values.empty() ? 1.0F : values[e];
        if (value != 0) body(r, static_cast<std::int64_t>(columns[e]), value);
      }
    }
    return;
  }
  const auto values = host_array<float>(features.dense());
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

at::Tensor draw_column_mask(const Context& context, std::int64_t columns, double chance,
                            const ViewDraw& draw) {
  return draw_kept(device_of(context), columns, chance, key_of_columns(draw));
}

at::Tensor draw_column_mask(const at::Tensor& chances, const ViewDraw& draw) {
  return draw_kept(chances, key_of_columns(draw));
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
