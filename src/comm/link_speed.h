// How quickly the ranks reach each other.
#pragma once

#include <vector>

#include "comm/communicator.h"

namespace creg {

struct LinkSpeed {
  int first = 0;
  int second = 0;
  double seconds = 0;           ///< for a message of a few bytes each way
  double bytes_per_second = 0;  ///< each way, both at once
};

/// Of every pair of ranks, one pair after the other; all ranks call it and get all of it. Half a
/// second per pair over a gigabit.
std::vector<LinkSpeed> measure_links(Communicator& world);

}  // namespace creg
