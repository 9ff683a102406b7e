// What the reports of all evaluations say of an embedding's rows.
#pragma once

#include <string>
#include <string_view>

#include "creg/tasks/classify.h"

namespace creg {

/// What was done to the rows before, behind `lead`; empty where it was nothing.
std::string rows_words(std::string_view lead, int smooth, Normalize normalize);

}  // namespace creg
