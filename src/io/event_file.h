// Event files, as TensorBoard reads them: scalars by step, in framed records that carry checksums.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace creg {

struct ScalarEvent {
  double wall_time = 0;  ///< seconds since 1970
  std::int64_t step = 0;
  std::vector<std::pair<std::string, double>> scalars;  ///< by their names; kept as float32
};

/// The record that every event file begins with.
std::string event_file_head(double wall_time);

/// One record, to be put behind those before.
std::string event_record(const ScalarEvent& event);

/// What a resumed run keeps of such a file: its records up to the first that is not whole or that
/// `keep` refuses. `name` is that of the event's first scalar. Empty where the head is not whole.
std::string kept_events(std::string_view file,
                        const std::function<bool(std::int64_t step, std::string_view name)>& keep);

}  // namespace creg
