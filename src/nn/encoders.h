// The factories behind make_encoder, one per file.
#pragma once

#include <memory>
#include <string>

#include "creg/nn/encoder.h"

namespace creg {

std::unique_ptr<Encoder> make_gcn(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters);
std::unique_ptr<Encoder> make_gat(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters);
std::unique_ptr<Encoder> make_gin(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters);
std::unique_ptr<Encoder> make_sage(const EncoderOptions& options, std::int64_t features,
                                   ParameterList& parameters);

/// "encoder.0.weight": what layer `layer` calls its parameters.
inline std::string layer_name(int layer, const char* what) {
  return "encoder." + std::to_string(layer) + "." + what;
}

}  // namespace creg
