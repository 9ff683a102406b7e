#include "creg/core/context.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"

namespace creg {

std::int64_t physical_memory() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

int available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::string Device::name() const {
  return type == DeviceType::cpu ? "cpu" : "cuda:" + std::to_string(index);
}

Device Device::parse(std::string_view text) {
  if (text == "cpu") return {};
  if (text == "cuda") return {.type = DeviceType::cuda};
  if (text.starts_with("cuda:")) {
    const std::string_view digits = text.substr(5);
    int index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error == std::errc() && end == digits.data() + digits.size() && index >= 0) {
      return {.type = DeviceType::cuda, .index = index};
    }
  }
  fail_input({.what = "unknown device",
              .file = "--device",
              .found = "'" + std::string(text) + "'",
              .expected = "auto, cpu, cuda or cuda:N"});
}

Context::Context(Options options) : options_(std::move(options)) {
  if (options_.threads < 0 || options_.threads > 4096) {
    fail_input({.what = "number of threads out of range",
                .file = "--threads",
                .found = std::to_string(options_.threads),
                .expected = "0 (all cores) to 4096"});
  }
  if (options_.threads == 0) options_.threads = available_cores();
  if (!options_.log) options_.log = make_silent_log();
  if (!options_.progress) options_.progress = make_silent_progress();
  pool_ = std::make_shared<ThreadPool>(options_.threads);
}

Context Context::with_seed(std::uint64_t seed) const {
  Context copy = *this;
  copy.options_.seed = seed;
  return copy;
}

void Context::throw_if_stopped() const {
  if (stopped()) throw Interrupted();
}

}  // namespace creg
