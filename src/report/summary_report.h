// Pieces that the reports of all evaluations share.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "creg/tasks/classify.h"

namespace creg {

/// {"mean", "std", "values"}, or null for no values.
nlohmann::ordered_json summary_json(const std::vector<double>& values);

/// The header and the rows of a table in percent: mean, std, least, most.
std::string percent_header();
/// Empty for no values.
std::string percent_row(std::string_view label, const std::vector<double>& values);

/// What was done to an embedding's rows before, behind `lead`; empty where it was nothing.
std::string rows_words(std::string_view lead, int smooth, Normalize normalize);

}  // namespace creg
