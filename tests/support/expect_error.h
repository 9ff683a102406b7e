// Checks that an action fails with a creg::Error, and hands the error back for a closer look.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

#include "creg/core/error.h"

namespace creg::test {

/// Fails the test unless `action` throws an Error whose message contains every one of `parts`.
inline void expect_error(const std::function<void()>& action,
                         std::initializer_list<std::string> parts,
                         ErrorKind kind = ErrorKind::input) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    for (const std::string& part : parts) {
      EXPECT_NE(message.find(part), std::string::npos) << "the message lacks '" << part << "':\n"
                                                       << message;
    }
    EXPECT_EQ(error.kind(), kind) << message;
    return;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "expected a creg::Error, got: " << error.what();
    return;
  }
  ADD_FAILURE() << "expected an error, got none";
}

}  // namespace creg::test
