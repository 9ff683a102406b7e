// Which options go together in an encoder.
#pragma once

#include "creg/nn/encoder_options.h"

namespace creg {

/// An input error that lists what works.
void check_encoder(const EncoderOptions& encoder);

}  // namespace creg
