// Outputs that are being written, for whoever has to end the process in the middle of it.
#pragma once

namespace creg {

/// Removes the temporary files of all AtomicFiles that are open: these can be finished no more.
/// Takes no lock and allocates nothing, so that a signal handler may do it. Of more files than the
/// table has room for (64 at once) the last are not known.
void remove_unfinished_files() noexcept;

}  // namespace creg
