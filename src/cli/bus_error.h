// A mapped file that becomes shorter, or whose disk fails, while the command reads it.
#pragma once

namespace creg::cli {

/// From now on a bus error inside a file that map_file mapped ends the process with a message that
/// names the file, with `json` an object on standard output too, and the status of a failure;
/// outputs that are half written go with it. A bus error anywhere else is left to the system. The
/// process's own doing: a library installs nothing.
void explain_bus_errors(bool json);

}  // namespace creg::cli
