// The factories behind make_encoder, one per file.
#pragma once

#include <memory>
#include <string>

#include "creg/nn/encoder.h"
#include "nn/dropout.h"

namespace creg {

std::unique_ptr<Encoder> make_gcn(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters);
std::unique_ptr<Encoder> make_gat(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters);
std::unique_ptr<Encoder> make_gin(const EncoderOptions& options, std::int64_t features,
                                  ParameterList& parameters);
std::unique_ptr<Encoder> make_multiplex(const EncoderOptions& options, std::int64_t features,
                                        ParameterList& parameters);
std::unique_ptr<Encoder> make_table(const EncoderOptions& options, std::int64_t nodes,
                                    ParameterList& parameters);
std::unique_ptr<Encoder> make_sage(const EncoderOptions& options, std::int64_t features,
                                   ParameterList& parameters);

/// "encoder.0.weight": what layer `layer` calls its parameters.
inline std::string layer_name(int layer, const char* what) {
  return "encoder." + std::to_string(layer) + "." + what;
}

/// The features as a pass sees them.
inline FeatureMatrix seen_features(const FeatureMatrix& features, double dropout,
                                   const EncoderPass& pass) {
  return pass.training ? features.dropped(dropout, pass.noise, pass.numbers) : features;
}

/// The numbers that the rows of a layer draw by: those of a part's own nodes, which come first.
inline at::Tensor numbers_of(const at::Tensor& rows, const EncoderPass& pass) {
  return pass.numbers.defined() ? pass.numbers.narrow(0, 0, rows.size(0)) : pass.numbers;
}

/// The input of layer `layer`, after the first, as a pass sees it.
inline at::Tensor seen_rows(const at::Tensor& rows, double dropout, const EncoderPass& pass,
                            int layer) {
  if (!pass.training) return rows;
  return dropped_rows(
      rows, {dropout, pass.noise, 2 * static_cast<std::uint32_t>(layer), numbers_of(rows, pass)});
}

}  // namespace creg
