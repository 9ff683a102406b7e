#include "ops/step_recorder.h"

#include <torch/types.h>

#include <algorithm>
#include <optional>

#include "kernels/launch.h"
#include "ops/device.h"
#include "ops/runtime/recording.h"

#ifdef CREG_HAS_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <mutex>
#include <shared_mutex>

#include "kernels/step_cells.h"
#endif

namespace creg {

#ifdef CREG_HAS_CUDA

namespace {

/// While it lives, kernels that this thread starts read the cells.
class ReadsCells {
 public:
  explicit ReadsCells(const StepCells* cells) { cells_of_recording() = cells; }
  ReadsCells(const ReadsCells&) = delete;
  ReadsCells& operator=(const ReadsCells&) = delete;
  ~ReadsCells() { cells_of_recording() = nullptr; }
};

// Libraries choose their kernels and take their memory in the first of these.
constexpr int plain_steps = 3;

/// Runs side by side are recorded one at a time, and while none of them makes a plain step, in
/// which libraries may do what a recording does not bear: libtorch has one list of recordings for
/// all threads. Steps from recordings go on.
std::shared_mutex& recordings() {
  static std::shared_mutex mutex;
  return mutex;
}

}  // namespace

struct StepRecorder::State {
  c10::Device device;
  at::Tensor cells;  // the bytes of a StepCells
  int plain = 0;
  std::uint32_t recorded_at = 0;
  std::int64_t started = 0;
  std::unique_ptr<at::cuda::CUDAGraph> graph;
  bool forgotten = false;  // the graph is there for its memory alone
  // One for all recordings: memory belongs to a stream.
  std::optional<c10::cuda::CUDAStream> side;

  StepCells* cells_there() const { return static_cast<StepCells*>(cells.data_ptr()); }

  void record(const std::function<void()>& step) {
    const std::unique_lock alone(recordings());
    const c10::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream(device.index());
    // A run beside others has a stream of its own. What is started on the default one cannot be
    // recorded, but then there is nobody else.
    const bool is_default = current == c10::cuda::getDefaultCUDAStream(device.index());
    if (!side) side = is_default ? c10::cuda::getStreamFromPool(false, device.index()) : current;
    // What was started before must be done before what is recorded may take its memory.
    current.synchronize();
    // A recording takes its memory from a pool of its own, and what plain steps have left cannot be
    // given back to the card while it is made: both would be there at once.
    c10::cuda::CUDACachingAllocator::emptyCache();
    auto made = std::make_unique<at::cuda::CUDAGraph>();
    {
      const c10::cuda::CUDAStreamGuard on_side(*side);
      const ReadsCells reads(cells_there());
      // The next recording takes the memory of the last one over. What other threads do meanwhile
      // is no part of it.
      made->capture_begin(graph != nullptr ? graph->pool() : at::cuda::MempoolId_t{0, 0},
                          cudaStreamCaptureModeThreadLocal);
      try {
        step();
      } catch (...) {
        // A recording that was begun must be ended, or nothing else can be started.
        try {
          made->capture_end();
        } catch (const std::exception&) {
          made->reset();
        }
        throw;
      }
      made->capture_end();
    }
    graph = std::move(made);
    forgotten = false;
  }
};

StepRecorder::StepRecorder(const Context& context) {
  if (context.device().type != DeviceType::cuda) return;
  const c10::Device device = device_of(context);
  state_ = std::make_unique<State>(
      State{.device = device,
            .cells = at::zeros({static_cast<std::int64_t>(sizeof(StepCells))},
                               at::TensorOptions().dtype(at::kByte).device(device))});
}

void StepRecorder::run(const StepNumbers& numbers, const std::function<void()>& step) {
  if (!records() || state_->plain < plain_steps) {
    if (records()) ++state_->plain;
    run_plainly(step);
    return;
  }
  // The cells' kernel starts on the device that is current, which need not be the Context's.
  const c10::cuda::CUDAGuard there(state_->device);
  if (state_->graph == nullptr || state_->forgotten) {
    state_->recorded_at = numbers.step;
    state_->record(step);
  }
  const auto adam = kernels::adam_values<float>(numbers.adam);
  const c10::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream(state_->device.index());
  cuda::set_step_cells({.stream = current.stream()},
                       {.later = numbers.step - state_->recorded_at,
                        .step_size = adam.step_size,
                        .root_scale = adam.root_scale,
                        .own = numbers.own},
                       state_->cells_there());
  state_->graph->replay();
  ++state_->started;
}

void StepRecorder::run_plainly(const std::function<void()>& step) {
  if (!records()) {
    step();
    return;
  }
  const std::shared_lock together(recordings());
  step();
}

void StepRecorder::forget() {
  if (state_ == nullptr) return;
  state_->forgotten = true;
  state_->plain = std::min(state_->plain, plain_steps - 1);
}

std::int64_t StepRecorder::started() const {
  return state_ == nullptr ? 0 : state_->started;
}

StepRecorder::~StepRecorder() {
  if (state_ == nullptr) return;
  const std::unique_lock alone(recordings());
  state_->graph.reset();
}

#else

struct StepRecorder::State {};

StepRecorder::StepRecorder(const Context& /*context*/) {}

void StepRecorder::run(const StepNumbers& /*numbers*/, const std::function<void()>& step) {
  step();
}

void StepRecorder::run_plainly(const std::function<void()>& step) {
  step();
}

void StepRecorder::forget() {}

std::int64_t StepRecorder::started() const {
  return 0;
}

StepRecorder::~StepRecorder() = default;

#endif

bool StepRecorder::records() const {
  return state_ != nullptr;
}

const StepCells*& cells_of_recording() {
  thread_local const StepCells* cells = nullptr;
  return cells;
}

}  // namespace creg
