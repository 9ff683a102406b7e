// Which parameters are a matter of which encoders.
#pragma once

#include <string_view>

#include "creg/nn/encoder_options.h"

namespace creg {

/// Whether the encoder does anything with the parameter of this key; true for all that are no
/// matter of encoders.
bool looks_at(const EncoderOptions& encoder, std::string_view key);

}  // namespace creg
