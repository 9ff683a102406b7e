// The baselines of selections and products give what ours give.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "bench/infonce.h"
#include "bench/plain/plain_similarity.h"
#include "bench/select.h"
#include "bench/spmm.h"
#include "creg/core/error.h"
#include "creg/io/dataset.h"
#include "support/gradients.h"

namespace creg::plain_products_test {
namespace {

Graph small_graph(const Context& context) {
  return prepare_graph(context, open_dataset(context, "synthetic:cora@0.05", ""));
}

TEST(PlainSimilarity, GivesWhatTheStreamedPassGives) {
  const at::Tensor rows = test::irregular({40, 7});
  const SimilarityResult plain = plain_similarity(rows, 3, true);
  const SimilarityResult streamed =
      similarity_pass(Context(), rows, {.k = 3, .entropies = true, .block_rows = 16});
  EXPECT_TRUE(at::equal(plain.indices, streamed.indices));
  EXPECT_LT(test::distance(plain.values, streamed.values), 1e-6);
  EXPECT_LT(test::distance(plain.entropies, streamed.entropies), 1e-5);
}

TEST(PlainSimilarity, RefusesWhatCannotFit) {
  EXPECT_NO_THROW(require_plain_similarity_memory(1000));
  try {
    require_plain_similarity_memory(2'000'000'000);
    FAIL() << "an array of 10^19 bytes fits nowhere";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_NE(std::string(error.what()).find("2,000,000,000 nodes"), std::string::npos);
  }
}

TEST(SelectBench, ComparesEqualResults) {
  const Context context({.threads = 1});
  const SelectBench result = bench_select(context, small_graph(context), {.dim = 16}, 5,
                                          {.warm_up = 0, .repetitions = 1}, true);
  ASSERT_TRUE(result.plain && result.entropy_difference && result.value_difference);
  EXPECT_LT(*result.entropy_difference, 1e-3);
  EXPECT_LT(*result.value_difference, 1e-4);
  const std::int64_t nodes = small_graph(context).nodes();
  EXPECT_GE(result.plain->peak_bytes, 2 * 4 * nodes * nodes);
}

TEST(InfoNceBench, ComparesEqualLosses) {
  const Context context({.threads = 1});
  const InfoNceBench result =
      bench_infonce(context, 90, 6, 0.4, {.warm_up = 0, .repetitions = 1}, true);
  ASSERT_TRUE(result.plain && result.loss_difference && result.gradient_difference);
  EXPECT_GT(result.loss, 1);
  EXPECT_LT(*result.loss_difference, 1e-4);
  EXPECT_LT(*result.gradient_difference, 1e-4);
  EXPECT_FALSE(bench_infonce(context, 90, 6, 0.4, {.warm_up = 0, .repetitions = 1}, false).plain);
}

TEST(SpmmBench, ComparesEqualProducts) {
  const Context context({.threads = 1});
  const Graph graph = small_graph(context);
  const SpmmBench result = bench_spmm(context, graph, 20, {.warm_up = 0, .repetitions = 1}, true);
  ASSERT_TRUE(result.plain && result.largest_difference);
  EXPECT_LT(*result.largest_difference, 1e-5);
  EXPECT_EQ(result.nonzeros, graph.adjacency.nonzeros() + graph.nodes());
  EXPECT_EQ(result.copy_bytes, 2 * 4 * 20 * graph.nodes());
  EXPECT_EQ(result.product_bytes, (result.nonzeros + graph.nodes()) * (4 * 20 + 8));
  EXPECT_FALSE(bench_spmm(context, graph, 8, {.warm_up = 0, .repetitions = 1}, false).plain);
}

}  // namespace
}  // namespace creg::plain_products_test
