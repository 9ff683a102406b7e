// Where a kernel runs. Every kernel of an op takes a Launch first and then plain values and
// pointers, so that those of all devices have one signature (ops/runtime/on_device.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "creg/core/context.h"

namespace creg {

/// The threads of a CPU kernel, lent by its caller.
class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  virtual ~Workers() = default;

  virtual int count() const = 0;
  /// Calls body(first, last) for ranges that make up [0, size), none but the last shorter than
  /// `grain`, and returns when all are done. Which ranges may depend on count(): for work whose
  /// items do not meet. The first exception is rethrown.
  virtual void for_ranges(std::int64_t size, std::int64_t grain,
                          const std::function<void(std::int64_t, std::int64_t)>& body) const = 0;

  /// Calls body(piece, worker) for every piece in 0..pieces-1. They start in this order, each as
  /// soon as a thread is free: for pieces of unequal cost. worker is below count() and never in two
  /// calls at a time.
  void for_pieces(std::int64_t pieces,
                  const std::function<void(std::int64_t, std::int64_t)>& body) const;
};

/// The caller's own thread.
class OneWorker final : public Workers {
 public:
  int count() const override { return 1; }
  void for_ranges(std::int64_t size, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) const override;
};

/// The Context's threads: for callers that know no tensors.
class PoolWorkers final : public Workers {
 public:
  explicit PoolWorkers(const Context& context) : context_(context) {}
  int count() const override { return context_.threads(); }
  void for_ranges(std::int64_t size, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& body) const override;

 private:
  const Context& context_;
};

/// Memory of the GPU that a kernel needs while it runs, lent by its caller until the kernel has
/// been started: what is started later on the same stream may use it again.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  virtual ~Scratch() = default;
  virtual void* take(std::size_t bytes) = 0;

  template <class T>
  T* array(std::int64_t count) {
    return static_cast<T*>(take(static_cast<std::size_t>(count) * sizeof(T)));
  }
};

/// What changes from one training step to the next in a step that is recorded once and started
/// again as a whole: in the GPU's memory, where recorded kernels find it.
struct StepCells {
  std::uint32_t later =
      0;                ///< steps since the recorded one: added to the epoch of every random key
  float step_size = 0;  ///< of Adam (kernels::AdamValues)
  float root_scale = 0;
  double own = 0;  ///< what else the method changes (Method::moving)
};

struct Launch {
  const Workers* workers = nullptr;  ///< on the CPU
  void* stream = nullptr;            ///< on a GPU, as what follows
  Scratch* scratch = nullptr;
  const StepCells* cells = nullptr;  ///< null: the step is not recorded
};

}  // namespace creg
