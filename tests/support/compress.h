// Compressed bytes for tests.
#pragma once

#include <string>
#include <string_view>

namespace creg::test {

std::string gzip(std::string_view text);
std::string deflate_raw(std::string_view text);

}  // namespace creg::test
