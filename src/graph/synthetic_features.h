// The features of a synthetic graph.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/generators.h"
#include "creg/graph/graph.h"
#include "synthetic_blocks.h"

namespace creg {

Features make_features(const Context& context, const GeneratorSpec& spec, const BlockModel& blocks);

}  // namespace creg
