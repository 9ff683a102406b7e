#include "io/json_lines.h"

#include "io/json_text.h"

namespace creg {

std::string lines_before_epoch(std::string_view log, std::int64_t epoch) {
  std::size_t end = 0;
  while (true) {
    const std::size_t next = log.find('\n', end);
    if (next == std::string_view::npos) break;
    const auto line = parse_json(log.substr(end, next - end));
    const auto found = line.is_object() ? line.find("epoch") : line.end();
    if (!line.is_object() || found == line.end() || !found->is_number_integer()) break;
    // Above the range of a signed number every epoch is later.
    const bool huge = found->is_number_unsigned() &&
                      found->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
    if (huge || found->get<std::int64_t>() >= epoch) break;
    end = next + 1;
  }
  return std::string(log.substr(0, end));
}

}  // namespace creg
