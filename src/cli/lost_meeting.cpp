#include "cli/lost_meeting.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>

namespace creg::cli {
namespace {

// A terminate handler can reach nothing but globals.
std::atomic<std::terminate_handler> handler_before{
    nullptr};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

bool is_of_a_connection(const std::error_code& code) {
  return code == std::errc::connection_reset || code == std::errc::connection_aborted ||
         code == std::errc::broken_pipe || code == std::errc::not_connected;
}

[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr let_out = std::current_exception()) {
      std::rethrow_exception(let_out);
    }
  } catch (const std::system_error& error) {
    if (is_of_a_connection(error.code())) {
      const std::string line =
          "creg: rank 0, or the launcher, is lost: the connection to where the ranks meet broke (" +
          error.code().message() +
          ")\n  start the ranks again; `creg train --resume DIR` goes on from the last "
          "checkpoint\n";
      (void)!::write(STDERR_FILENO, line.data(), line.size());
      ::_exit(EXIT_FAILURE);
    }
  } catch (...) {
    // Not ours.
  }
  if (const std::terminate_handler before = handler_before) before();
  std::abort();
}

}  // namespace

void explain_lost_meeting() {
  const std::terminate_handler before = std::set_terminate(on_terminate);
  if (before != on_terminate) handler_before = before;
}

}  // namespace creg::cli
