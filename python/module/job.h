// How a call computes, who hears of it, and how Ctrl-C reaches it.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "creg/core/context.h"
#include "held_object.h"

namespace creg::python {

namespace py = pybind11;

class Job {
 public:
  Job(const std::string& device, const std::string& precision, int threads, std::uint64_t seed,
      py::object log, py::object progress);

  std::string device() const { return options_.device.name(); }
  /// Whether a number of threads was asked for.
  bool has_own_threads() const { return options_.threads > 0; }

  /// Calls `work` on a thread of its own, where nothing that the caller has set for its thread
  /// counts (no_grad, say), without Python's lock, while the calling thread waits and looks for
  /// signals: after Ctrl-C the Context is stopped. What the work throws comes out here. A process
  /// that was forked from one with this module is refused at once. When the interpreter ends, what
  /// runs in other threads is stopped and waited for, and ends in SystemExit.
  void run(const std::function<void(const Context&)>& work) const;

 private:
  void work_beside(const std::function<void(const Context&)>& work,
                   const std::shared_ptr<std::atomic<bool>>& stop, bool looks_for_signals) const;

  Context::Options options_;
};

/// A Python exception on its way through the engine. The exception itself stays with whoever
/// caught it first, under Python's lock.
class PythonRaised : public std::exception {
 public:
  /// Takes the exception that has just been caught.
  explicit PythonRaised(py::error_already_set& error);
  const char* what() const noexcept override { return "an exception of Python's"; }
  /// Raises it again, with its traceback.
  void raise() const;
  const py::object& value() const { return *value_; }

 private:
  HeldObject type_;
  HeldObject value_;
  HeldObject trace_;
};

/// An environment error in a process that was forked from one with this module.
void refuse_forked_child();

/// Calls `call` under Python's lock; what it raises goes on as PythonRaised.
void with_python(const std::function<void()>& call);

void bind_job(py::module_& module);

}  // namespace creg::python
