// The result of node classification as a report.
#pragma once

#include <span>
#include <string>

#include "creg/tasks/baselines.h"
#include "creg/tasks/classify.h"
#include "report/document.h"

namespace creg {

Report classify_report(const ClassifyResult& result, const std::string& dataset);

/// What stands behind it where there are baselines: `baselines`, a row for each of them, and for
/// people a table that has the embedding too. Null without them.
Record baselines_record(const ClassifyResult& result, std::span<const Baseline> baselines);

}  // namespace creg
