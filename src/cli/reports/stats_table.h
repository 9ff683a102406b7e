// A graph's figures for people and for machines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "graph/stats.h"

namespace creg::cli {

/// The keys that scripts rely on; what does not exist is null.
nlohmann::ordered_json stats_json(const GraphStats& stats);

/// Two columns of figures: as stored, and as training sees it.
std::string stats_table(const GraphStats& stored, const GraphStats& prepared);

}  // namespace creg::cli
