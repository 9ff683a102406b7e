#include "ops/csr.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "graph/build.h"
#include "graph/edge_drop.h"
#include "support/devices.h"
#include "support/graphs.h"

namespace creg::csr_test {
namespace {

CsrMatrix one_way() {
  return test::csr(4, {{0, 1}, {0, 2}, {1, 2}, {2, 2}, {3, 0}}, {1, 2, 3, 4, 5});
}

TEST(Csr, TensorsAndBackAreTheSameMatrix) {
  const CsrMatrix matrix = one_way();
  const CsrTensors tensors = csr_tensors(test::context(), matrix);
  EXPECT_EQ(tensors.columns.device(), test::tensor_device());
  EXPECT_EQ(tensors.offsets.device(), test::tensor_device());
  EXPECT_EQ(tensors.values.device(), test::tensor_device());
  EXPECT_TRUE(test::same(host_csr(tensors), matrix));
  CsrMatrix bare = matrix;
  bare.values = {};
  EXPECT_FALSE(csr_tensors(test::context(), bare).values.defined());
  EXPECT_TRUE(test::same(host_csr(csr_tensors(test::context(), bare)), bare));
}

TEST(Csr, OnTheCpuTensorsAndBackShareTheArrays) {
  const CsrMatrix matrix = one_way();
  const CsrTensors tensors = csr_tensors(Context(), matrix);
  EXPECT_EQ(tensors.columns.data_ptr<std::int32_t>(), matrix.columns.data());
  const CsrMatrix back = host_csr(tensors);
  EXPECT_EQ(back.values.data(), matrix.values.data());
  EXPECT_TRUE(test::same(back, matrix));
}

TEST(Csr, RoomBehindTheLastEntryIsCutOff) {
  const CsrMatrix matrix = one_way();
  CsrTensors tensors = csr_tensors(Context(), matrix);
  tensors.columns = at::cat({tensors.columns, at::full({3}, -7, at::kInt)});
  tensors.values = at::cat({tensors.values, at::full({3}, -7.0F)});
  ASSERT_EQ(tensors.nonzeros(), 8);
  EXPECT_TRUE(test::same(host_csr(tensors), matrix));
  EXPECT_EQ(host_csr(tensors).columns.size(), 5);
  const CsrTensors exact = without_room(tensors);
  EXPECT_EQ(exact.nonzeros(), 5);
  EXPECT_EQ(exact.values.numel(), 5);
  EXPECT_TRUE(test::same(host_csr(exact), matrix));
  tensors.values.reset();
  EXPECT_TRUE(host_csr(tensors).values.empty());
  EXPECT_FALSE(without_room(tensors).values.defined());
}

TEST(Csr, JoinedNodesAreThoseWithANeighbourThatIsNotThemselves) {
  // Node 2 has a loop alone, node 4 nothing.
  const CsrMatrix some = test::csr(5, {{0, 1}, {1, 1}, {1, 2}, {2, 2}, {3, 0}});
  const at::Tensor joined = joined_nodes(test::context(), some);
  ASSERT_EQ(joined.scalar_type(), at::kInt);
  EXPECT_TRUE(test::equal(joined, at::tensor({0, 1, 3}, at::kInt)));
  EXPECT_FALSE(joined_nodes(test::context(), test::csr(2, {{0, 1}, {1, 0}})).defined());
}

TEST(Csr, IsWhatTheGraphsFunctionsMake) {
  const Context context = test::context();
  const CsrMatrix matrix = one_way();
  const CsrTensors tensors = csr_tensors(context, matrix);
  EXPECT_TRUE(test::same(host_csr(transpose(context, tensors)), transpose(context, matrix)));
  EXPECT_TRUE(
      test::same(host_csr(gcn_normalised(context, tensors)), gcn_normalised(context, matrix)));
  for (const SelfLoops loops : {SelfLoops::as_stored, SelfLoops::missing, SelfLoops::replaced,
                                SelfLoops::plus_one, SelfLoops::plus_two}) {
    EXPECT_TRUE(test::same(host_csr(with_self_loops(context, tensors, loops)),
                           with_self_loops(context, matrix, loops)));
    EXPECT_TRUE(test::same(host_csr(row_normalised(context, tensors, loops)),
                           row_normalised(context, matrix, loops)));
  }
}

TEST(Csr, EntriesAreDroppedByTheSameDraws) {
  const Context context = test::context();
  const CsrMatrix matrix = one_way();
  const CsrTensors tensors = csr_tensors(context, matrix);
  bool some = false;
  for (std::uint32_t step = 0; step < 4; ++step) {
    const ViewDraw draw{.seed = 2, .step = step, .view = 1};
    const CsrMatrix expected = drop_edges(context, matrix, 0.5, draw);
    some = some || expected.nonzeros() < matrix.nonzeros();
    EXPECT_TRUE(test::same(host_csr(drop_edges(context, tensors, 0.5, draw)), expected));
  }
  EXPECT_TRUE(some);
  const at::Tensor chances = test::on(at::tensor({0.0F, 1.0F, 1.0F, 0.0F, 1.0F}));
  const CsrMatrix kept = host_csr(drop_edges(context, tensors, chances, {}));
  EXPECT_EQ(test::entries(kept), (test::Edges{{0, 1}, {2, 2}}));
  EXPECT_ANY_THROW(drop_edges(context, tensors, chances.narrow(0, 0, 3), {}));
}

}  // namespace
}  // namespace creg::csr_test
