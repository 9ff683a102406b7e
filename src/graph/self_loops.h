// What becomes of the edges of nodes to themselves: the same on all devices.
#pragma once

#include "core/both_devices.h"

namespace creg {

enum class SelfLoops {
  as_stored,  ///< nothing is added
  missing,    ///< weight 1 where there is none; existing loops keep their weight (GCN)
  replaced,   ///< all removed, then weight 1 everywhere (GraphMAE)
  plus_one,   ///< A + I: on top of what is there (AGC, DiGCL)
  plus_two,   ///< A + 2I (MVGRL)
};

/// The weight of a node's loop, given whether it has one and its weight.
CREG_BOTH inline double loop_weight(SelfLoops loops, bool exists, double weight) {
  switch (loops) {
    case SelfLoops::as_stored:
      return weight;
    case SelfLoops::missing:
      return exists ? weight : 1;
    case SelfLoops::replaced:
      return 1;
    case SelfLoops::plus_one:
      return weight + 1;
    case SelfLoops::plus_two:
      return weight + 2;
  }
  return weight;
}

}  // namespace creg
