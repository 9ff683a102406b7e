#include "contrast/node_mask.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <set>

#include "ops/tensors.h"
#include "support/gradients.h"

namespace creg::node_mask_test {
namespace {

/// The lists of a mask.
struct Lists {
  explicit Lists(const NodeMask& mask)
      : nodes(host_array<std::int32_t>(mask.nodes)),
        visible(host_array<std::int32_t>(mask.visible)),
        hidden(host_array<std::int32_t>(mask.hidden)),
        replaced(host_array<std::int32_t>(mask.replaced)),
        shown(host_array<std::int32_t>(mask.shown)) {}
  Array<std::int32_t> nodes;
  Array<std::int32_t> visible;
  Array<std::int32_t> hidden;
  Array<std::int32_t> replaced;
  Array<std::int32_t> shown;
};

TEST(NodeMask, HasTheSharesItIsAskedFor) {
  const Lists mask(draw_node_mask(test::context(), 1001, {.rate = 0.3, .replace = 0.25}, 1, 2));
  EXPECT_EQ(mask.nodes.size(), 300);
  EXPECT_EQ(mask.visible.size(), 701);
  EXPECT_EQ(mask.hidden.size(), 225);
  EXPECT_EQ(mask.replaced.size(), 75);
  EXPECT_EQ(mask.shown.size(), 75);
  std::set<std::int32_t> all(mask.nodes.begin(), mask.nodes.end());
  EXPECT_EQ(all.size(), 300);
  for (const std::int32_t node : mask.hidden) EXPECT_EQ(all.erase(node), 1);
  for (const std::int32_t node : mask.replaced) EXPECT_EQ(all.erase(node), 1);
  EXPECT_TRUE(all.empty());
  all.insert(mask.nodes.begin(), mask.nodes.end());
  all.insert(mask.visible.begin(), mask.visible.end());
  EXPECT_EQ(all.size(), 1001);
}

TEST(NodeMask, RoundingMayLeaveANodeAsItIs) {
  // 10 masked: floor(9.5) hidden, floor(0.5) replaced.
  const Lists mask(draw_node_mask(test::context(), 20, {.rate = 0.5, .replace = 0.05}, 1, 2));
  EXPECT_EQ(mask.nodes.size(), 10);
  EXPECT_EQ(mask.hidden.size(), 9);
  EXPECT_TRUE(mask.replaced.empty());
}

TEST(NodeMask, AtLeastOneNodeIsMasked) {
  EXPECT_EQ(draw_node_mask(test::context(), 3, {.rate = 0.1}, 1, 2).nodes.numel(), 1);
}

TEST(NodeMask, DependsOnSeedAndStepAlone) {
  const MaskOptions options{.rate = 0.5, .replace = 0.2};
  const NodeMask one = draw_node_mask(test::context(), 100, options, 1, 2);
  EXPECT_TRUE(test::equal(one.nodes, draw_node_mask(test::context(), 100, options, 1, 2).nodes));
  EXPECT_TRUE(test::equal(one.shown, draw_node_mask(test::context(), 100, options, 1, 2).shown));
  EXPECT_FALSE(test::equal(one.nodes, draw_node_mask(test::context(), 100, options, 1, 3).nodes));
  EXPECT_FALSE(test::equal(one.nodes, draw_node_mask(test::context(), 100, options, 2, 2).nodes));
}

TEST(NodeMask, EveryNodeIsMaskedAboutEquallyOften) {
  const Context context = test::context();
  std::vector<int> counts(20, 0);
  for (std::uint32_t step = 0; step < 2000; ++step) {
    const Lists mask(draw_node_mask(context, 20, {.rate = 0.25}, 1, step));
    for (const std::int32_t node : mask.nodes) {
      ++counts[static_cast<std::size_t>(node)];
    }
  }
  for (const int count : counts) EXPECT_NEAR(count, 500, 100);
}

TEST(MaskedRows, ShowTokensAndOtherNodes) {
  const NodeMask mask{.nodes = test::on(index_tensor({0, 2, 4})),
                      .visible = test::on(index_tensor({1, 3})),
                      .hidden = test::on(index_tensor({4, 0})),
                      .replaced = test::on(index_tensor({2})),
                      .shown = test::on(index_tensor({3}))};
  const auto masked = [&](const test::Tensors& in) { return masked_rows(mask, in[0], in[1]); };
  // All hidden nodes the same token, or one each.
  test::expect_matches(
      masked,
      [](const test::Tensors& in) {
        const at::Tensor token = in[1].narrow(0, 0, 1);
        return at::cat(
            {token, in[0].narrow(0, 1, 1), in[0].narrow(0, 3, 1), in[0].narrow(0, 3, 1), token}, 0);
      },
      {test::irregular({5, 3}), test::irregular({1, 3}, 1)});
  test::expect_matches(masked,
                       [](const test::Tensors& in) {
                         return at::cat(
                             {in[1].narrow(0, 1, 1), in[0].narrow(0, 1, 1), in[0].narrow(0, 3, 1),
                              in[0].narrow(0, 3, 1), in[1].narrow(0, 0, 1)},
                             0);
                       },
                       {test::irregular({5, 3}), test::irregular({2, 3}, 1)});
}

}  // namespace
}  // namespace creg::node_mask_test
