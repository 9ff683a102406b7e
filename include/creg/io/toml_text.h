// A look at TOML text before it is parsed.
#pragma once

#include "creg/io/file.h"

namespace creg {

/// Refuses, with its line, a character outside ASCII where TOML allows none: anywhere but in
/// strings and comments. toml++ 3.3 has undefined behaviour there, and also right after a backslash
/// in a string of several lines, so that is refused too.
void check_toml_text(const Bytes& bytes);

}  // namespace creg
