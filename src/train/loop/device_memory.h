// A device that has no memory left: what libtorch says of it, as an error for people.
#pragma once

#include <exception>
#include <string>

#include "creg/core/context.h"

namespace creg {

/// Whether it says that a device has no memory: libtorch's allocator, CUDA where it starts a
/// recorded step or pins memory of the host, or cuBLAS where it makes a handle.
bool is_out_of_memory(const std::exception& error);

/// An environment error that says `what`, what was asked for and there, and what to change.
[[noreturn]] void fail_out_of_memory(const Context& context, const std::exception& error,
                                     const std::string& what);

}  // namespace creg
