// Checksums of what a graph is trained on, as text: by them a checkpoint or a partition knows its
// graph again.
#pragma once

#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// Of offsets, columns and weights, as they are stored.
std::string matrix_checksum(const Context& context, const CsrMatrix& matrix);
/// "none" without features.
std::string feature_checksum(const Context& context, const Features& features);

}  // namespace creg
