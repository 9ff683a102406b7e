// Ranks that train one run must have the same build, graph and configuration, and say so first.
#pragma once

#include "creg/core/context.h"
#include "io/checkpoint_file.h"

namespace creg {

class Communicator;

/// An input error on all ranks that names the first of them with something else than rank 0, and
/// what differs, by their keys; keys that only one of them has are told where no other differs.
void check_same(Communicator& world, const TextPairs& own);

/// The key of what the ranks of a run divide among them, which is compared before all else.
inline constexpr const char* what_ranks_share = "what the ranks share";

/// What decides the bits of a result beside graph and configuration: the build, its libraries, the
/// device and the threads.
TextPairs build_and_machine(const Context& context);

/// What rank 0 says.
double value_of_first(Communicator& world, double value);

}  // namespace creg
