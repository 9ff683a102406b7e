// Labels as text to class numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace creg {

struct ClassOrder {
  std::vector<std::int32_t> number;  ///< of each text
  std::vector<std::string> names;    ///< in the order of the numbers; empty when "0", "1", …
};

/// Numbers distinct texts in sorted order: by value when all are numbers, else byte by byte.
ClassOrder order_classes(const std::vector<std::string>& texts);

/// True for a text that often stands for a missing label but is taken as a class all the same.
bool looks_like_no_label(const std::string& text);

}  // namespace creg
