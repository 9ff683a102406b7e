// MVGRL's pair of encoders: one GCN layer by the adjacency and one by its diffusion, each with its
// own weights. The embedding is their sum; methods contrast the parts.
#pragma once

#include <array>
#include <memory>

#include "creg/nn/encoder.h"

namespace creg {

class DualEncoder final : public Encoder {
 public:
  DualEncoder(const EncoderOptions& options, std::int64_t features, ParameterList& parameters);
  ~DualEncoder() override;

  /// Both products side by side.
  at::Tensor multiply(const FeatureMatrix& features) const override;
  std::int64_t first_width() const override;
  Projected project(const FeatureMatrix& features, const Hops& hops,
                    const EncoderPass& pass) const override;
  at::Tensor propagate(const Hops& hops, const Projected& projected,
                       const EncoderPass& pass) const override;
  /// What the GCN by the adjacency (0) or by the diffusion (1) makes of it alone: [N, dim].
  at::Tensor part(int which, const Hops& hops, const Projected& projected,
                  const EncoderPass& pass) const;

 private:
  struct Layer;
  std::array<std::unique_ptr<Layer>, 2> parts_;
  double dropout_;
};

}  // namespace creg
