// The result of link prediction as a report.
#pragma once

#include <string>

#include "creg/tasks/link.h"
#include "report/document.h"

namespace creg {

/// `method`: of the runs that were trained for it, if they were.
Report link_report(const LinkResult& result, const std::string& dataset,
                   const std::string& method = {});

}  // namespace creg
