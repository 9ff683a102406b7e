// The only headers that know c10d: its store, and its group of processes over Gloo.
#pragma once

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <chrono>

namespace creg {

using Group = c10::intrusive_ptr<c10d::ProcessGroupGloo>;
using GroupWork = c10::intrusive_ptr<c10d::Work>;

/// How long a message may take by Gloo itself, which would break all connections after it. Who is
/// lost is for the watch to say.
inline constexpr std::chrono::milliseconds no_time_limit = std::chrono::hours(10000);

}  // namespace creg
