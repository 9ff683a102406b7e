#include "creg/nn/encoder.h"

#include "creg/core/error.h"
#include "nn/dual_encoder.h"
#include "nn/layers/encoders.h"

namespace creg {

at::Tensor Encoder::evaluate_layer(int /*layer*/, const SparseMatrix& /*hop*/,
                                   const Projected& /*x*/) const {
  throw Bug("this encoder is not run layer by layer");
}

std::unique_ptr<Encoder> make_encoder(const EncoderOptions& options, std::int64_t features,
                                      ParameterList& parameters, std::int64_t nodes) {
  if (options.added && !options.added->make) {
    fail_input({.what = "the run's encoder was a program's own",
                .file = "encoder",
                .found = "'" + options.added->name + "'",
                .hint = "go on with it in that program; without it the run's embedding can be "
                        "evaluated"});
  }
  if (options.added) return options.added->make(options, features, parameters);
  switch (options.kind) {
    case EncoderKind::gcn:
      return make_gcn(options, features, parameters);
    case EncoderKind::gat:
      return make_gat(options, features, parameters);
    case EncoderKind::gin:
      return make_gin(options, features, parameters);
    case EncoderKind::sage:
      return make_sage(options, features, parameters);
    case EncoderKind::table:
      return make_table(options, nodes, parameters);
    case EncoderKind::dual:
      return std::make_unique<DualEncoder>(options, features, parameters);
    case EncoderKind::multiplex:
      return make_multiplex(options, features, parameters);
  }
  throw Bug("an encoder without a factory");
}

}  // namespace creg
