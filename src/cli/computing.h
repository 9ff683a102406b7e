// The border between the executable and the library that is linked with libtorch: one C function.
// No object and no exception crosses it; each side has its own copy of the torch-free stages.
#pragma once

#include "cli/run.h"

/// The command with everything it can do. Parses, runs, prints, and returns the exit status.
extern "C" int creg_run(int argc, const char* const* argv) noexcept;

namespace creg::cli {

/// That function's name, for the executable, which looks it up.
inline constexpr const char* computing_entry = "creg_run";

/// Opens the library for the rest of the process. It is found by the executable's RUNPATH: beside
/// it in the build tree, in the library folder of the same prefix when installed.
LoadedLibrary load_computing_library();

}  // namespace creg::cli
