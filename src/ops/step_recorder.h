// A training step that is recorded once and then started again as a whole: on a GPU the launches of
// a small graph's step take longer than its arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "creg/core/context.h"
#include "kernels/adam.h"

namespace creg {

/// What differs between two steps of one recording.
struct StepNumbers {
  std::uint32_t step = 0;  ///< in the keys of random draws
  AdamStep adam;           ///< of which weight decay has no part
  double own = 0;          ///< a number that the step gives to ops which say so
};

/// Steps of one kind: the same operations on the same memory, but for the numbers above.
/// What they read and write between them lives in tensors that stay where they are.
class StepRecorder {
 public:
  explicit StepRecorder(const Context& context);
  StepRecorder(const StepRecorder&) = delete;
  StepRecorder& operator=(const StepRecorder&) = delete;
  ~StepRecorder();

  /// Whether this build and device record at all.
  bool records() const;
  /// Runs `step` once: plainly the first times, and the first time of another kind, so that
  /// libraries and memory are ready and nothing is recorded that is not started again; then from
  /// its recording. Results are the same bytes either way. `step` must not bring a number to the
  /// host; what it leaves in tensors it keeps is written anew each time.
  void run(const StepNumbers& numbers, const std::function<void()>& step);
  /// Runs a step that is never recorded.
  void run_plainly(const std::function<void()>& step);
  /// The next steps are of another kind.
  void forget();
  /// How many steps were started from a recording.
  std::int64_t started() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace creg
