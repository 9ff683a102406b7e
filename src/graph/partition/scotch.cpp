#include "graph/partition/scotch.h"

#include "creg/core/error.h"

#ifdef CREG_HAS_SCOTCH
#include <cstdio>
// It wants FILE first.
#include <scotch-int64/scotch.h>
#endif

namespace creg::detail {

#ifdef CREG_HAS_SCOTCH

bool has_scotch() {
  return true;
}

namespace {

static_assert(sizeof(SCOTCH_Num) == sizeof(std::int64_t), "the 64-bit variant of Scotch");

void check_scotch(int status, const char* step) {
  if (status == 0) return;
  fail_environment({.what = "Scotch gave up on this graph",
                    .file = "--method scotch",
                    .place = step,
                    .found = "its status " + std::to_string(status),
                    .hint = "--method streaming is built in and takes less memory"});
}

/// One of Scotch's objects from its initialisation to its end.
template <class Object, int (*Start)(Object*), void (*End)(Object*)>
class ScotchObject {
 public:
  ScotchObject() { check_scotch(Start(&object_), "making an object"); }
  ScotchObject(const ScotchObject&) = delete;
  ScotchObject& operator=(const ScotchObject&) = delete;
  ~ScotchObject() { End(&object_); }
  Object* get() { return &object_; }

 private:
  Object object_{};
};

using ScotchGraph = ScotchObject<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using ScotchStrategy = ScotchObject<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using ScotchContext = ScotchObject<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

}  // namespace

std::vector<std::int32_t> scotch_owners(const CsrMatrix& pattern, int parts, double slack,
                                        std::uint64_t seed) {
  invariant(SCOTCH_numSizeof() == sizeof(SCOTCH_Num), "Scotch's header and library go together");
  std::vector<SCOTCH_Num> columns(pattern.columns.begin(), pattern.columns.end());
  std::vector<SCOTCH_Num> offsets(pattern.offsets.begin(), pattern.offsets.end());
  std::vector<SCOTCH_Num> owners(static_cast<std::size_t>(pattern.rows));
  // What it draws depends on the seed alone: one thread, and draws of its own.
  ScotchContext context;
  check_scotch(SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1),
               "its options");
  check_scotch(SCOTCH_contextThreadSpawn(context.get(), 1, nullptr), "its threads");
  check_scotch(SCOTCH_contextRandomClone(context.get()), "its draws");
  // Its generator does not look at the last bit.
  constexpr std::uint64_t seeds = std::uint64_t{1} << 30;
  SCOTCH_contextRandomSeed(context.get(), static_cast<SCOTCH_Num>(2 * (seed % seeds) + 1));
  ScotchGraph graph;
  check_scotch(SCOTCH_graphBuild(graph.get(), 0, pattern.rows, offsets.data(), nullptr, nullptr,
                                 nullptr, pattern.nonzeros(), columns.data(), nullptr),
               "reading the edges");
  ScotchGraph bound;
  check_scotch(SCOTCH_contextBindGraph(context.get(), graph.get(), bound.get()),
               "binding the graph");
  ScotchStrategy strategy;
  check_scotch(SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATDEFAULT, parts, slack),
               "its strategy");
  check_scotch(SCOTCH_graphPart(bound.get(), parts, strategy.get(), owners.data()), "the parts");
  return {owners.begin(), owners.end()};
}

#else

bool has_scotch() {
  return false;
}

std::vector<std::int32_t> scotch_owners(const CsrMatrix& /*pattern*/, int /*parts*/,
                                        double /*slack*/, std::uint64_t /*seed*/) {
  throw Bug("this build has no Scotch");
}

#endif

}  // namespace creg::detail
