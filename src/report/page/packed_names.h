// Many names in little room.
#pragma once

#include <string>
#include <vector>

namespace creg::report {

/// Their JSON, an array of strings, as gzip in base64: the same bytes for the same names.
std::string packed_names(const std::vector<std::string>& names);

}  // namespace creg::report
