// Wall time and memory of a step, for the programs in this folder.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace creg::bench {

/// Seconds that `step` takes.
template <class Step>
double seconds_of(Step step) {
  const auto start = std::chrono::steady_clock::now();
  step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Step>
double median_seconds_of(int repetitions, Step step) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) times.push_back(seconds_of(step));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// The most memory this process has had so far, mapped files included.
inline double peak_gib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1 << 20);
}

}  // namespace creg::bench
