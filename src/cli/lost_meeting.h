// Who keeps the place where ranks meet may be killed while they do.
#pragma once

namespace creg::cli {

/// libtorch 1.13 watches that place from a thread that lets its exceptions out when the connection
/// is reset, which would end the process by std::terminate. From now on it ends with a message and
/// the status of a failure; whatever else is let out of a thread is left to the handler before. The
/// process's own doing: a library installs nothing.
void explain_lost_meeting();

}  // namespace creg::cli
