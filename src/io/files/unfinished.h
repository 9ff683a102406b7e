// The table behind remove_unfinished_files.
#pragma once

#include <cstddef>
#include <string_view>

namespace creg {

/// Enters a temporary file that was made; the place it got is for leave_unfinished.
std::size_t enter_unfinished(std::string_view name) noexcept;

/// The file has its final name, or is gone.
void leave_unfinished(std::size_t place) noexcept;

}  // namespace creg
