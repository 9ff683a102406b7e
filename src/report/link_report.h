// The result of link prediction for machines and for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "creg/tasks/link.h"

namespace creg {

/// The object that `creg eval link --json` prints: rates as fractions.
nlohmann::ordered_json link_json(const LinkResult& result, const std::string& dataset);

/// The same in percent.
std::string link_table(const LinkResult& result, const std::string& dataset);

}  // namespace creg
