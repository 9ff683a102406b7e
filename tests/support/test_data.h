// The real benchmark files, where this machine has them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

namespace creg::test {

/// $CREG_TEST_DATA, else ../shared/data beside the checkout; nothing when neither exists.
std::optional<std::filesystem::path> real_data();

/// The root of this checkout.
std::filesystem::path source_dir();

}  // namespace creg::test

/// Skips the test where the real files are missing; CI refuses such a skip where they exist.
#define CREG_REQUIRE_REAL_DATA(variable)                                     \
  const auto variable##_or_none = ::creg::test::real_data();                 \
  if (!variable##_or_none) GTEST_SKIP() << "needs the real benchmark files"; \
  const std::filesystem::path& variable = *variable##_or_none
