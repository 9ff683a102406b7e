// The two error families: Error for what a user can mend, Bug for what only we can.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace creg {

enum class ErrorKind {
  input,        ///< wrong usage or bad data: exit status 2
  environment,  ///< disk, network, memory: exit status 1
};

/// The parts of a message. Empty parts are left out; `what` is always there.
struct ErrorDetail {
  std::string what;      ///< one clause: "node id out of range"
  std::string file;      ///< the file, flag or key at fault
  std::string place;     ///< where in it: "line 12", "byte 4096", "member labels.npy"
  std::string found;     ///< the offending value
  std::string expected;  ///< bounds or candidates
  std::string hint;      ///< what to do about it
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, ErrorDetail detail);
  ErrorKind kind() const { return kind_; }
  const ErrorDetail& detail() const { return detail_; }

 private:
  ErrorKind kind_;
  ErrorDetail detail_;
};

[[noreturn]] void fail_input(ErrorDetail detail);
[[noreturn]] void fail_environment(ErrorDetail detail);

/// Adds the reason of the current `errno` to `what` and throws an environment error.
[[noreturn]] void fail_errno(int error_number, std::string what, std::string file,
                             std::string hint = {});

/// A broken promise inside this library.
class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws Bug unless `holds`.
void invariant(bool holds, std::string_view promise,
               std::source_location where = std::source_location::current());

/// Thrown by Context::throw_if_stopped after Ctrl-C.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace creg
