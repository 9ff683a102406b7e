#include "ops/slow_copy.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "support/gradients.h"

namespace creg::slow_copy_test {
namespace {

using test::irregular;

TEST(KeepShare, TakesTheRestFromTheValue) {
  for (const std::int64_t size : {0, 1, 33, 100'003}) {
    for (const double share : {0.0, 0.99, 1.0}) {
      const at::Tensor slow = test::on(irregular({size}));
      const at::Tensor value = test::on(irregular({size}, 1)).set_requires_grad(true);
      const at::Tensor exact = irregular({size}).to(at::kDouble) * share +
                               irregular({size}, 1).to(at::kDouble) * (1 - share);
      keep_share(slow, value, share);
      if (size > 0) {
        EXPECT_LT(test::distance(slow, exact), 1e-6) << size << ' ' << share;
      }
      EXPECT_FALSE(slow.requires_grad());
    }
  }
}

TEST(KeepShare, RefusesOtherSizes) {
  EXPECT_THROW(keep_share(test::on(irregular({3})), test::on(irregular({4})), 0.5), c10::Error);
  EXPECT_THROW(keep_share(test::on(irregular({3})), test::on(irregular({3})).to(at::kDouble), 0.5),
               c10::Error);
}

}  // namespace
}  // namespace creg::slow_copy_test
