// A tiny dataset in Planetoid's files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/npy_builder.h"
#include "support/pickle_builder.h"

namespace creg::test {

inline std::string pickled_one_hot(const std::vector<std::int32_t>& marks, std::int64_t classes) {
  const auto rows = static_cast<std::int64_t>(marks.size()) / classes;
  return pickle_file(pickled_array("i4", {rows, classes}, raw(marks)));
}

/// By what follows `ind.NAME.`: six nodes, 0..2 in allx (0 trains), 3 and 5 are tested, 4 is
/// nowhere.
inline std::map<std::string, std::string> planetoid_sample() {
  return {
      {"x", pickle_file(pickled_csr(1, 4, {0, 1}, {1}, {1}))},
      {"y", pickled_one_hot({0, 1}, 2)},
      {"tx", pickle_file(pickled_csr(2, 4, {0, 2, 3}, {0, 3, 2}, {1, 1, 1}))},
      {"ty", pickled_one_hot({1, 0, 0, 1}, 2)},
      {"allx", pickle_file(pickled_csr(3, 4, {0, 1, 1, 3}, {1, 0, 2}, {1, 1, 1}))},
      {"ally", pickled_one_hot({0, 1, 1, 0, 0, 1}, 2)},
      {"graph", pickle_file(pickled_graph({{1, 1}, {0, 0}, {2, 2}, {4}, {3}, {}}))},
      {"test.index", "5\n3\n"},
  };
}

}  // namespace creg::test
