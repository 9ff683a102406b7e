// A report with one of everything, for the tests of the writers.
#pragma once

#include <limits>

#include "report/document.h"

namespace creg::test {

inline Report small_report() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {.body = {words("ring: a test\nof two lines"),
                   {"task", "try"},
                   {"nodes", 12345, "nodes", Unit::count},
                   {"share", 0.815, "share", Unit::rate, "of all"},
                   {"pca", nullptr, "PCA"},
                   {"bad", nan, "bad"},
                   {"seeds", std::vector<std::uint64_t>{0, 18446744073709551615U}},
                   {"metrics", Record{{"accuracy", Sample{{0.5, 0.75}}, "accuracy", Unit::rate},
                                      {"nmi", Sample{}, "NMI", Unit::rate}}},
                   {.value = Record{{.value = 1.5, .label = "σ", .unit = Unit::decimal},
                                    {.value = "a|b", .label = "words"}},
                    .label = "for people alone"},
                   {"files",
                    Table{.columns = {{"name", "name"},
                                      {"bytes", "size", Unit::bytes},
                                      {"rate", "hit", Unit::rate},
                                      {"verified"},
                                      {"", "note"}},
                          .rows = {{"a|b", 1536, 0.25, true, "first\nfile"},
                                   {"long, \"name\"", nullptr, nan, false, "x"}}},
                    "what was read"},
                   words("the end")}};
}

}  // namespace creg::test
