// The features of a synthetic graph.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "graph/generators.h"
#include "graph/synthetic/synthetic_blocks.h"

namespace creg {

Features make_features(const Context& context, const GeneratorSpec& spec, const BlockModel& blocks);

}  // namespace creg
