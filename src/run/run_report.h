// What came of a run as a report; result.json is its JSON.
#pragma once

#include "creg/run/run.h"
#include "report/document.h"

namespace creg {

/// Every parameter of the configuration, by key.
Record config_record(const TrainConfig& config);

/// Of one seed or of all.
Report run_report(const RunResult& result);

}  // namespace creg
