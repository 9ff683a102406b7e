// The result of node classification as a report.
#pragma once

#include <string>

#include "creg/tasks/classify.h"
#include "report/document.h"

namespace creg {

Report classify_report(const ClassifyResult& result, const std::string& dataset);

}  // namespace creg
