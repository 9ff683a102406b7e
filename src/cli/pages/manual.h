// Manual pages in roff, one per command.
#pragma once

#include <string>

#include "cli/pages/command_page.h"

namespace creg::cli {

/// "creg-data-list.1"
std::string manual_file_name(const CommandPage& page);

/// `creg` is the page of the whole command, to which those of its parts refer. All ASCII.
std::string manual_page(const CommandPage& page, const CommandPage& creg);

}  // namespace creg::cli
