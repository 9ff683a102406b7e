#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>

#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"

namespace creg {
namespace {

using Clock = std::chrono::steady_clock;

/// Of this process, all threads together.
double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double nearest_rank(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

void run_once(const Context& context, const Contestant& contestant, int round, bool counts,
              Measurement& measurement) {
  std::optional<PlainTensorMemory> plain;
  if (contestant.plain_memory) plain.emplace();
  const bool on_gpu = context.device().type == DeviceType::cuda;
  reset_peak_tensor_memory();
  const std::int64_t before = tensor_memory().live_bytes;
  reset_peak_device_memory(context);
  const std::int64_t before_there = device_memory(context).live_bytes;
  wait_for_device(context);
  const double cpu_start = cpu_milliseconds();
  const Clock::time_point start = Clock::now();
  contestant.run(round);
  wait_for_device(context);
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (on_gpu) {
    // In every round: a recorded step takes its memory once, when it is recorded.
    const std::int64_t made = device_memory(context).peak_bytes - before_there;
    measurement.device_peak_bytes =
        std::max(measurement.device_peak_bytes.value_or(0), contestant.resident_bytes + made);
  }
  if (!counts) return;
  measurement.ms.push_back(ms);
  measurement.cpu_ms.push_back(cpu_milliseconds() - cpu_start);
  const std::int64_t resident = on_gpu ? 0 : contestant.resident_bytes;
  measurement.peak_bytes =
      std::max(measurement.peak_bytes, resident + tensor_memory().peak_bytes - before);
}

}  // namespace

Spread spread_of(std::vector<double> sample) {
  invariant(!sample.empty(), "a sample to summarise has values");
  std::sort(sample.begin(), sample.end());
  const std::size_t middle = sample.size() / 2;
  const double median =
      sample.size() % 2 == 1 ? sample[middle] : (sample[middle - 1] + sample[middle]) / 2;
  return {.median = median, .p10 = nearest_rank(sample, 0.1), .p90 = nearest_rank(sample, 0.9)};
}

std::vector<Measurement> measure(const Context& context, const std::string& label,
                                 const MeasureOptions& options,
                                 const std::vector<Contestant>& contestants) {
  invariant(options.repetitions > 0 && options.warm_up >= 0, "a measurement has repetitions");
  std::vector<Measurement> measurements(contestants.size());
  const int rounds = options.warm_up + options.repetitions;
  ProgressTask progress(context, label, rounds, "rounds");
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      run_once(context, contestants[c], round, round >= options.warm_up, measurements[c]);
    }
    progress.advance();
  }
  progress.finish();
  return measurements;
}

Measurement per_piece(Measurement rounds, std::int64_t pieces) {
  for (double& ms : rounds.ms) ms /= static_cast<double>(pieces);
  for (double& ms : rounds.cpu_ms) ms /= static_cast<double>(pieces);
  return rounds;
}

Spread speedup(const Measurement& ours, const Measurement& baseline) {
  invariant(ours.ms.size() == baseline.ms.size(), "both were measured in the same rounds");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.ms.size(); ++i) ratios.push_back(baseline.ms[i] / ours.ms[i]);
  Spread spread = spread_of(std::move(ratios));
  spread.median = spread_of(baseline.ms).median / spread_of(ours.ms).median;
  return spread;
}

}  // namespace creg
