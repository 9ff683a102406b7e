// Logs that grow by a JSON object per line, and by one per epoch at most.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace creg {

/// What a resumed run keeps of such a log: its lines up to the first that is not whole, is no
/// object with an "epoch", or is of this epoch or a later one.
std::string lines_before_epoch(std::string_view log, std::int64_t epoch);

}  // namespace creg
