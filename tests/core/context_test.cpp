#include "creg/core/context.h"

#include <gtest/gtest.h>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "support/expect_error.h"

namespace creg::context_test {
namespace {

TEST(Context, ZeroThreadsMeansAllCores) {
  EXPECT_EQ(Context().threads(), available_cores());
  EXPECT_EQ(Context({.threads = 3}).pool().threads(), 3);
  test::expect_error([] { Context({.threads = -1}); }, {"--threads", "found -1", "0 (all cores)"});
}

TEST(Context, WithSeedChangesTheSeedAlone) {
  const Context context({.threads = 2, .seed = 1});
  const Context other = context.with_seed(9);
  EXPECT_EQ(other.seed(), 9U);
  EXPECT_EQ(context.seed(), 1U);
  EXPECT_EQ(&other.pool(), &context.pool());
}

TEST(Context, OptionsMakeACopyWithOtherThreads) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  const Context context({.threads = 3, .seed = 7, .stop = stop});
  Context::Options options = context.options();
  EXPECT_EQ(options.threads, 3);
  options.threads = 1;
  const Context single(options);
  EXPECT_EQ(single.pool().threads(), 1);
  EXPECT_EQ(single.seed(), 7U);
  EXPECT_EQ(&single.log(), &context.log());
  EXPECT_EQ(&single.progress(), &context.progress());
  EXPECT_EQ(context.pool().threads(), 3);
  stop->store(true);
  EXPECT_TRUE(single.stopped());
  // "All cores" has become a number, which a copy keeps.
  EXPECT_EQ(Context().options().threads, available_cores());
}

TEST(Context, ProductsAreExactUnlessSomeoneSaysOtherwise) {
  EXPECT_EQ(Context().precision(), Precision::fp32);
  const Context context({.precision = Precision::bf16, .threads = 1});
  EXPECT_EQ(context.precision(), Precision::bf16);
  EXPECT_EQ(context.with_seed(3).precision(), Precision::bf16);
  EXPECT_EQ(Context(context.options()).precision(), Precision::bf16);
  EXPECT_EQ(names_of<Precision>(), (std::vector<std::string>{"fp32", "tf32", "bf16"}));
}

TEST(Context, StopsWhenAsked) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  const Context context({.stop = stop});
  EXPECT_NO_THROW(context.throw_if_stopped());
  stop->store(true);
  EXPECT_THROW(context.throw_if_stopped(), Interrupted);
  ProgressTask task(context, "work", 10);
  EXPECT_THROW(task.advance(), Interrupted);
}

TEST(Device, ParsesItsOwnNames) {
  for (const char* name : {"cpu", "cuda:0", "cuda:3"}) {
    EXPECT_EQ(Device::parse(name).name(), name);
  }
  EXPECT_EQ(Device::parse("cuda").name(), "cuda:0");
  for (const char* name : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x"}) {
    test::expect_error([&] { Device::parse(name); }, {"unknown device", "cpu, cuda or cuda:N"});
  }
}

}  // namespace
}  // namespace creg::context_test
