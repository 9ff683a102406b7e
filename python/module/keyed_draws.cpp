#include "keyed_draws.h"

#include <ATen/Context.h>
#include <pybind11/pybind11.h>

namespace creg::python {
namespace {

std::recursive_mutex& generators() {
  static std::recursive_mutex mutex;
  return mutex;
}

std::unique_lock<std::recursive_mutex> locked() {
  std::unique_lock lock(generators(), std::try_to_lock);
  if (lock.owns_lock()) return lock;
  // Who has them may wait for Python's lock.
  const pybind11::gil_scoped_release no_gil;
  lock.lock();
  return lock;
}

}  // namespace

KeyedDraws::KeyedDraws(std::uint64_t seed, const c10::Device& device) : lock_(locked()) {
  take(at::globalContext().defaultGenerator(c10::kCPU), seed);
  if (!device.is_cpu()) take(at::globalContext().defaultGenerator(device), seed);
}

KeyedDraws::~KeyedDraws() {
  for (auto& [generator, state] : before_) {
    const std::lock_guard lock(generator.mutex());
    generator.set_state(state);
  }
}

void KeyedDraws::take(at::Generator generator, std::uint64_t seed) {
  const std::lock_guard lock(generator.mutex());
  before_.emplace_back(generator, generator.get_state());
  generator.set_current_seed(seed);
}

}  // namespace creg::python
