// TOML text in a form that toml++ can be trusted with.
#pragma once

#include <string>
#include <string_view>

#include "io/file.h"

namespace creg {

/// The text with every byte outside ASCII, and '%' itself, written as %XX. toml++ 3.3 has undefined
/// behaviour on many characters outside ASCII wherever it expects white space; on ASCII it has
/// none. Lines stay lines. Text that is not UTF-8 is an input error, but in a file of a run
/// (run_files.h), which holds paths as they are; '%' written as \u0025 is one everywhere.
std::string to_ascii_toml(const Bytes& bytes);

/// A key, string or message of toml++'s, as it was before to_ascii_toml.
std::string from_ascii_toml(std::string_view text);

}  // namespace creg
