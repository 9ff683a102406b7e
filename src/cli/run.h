// The whole command, without its main function.
#pragma once

namespace creg::cli {

/// Parses, runs, and turns every exception into a message on standard error and an exit status.
int run(int argc, const char* const* argv);

}  // namespace creg::cli
