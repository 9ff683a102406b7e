// The result of node classification for machines and for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "creg/tasks/classify.h"

namespace creg {

/// The object that `creg eval classify --json` prints and DIR/result.json holds: rates as
/// fractions, what does not exist as null.
nlohmann::ordered_json classify_json(const ClassifyResult& result, const std::string& dataset);

/// The same in percent.
std::string classify_table(const ClassifyResult& result, const std::string& dataset);

}  // namespace creg
