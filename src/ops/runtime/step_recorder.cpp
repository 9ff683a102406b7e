#include "ops/step_recorder.h"

#include <torch/types.h>

#include "kernels/launch.h"
#include "ops/device.h"
#include "ops/runtime/recording.h"

#ifdef CREG_HAS_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

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

}  // namespace

struct StepRecorder::State {
  c10::Device device;
  at::Tensor cells;  // the bytes of a StepCells
  int plain = 0;
  std::uint32_t recorded_at = 0;
  std::unique_ptr<at::cuda::CUDAGraph> graph;

  StepCells* cells_there() const { return static_cast<StepCells*>(cells.data_ptr()); }

  void record(const std::function<void()>& step) {
    const c10::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream(device.index());
    const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool(false, device.index());
    // What was started before must be done before what is recorded may take its memory.
    current.synchronize();
    auto made = std::make_unique<at::cuda::CUDAGraph>();
    {
      const c10::cuda::CUDAStreamGuard on_side(side);
      const ReadsCells reads(cells_there());
      made->capture_begin();
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
    step();
    return;
  }
  if (state_->graph == nullptr) {
    state_->recorded_at = numbers.step;
    state_->record(step);
  }
  const auto adam = kernels::adam_values<float>(numbers.adam);
  const c10::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream(state_->device.index());
  cuda::set_step_cells({.stream = current.stream()},
                       {.later = numbers.step - state_->recorded_at,
                        .step_size = adam.step_size,
                        .root_scale = adam.root_scale},
                       state_->cells_there());
  state_->graph->replay();
}

void StepRecorder::forget() {
  if (state_ != nullptr) state_->graph.reset();
}

#else

struct StepRecorder::State {};

StepRecorder::StepRecorder(const Context& /*context*/) {}

void StepRecorder::run(const StepNumbers& /*numbers*/, const std::function<void()>& step) {
  step();
}

void StepRecorder::forget() {}

#endif

StepRecorder::~StepRecorder() = default;

bool StepRecorder::records() const {
  return state_ != nullptr;
}

const StepCells*& cells_of_recording() {
  thread_local const StepCells* cells = nullptr;
  return cells;
}

}  // namespace creg
