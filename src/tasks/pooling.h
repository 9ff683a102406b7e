// Results of several runs become one only where they were made in the same way.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "creg/core/error.h"

namespace creg::tasks {

/// An input error that names `what` and both values, unless they are equal.
template <class T>
void require_same(std::string_view what, const T& a, const T& b) {
  if (a == b) return;
  fail_input({.what = fmt::format("results of different {} cannot be pooled", what),
              .found = fmt::format("{} and {}", a, b),
              .expected = "runs evaluated in the same way"});
}

}  // namespace creg::tasks
