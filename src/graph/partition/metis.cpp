#include "graph/partition/metis.h"

#include "creg/core/error.h"

#ifdef CREG_HAS_METIS
#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#endif

namespace creg::detail {

#ifdef CREG_HAS_METIS

std::int64_t metis_most_entries() {
  return std::numeric_limits<idx_t>::max() / 2;
}

std::vector<std::int32_t> metis_owners(const CsrMatrix& pattern, int parts, double slack,
                                       std::uint64_t seed) {
  invariant(pattern.nonzeros() <= metis_most_entries() && pattern.rows < max_nodes,
            "METIS can count these entries");
  constexpr double thousandths = 1000;
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  // From 1 on: to the C library's generator 0 and 1 are the same.
  options[METIS_OPTION_SEED] = static_cast<idx_t>(
      1 + seed % static_cast<std::uint64_t>(std::numeric_limits<int>::max() - 1));
  options[METIS_OPTION_UFACTOR] = static_cast<idx_t>(std::lround(slack * thousandths));
  auto nodes = static_cast<idx_t>(pattern.rows);
  auto part_count = static_cast<idx_t>(parts);
  idx_t constraints = 1;
  idx_t cut = 0;
  std::vector<idx_t> offsets(pattern.offsets.begin(), pattern.offsets.end());
  std::vector<idx_t> owners(static_cast<std::size_t>(nodes));
  std::vector<idx_t> copied;
  idx_t* columns = nullptr;
  if constexpr (std::is_same_v<idx_t, std::int32_t>) {
    // METIS only reads them.
    columns = const_cast<idx_t*>(pattern.columns.data());  // NOLINT(*-const-cast)
  } else {
    copied.assign(pattern.columns.begin(), pattern.columns.end());
    columns = copied.data();
  }
  const int result =
      METIS_PartGraphKway(&nodes, &constraints, offsets.data(), columns, nullptr, nullptr, nullptr,
                          &part_count, nullptr, nullptr, options.data(), &cut, owners.data());
  if (result != METIS_OK) {
    fail_environment({.what = result == METIS_ERROR_MEMORY ? "METIS ran out of memory"
                                                           : "METIS gave up on this graph",
                      .file = "--method metis",
                      .found = "its status " + std::to_string(result),
                      .hint = "--method streaming is built in and takes less memory"});
  }
  if constexpr (std::is_same_v<idx_t, std::int32_t>) {
    return owners;
  } else {
    return {owners.begin(), owners.end()};
  }
}

#else

std::int64_t metis_most_entries() {
  return 0;
}

std::vector<std::int32_t> metis_owners(const CsrMatrix& /*pattern*/, int /*parts*/,
                                       double /*slack*/, std::uint64_t /*seed*/) {
  throw Bug("this build has no METIS");
}

#endif

}  // namespace creg::detail
