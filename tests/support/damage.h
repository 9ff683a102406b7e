// Damaged copies of a file: cut off, and with single bits flipped.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "creg/core/error.h"
#include "creg/core/random.h"

namespace creg::test {

/// Calls `read` with the file cut at every sixteenth and with one bit flipped at `flips` places.
/// It must throw an Error or accept; any other exception fails the test. Returns the refusals.
inline int read_damaged(std::string_view whole, const std::function<void(std::string)>& read,
                        int flips = 200) {
  int refused = 0;
  const auto attempt = [&](std::string damaged, const std::string& how) {
    try {
      read(std::move(damaged));
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(error.kind(), ErrorKind::input) << how << ": " << error.what();
      EXPECT_FALSE(error.detail().file.empty()) << how << ": " << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << how << ": " << error.what();
    }
  };
  for (std::size_t part = 0; part < 16; ++part) {
    const std::size_t size = whole.size() * part / 16;
    attempt(std::string(whole.substr(0, size)), "cut at byte " + std::to_string(size));
  }
  RandomStream random(1, Purpose::test);
  for (int i = 0; i < flips; ++i) {
    const auto bit = static_cast<std::size_t>(random.below(whole.size() * 8));
    std::string damaged(whole);
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    attempt(std::move(damaged), "bit " + std::to_string(bit) + " flipped");
  }
  return refused;
}

}  // namespace creg::test
