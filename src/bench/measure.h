// Times of several ways to the same end, measured side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "creg/core/context.h"

namespace creg {

/// Of a sample: nearest ranks, and the mean of the middle two for the median.
struct Spread {
  double median = 0;
  double p10 = 0;
  double p90 = 0;
};
/// The sample must not be empty.
Spread spread_of(std::vector<double> sample);

struct MeasureOptions {
  int warm_up = 2;  ///< rounds that do not count
  int repetitions = 11;
  /// The baseline's tensors have libtorch's own memory, whose large blocks go back to the system
  /// with every tensor, instead of ours, which keeps them.
  bool plain_memory = true;
};

/// One way: what is timed, and the bytes of tensors and arrays that it keeps between calls.
struct Contestant {
  std::function<void(int round)> run;  ///< rounds count from 0, warm-up included
  std::int64_t resident_bytes = 0;
  bool plain_memory = false;  ///< its tensors are taken as libtorch itself takes them
};

struct Measurement {
  std::vector<double> ms;      ///< of each repetition, in order
  std::vector<double> cpu_ms;  ///< of all threads together: what a busy machine does not stretch
  /// The most tensor bytes that were alive in a repetition: the resident ones, and those it made.
  /// On a GPU those that it made on the host.
  std::int64_t peak_bytes = 0;
  /// The same of the GPU's memory, in any round; none on the CPU.
  std::optional<std::int64_t> device_peak_bytes;
};

/// Every round runs all contestants one after the other, so that a machine that is busy for a while
/// slows them all. Bytes are 0 unless install_tensor_memory was called.
std::vector<Measurement> measure(const Context& context, const std::string& label,
                                 const MeasureOptions& options,
                                 const std::vector<Contestant>& contestants);

/// Of one piece, where a round was so many of them.
Measurement per_piece(Measurement rounds, std::int64_t pieces);

/// baseline / ours: the ratio of the medians, and quantiles of the ratios round by round.
Spread speedup(const Measurement& ours, const Measurement& baseline);

}  // namespace creg
