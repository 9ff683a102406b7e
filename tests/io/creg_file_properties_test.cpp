#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/build.h"
#include "io/creg_file.h"
#include "support/arbitrary_graph.h"
#include "support/temp_dir.h"

namespace creg::creg_file_properties_test {
namespace {

RC_GTEST_PROP(CregFileProperties, TheRoundTripIsExact, ()) {
  const test::TempDir dir;
  const Graph graph = test::arbitrary_graph();
  const CregProvenance provenance{.source = "made up", .transforms = {"symmetrise", "binarise"}};
  write_creg(Context(), dir / "g.creg", graph, provenance);
  CregProvenance read;
  RC_ASSERT(test::same(read_creg(Context(), map_file(dir / "g.creg"), &read), graph));
  RC_ASSERT(read.source == provenance.source);
  RC_ASSERT(read.transforms == provenance.transforms);
}

}  // namespace
}  // namespace creg::creg_file_properties_test
