// What methods that contrast two views of the graph have in common.
#pragma once

#include <string>
#include <vector>

#include "creg/methods/entry.h"

namespace creg {

/// How views lose edges and features, and the head that they are compared behind.
std::vector<std::string> keys_of_views();

/// Below a temperature float32 loses pairs (creg/ops/info_nce.h): an input error.
void check_views(const MethodOptions& options);

/// Two passes with edges and features of their own; what the head keeps of both, their rows of
/// length 1 and the gradients of those.
MethodMemory memory_of_views(const MethodOptions& options);

}  // namespace creg
