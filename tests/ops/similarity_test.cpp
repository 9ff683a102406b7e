#include "ops/similarity.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/runtime.h"
#include "ops/similarity/embedding_rows.h"
#include "ops/tensor_memory.h"
#include "support/expect_error.h"
#include "support/gradients.h"
#include "support/precisions.h"

namespace creg::similarity_test {
namespace {

using test::expect_error;
using test::irregular;

/// Small whole numbers: every dot product is exact, and many are equal.
at::Tensor whole_numbers(std::int64_t rows, std::int64_t width) {
  return irregular({rows, width}).mul(3).round();
}

/// All similarities, in double.
std::vector<std::vector<double>> all_pairs(const at::Tensor& h, Similarity similarity) {
  const std::int64_t n = h.size(0);
  const at::Tensor exact = h.to(at::kDouble).contiguous();
  const auto* values = exact.data_ptr<double>();
  const std::int64_t width = h.size(1);
  const auto dot = [&](std::int64_t i, std::int64_t j) {
    return std::inner_product(values + i * width, values + (i + 1) * width, values + j * width,
                              0.0);
  };
  std::vector<std::vector<double>> all(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double value = dot(i, j);
      if (similarity == Similarity::cosine) {
        value /= std::max(std::sqrt(dot(i, i)), 1e-12) * std::max(std::sqrt(dot(j, j)), 1e-12);
      }
      all[static_cast<std::size_t>(i)].push_back(value);
    }
  }
  return all;
}

/// The nodes of one row by falling similarity, then rising number.
std::vector<std::int32_t> ranking(const std::vector<double>& row, std::int64_t self,
                                  SelfPairs pairs) {
  std::vector<std::int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  if (pairs == SelfPairs::exclude) order.erase(order.begin() + self);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Exact ties in the reference have to come in the order of their numbers; where float32 cannot
/// tell two similarities apart, only the values are compared.
void expect_top_k(const SimilarityResult& result, const at::Tensor& h,
                  const SimilarityRequest& request, bool exact, double tolerance = 2e-6) {
  const std::int64_t n = h.size(0);
  ASSERT_EQ(result.indices.sizes(), (at::IntArrayRef{n, request.k}));
  ASSERT_EQ(result.indices.scalar_type(), at::kInt);
  const auto all = all_pairs(h, request.similarity);
  double largest = 1;
  for (const auto& row : all) {
    for (const double value : row) largest = std::max(largest, std::abs(value));
  }
  const at::Tensor found_indices = test::on_host(result.indices);
  const at::Tensor found_values = test::on_host(result.values);
  const auto indices = found_indices.accessor<std::int32_t, 2>();
  const auto values = found_values.accessor<float, 2>();
  for (std::int64_t i = 0; i < n; ++i) {
    const auto& row = all[static_cast<std::size_t>(i)];
    const auto order = ranking(row, i, request.self);
    std::vector<std::int32_t> seen;
    for (std::int64_t p = 0; p < request.k; ++p) {
      const std::int32_t wanted = order[static_cast<std::size_t>(p)];
      const std::int32_t got = indices[i][p];
      if (exact) {
        ASSERT_EQ(got, wanted) << "node " << i << ", place " << p;
      }
      ASSERT_TRUE(got >= 0 && got < n);
      ASSERT_TRUE(request.self == SelfPairs::include || got != i);
      ASSERT_NEAR(row[static_cast<std::size_t>(got)], row[static_cast<std::size_t>(wanted)],
                  tolerance * largest);
      ASSERT_NEAR(values[i][p], row[static_cast<std::size_t>(got)], tolerance * largest);
      seen.push_back(got);
    }
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "a node twice";
  }
}

void expect_entropies(const at::Tensor& found, const at::Tensor& h, double tolerance = 3e-6) {
  const at::Tensor entropies = test::on_host(found);
  const auto all = all_pairs(h, Similarity::cosine);
  ASSERT_EQ(entropies.numel(), h.size(0));
  for (std::size_t i = 0; i < all.size(); ++i) {
    double total = 0;
    for (const double s : all[i]) total += std::max(s, 0.0);
    double entropy = 0;
    for (const double s : all[i]) {
      if (s > 0) entropy -= s / total * std::log(s / total);
    }
    if (total == 0) entropy = std::log(static_cast<double>(all.size()));
    EXPECT_NEAR(entropies[static_cast<std::int64_t>(i)].item<double>(), entropy,
                tolerance * std::max(1.0, entropy))
        << "node " << i;
  }
}

// One thread: hundreds of tiny passes would spend their time waking the others. The tests of
// several threads make their own.
class AllPairs : public testing::Test {
 protected:
  AllPairs() { prepare_torch(context_); }
  Context context_ = test::context({.threads = 1});
};

TEST_F(AllPairs, AwkwardSizesAgainstAllPairsInDouble) {
  for (const std::int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 129, 200}) {
    for (const std::int64_t width : {1, 7, 16, 33}) {
      const at::Tensor h = irregular({n, width}, static_cast<double>(n + width));
      for (const Similarity similarity : {Similarity::cosine, Similarity::dot}) {
        SimilarityRequest request{
            .k = std::min<std::int64_t>(5, n), .similarity = similarity, .entropies = true};
        for (const std::int64_t block : {0, 1, 16, 64, 70}) {
          if (block == 1 && n > 20) continue;
          SCOPED_TRACE("n " + std::to_string(n) + ", width " + std::to_string(width) + ", block " +
                       std::to_string(block));
          request.block_rows = block;
          const SimilarityResult result = similarity_pass(context_, test::on(h), request);
          expect_top_k(result, h, request, false);
          if (width > 1) expect_entropies(result.entropies, h);
        }
      }
    }
  }
}

TEST_F(AllPairs, EqualSimilaritiesComeInTheOrderOfTheNodes) {
  const at::Tensor h = whole_numbers(150, 3);
  for (const SelfPairs self : {SelfPairs::include, SelfPairs::exclude}) {
    for (const std::int64_t k : {1, 2, 5, 64, 149}) {
      for (const std::int64_t block : {0, 7, 32, 149}) {
        SCOPED_TRACE("k " + std::to_string(k) + ", block " + std::to_string(block));
        const SimilarityRequest request{
            .k = k, .similarity = Similarity::dot, .self = self, .block_rows = block};
        expect_top_k(similarity_pass(context_, test::on(h), request), h, request, true);
      }
    }
  }
}

TEST_F(AllPairs, SomeNodesAgainstAllPairsInDouble) {
  // More nodes and columns than a block has; one node twice.
  const at::Tensor h = irregular({2300, 5});
  const auto all = all_pairs(h, Similarity::cosine);
  std::vector<std::int32_t> nodes = {2299, 0, 17, 17};
  for (std::int32_t i = 100; i < 300; ++i) nodes.push_back(i * 7);
  for (const SelfPairs self : {SelfPairs::include, SelfPairs::exclude}) {
    const SimilarityResult result = top_k_of_nodes(
        context_, test::on(h), test::on(at::tensor(nodes, at::kInt)), 4, Similarity::cosine, self);
    const at::Tensor found_indices = test::on_host(result.indices);
    const at::Tensor found_values = test::on_host(result.values);
    const auto indices = found_indices.accessor<std::int32_t, 2>();
    const auto values = found_values.accessor<float, 2>();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& row = all[static_cast<std::size_t>(nodes[i])];
      const auto order = ranking(row, nodes[i], self);
      for (std::int64_t p = 0; p < 4; ++p) {
        const std::int32_t got = indices[static_cast<std::int64_t>(i)][p];
        ASSERT_TRUE(self == SelfPairs::include || got != nodes[i]);
        ASSERT_NEAR(row[static_cast<std::size_t>(got)],
                    row[static_cast<std::size_t>(order[static_cast<std::size_t>(p)])], 2e-6);
        ASSERT_NEAR(values[static_cast<std::int64_t>(i)][p], row[static_cast<std::size_t>(got)],
                    2e-6);
      }
    }
  }
}

TEST_F(AllPairs, SomeNodesTieAsAllDo) {
  const at::Tensor h = whole_numbers(150, 3);
  const std::vector<std::int32_t> nodes = {149, 3, 80};
  for (const SelfPairs self : {SelfPairs::include, SelfPairs::exclude}) {
    const SimilarityResult some = top_k_of_nodes(
        context_, test::on(h), test::on(at::tensor(nodes, at::kInt)), 9, Similarity::dot, self);
    const at::Tensor indices = test::on_host(some.indices);
    const auto all = all_pairs(h, Similarity::dot);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto order = ranking(all[static_cast<std::size_t>(nodes[i])], nodes[i], self);
      for (std::int64_t p = 0; p < 9; ++p) {
        EXPECT_EQ(indices[static_cast<std::int64_t>(i)][p].item<std::int32_t>(),
                  order[static_cast<std::size_t>(p)]);
      }
    }
  }
}

TEST_F(AllPairs, SomeNodesRefuseWhatAllDo) {
  const at::Tensor h = irregular({4, 3});
  const std::vector<std::int32_t> nodes = {1};
  expect_error(
      [&] { top_k_of_nodes(context_, test::on(h), test::on(at::tensor(nodes, at::kInt)), 5); },
      {"1 to 4"});
  expect_error(
      [&] {
        top_k_of_nodes(context_, test::on(h), test::on(at::tensor(nodes, at::kInt)), 4,
                       Similarity::dot, SelfPairs::exclude);
      },
      {"1 to 3"});
  expect_error(
      [&] {
        top_k_of_nodes(context_, test::on(h * 1e20), test::on(at::tensor(nodes, at::kInt)), 2,
                       Similarity::dot);
      },
      {"range of float32"});
  const SimilarityResult huge =
      top_k_of_nodes(context_, test::on(h * 1e20), test::on(at::tensor(nodes, at::kInt)), 2);
  EXPECT_EQ(huge.indices[0][0].item<std::int32_t>(), 1);
}

TEST_F(AllPairs, RepeatedRowsTie) {
  // Unit vectors: their cosines are exactly 0 and 1.
  const at::Tensor h = at::eye(4).repeat({40, 1});
  const SimilarityRequest request{.k = 6, .block_rows = 24};
  expect_top_k(similarity_pass(context_, test::on(h), request), h, request, true);
}

TEST_F(AllPairs, RowsOfZeros) {
  at::Tensor h = irregular({20, 8});
  h[3].zero_();
  h[19].zero_();
  const SimilarityRequest request{.k = 4, .entropies = true, .block_rows = 8};
  const SimilarityResult result = similarity_pass(context_, test::on(h), request);
  expect_entropies(result.entropies, h);
  EXPECT_FLOAT_EQ(result.entropies[3].item<float>(), std::log(20.0F));
  EXPECT_TRUE(test::equal(result.indices[3], at::tensor({0, 1, 2, 3}, at::kInt)));
  expect_top_k(result, h, request, false);

  const at::Tensor zeros = at::zeros({200, 3});
  const SimilarityResult nothing =
      similarity_pass(context_, test::on(zeros), {.k = 2, .entropies = true});
  EXPECT_TRUE(test::equal(nothing.indices, at::tensor({0, 1}, at::kInt).repeat({200, 1})));
  EXPECT_FLOAT_EQ(nothing.entropies[7].item<float>(), std::log(200.0F));
}

TEST_F(AllPairs, NegativeSimilaritiesAreRankedButHaveNoPartInTheEntropy) {
  const at::Tensor h = at::tensor({1.0F, 0.0F, -1.0F, 0.0F, -2.0F, 1.0F}).reshape({3, 2});
  const SimilarityResult result = similarity_pass(
      context_, test::on(h), {.k = 2, .self = SelfPairs::exclude, .entropies = true});
  EXPECT_TRUE(test::equal(result.indices[0], at::tensor({2, 1}, at::kInt)));
  EXPECT_LT(result.values[0][0].item<float>(), -0.8F);
  EXPECT_EQ(result.entropies[0].item<float>(), 0.0F) << "similar to itself alone";
}

TEST_F(AllPairs, EntropiesAreThoseOfCosinesAlsoBesideDotProducts) {
  const at::Tensor h = test::on(irregular({70, 9}) * 5);
  const SimilarityResult both =
      similarity_pass(context_, h, {.k = 3, .similarity = Similarity::dot, .entropies = true});
  // A GPU scales the rows first where it looks for cosines alone.
  const double rounding = test::tensor_device().is_cpu() ? 0 : 1e-6;
  EXPECT_LE(test::distance(both.entropies, row_entropies(context_, h)), rounding);
  EXPECT_TRUE(test::equal(both.indices, top_k_similar(context_, h, 3, Similarity::dot).indices));
}

TEST_F(AllPairs, AddsUpManySmallSimilaritiesExactly) {
  // Every cosine of two different rows is the same, so the entropy is known in closed form.
  const std::int64_t n = 3000;
  at::Tensor h = at::cat({at::ones({n, 1}), at::eye(n) * 30}, 1);
  const double s = 1.0 / 901;
  const double total = 1 + static_cast<double>(n - 1) * s;
  const double wanted = std::log(total) - static_cast<double>(n - 1) * s * std::log(s) / total;
  const at::Tensor entropies = row_entropies(context_, test::on(h));
  EXPECT_NEAR(entropies.min().item<double>(), wanted, 2e-6 * wanted);
  EXPECT_NEAR(entropies.max().item<double>(), wanted, 2e-6 * wanted);
}

TEST_F(AllPairs, EntropiesOfManyNodesAgainstSomeRowsInDouble) {
  // So many that a GPU meets each pair once; not a multiple of its tiles.
  constexpr std::int64_t n = 8500;
  for (const std::int64_t width : {3, 150}) {
    const at::Tensor h = irregular({n, width}, static_cast<double>(width));
    const at::Tensor entropies = test::on_host(row_entropies(context_, test::on(h)));
    const at::Tensor exact = h.to(at::kDouble);
    const at::Tensor unit = exact / exact.norm(2, 1, true);
    for (const std::int64_t i : {0, 1, 127, 128, 255, 256, 4000, 8191, 8192, 8498, 8499}) {
      const at::Tensor s = at::mv(unit, unit[i]).clamp_min(0);
      const at::Tensor p = s / s.sum();
      const double entropy = -at::xlogy(p, p).sum().item<double>();
      EXPECT_NEAR(entropies[i].item<double>(), entropy, 3e-6 * entropy) << i << ", " << width;
    }
  }
}

TEST_F(AllPairs, DoesNotDependOnTheNumberOfThreads) {
  for (const std::int64_t n : {100, 700}) {
    const at::Tensor h = test::on(irregular({n, 119}));
    for (const std::int64_t block : {0, 20}) {
      const SimilarityRequest request{.k = 5, .entropies = true, .block_rows = block};
      SimilarityResult first;
      for (const int threads : {1, 2, 3}) {
        SCOPED_TRACE(std::to_string(n) + " nodes, threads " + std::to_string(threads));
        const Context context = test::context({.threads = threads});
        prepare_torch(context);
        const SimilarityResult result = similarity_pass(context, h, request);
        if (threads == 1) {
          first = result;
          continue;
        }
        EXPECT_TRUE(test::same_bytes(result.indices, first.indices));
        EXPECT_TRUE(test::same_bytes(result.values, first.values));
        EXPECT_TRUE(test::same_bytes(result.entropies, first.entropies));
      }
    }
  }
}

TEST_F(AllPairs, ExtremeNorms) {
  const at::Tensor h = irregular({40, 6});
  const at::Tensor scales = at::logspace(-8, 25, 40).to(at::kFloat).unsqueeze(1);
  const at::Tensor scaled = h * scales;
  const SimilarityRequest request{.k = 3, .entropies = true};
  const SimilarityResult result = similarity_pass(context_, test::on(scaled), request);
  expect_top_k(result, scaled, request, false);
  expect_entropies(result.entropies, scaled);
  expect_error([&] { top_k_similar(context_, test::on(scaled), 3, Similarity::dot); },
               {"leave the range of float32", "lower the learning rate"});
}

TEST_F(AllPairs, TakesViewsAndTensorsWithGradients) {
  const at::Tensor wide = test::on(irregular({30, 20})).set_requires_grad(true);
  const at::Tensor view = wide.t();
  const SimilarityResult result = top_k_similar(context_, view, 3);
  EXPECT_FALSE(result.values.requires_grad());
  EXPECT_TRUE(
      test::equal(result.indices, top_k_similar(context_, view.detach().contiguous(), 3).indices));
}

TEST_F(AllPairs, RefusesWhatIsNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    at::Tensor h = irregular({500, 20});
    h[412][7] = bad;
    h[490][0] = bad;
    expect_error([&] { row_entropies(context_, test::on(h)); },
                 {"not finite", "node 412, column 8", std::isnan(bad) ? "NaN" : "infinity"});
  }
}

TEST_F(AllPairs, RefusesAKThatIsOutOfRange) {
  const at::Tensor h = test::on(irregular({4, 2}));
  expect_error([&] { top_k_similar(context_, h, 5); }, {"k", "found 5", "1 to 4"});
  expect_error([&] { top_k_similar(context_, h, 0); }, {"found 0", "1 to 4"});
  expect_error([&] { top_k_similar(context_, h, -1); }, {"found -1"});
  expect_error([&] { top_k_similar(context_, h, 4, Similarity::cosine, SelfPairs::exclude); },
               {"found 4", "1 to 3"});
  expect_error(
      [&] {
        top_k_similar(context_, test::on(irregular({1, 2})), 1, Similarity::dot,
                      SelfPairs::exclude);
      },
      {"a graph with more nodes"});
}

TEST(InverseRowNorms, AreThoseOfTheRowsAndHaveABound) {
  at::Tensor h = irregular({40, 9}) * 5;
  h.select(0, 7).zero_();
  const at::Tensor inverse = detail::inverse_row_norms(h);
  EXPECT_EQ(inverse.scalar_type(), at::kFloat);
  const at::Tensor norms = h.to(at::kDouble).pow(2).sum(1).sqrt().clamp_min(1e-12);
  EXPECT_LT(((inverse.to(at::kDouble) * norms) - 1).abs().max().item<double>(), 1e-6);
}

TEST_F(AllPairs, EmptyEmbedding) {
  EXPECT_EQ(row_entropies(context_, test::on(at::empty({0, 5}))).numel(), 0);
}

/// What is counted is the CPU's.
TEST_F(AllPairs, NeverHoldsAllPairs) {
  const Context context(Context::Options{.threads = 1});
  const std::int64_t n = 4000;
  const at::Tensor h = irregular({n, 8});
  install_tensor_memory();
  const std::int64_t before = tensor_memory().live_bytes;
  reset_peak_tensor_memory();
  const SimilarityResult result = similarity_pass(context, h, {.k = 5, .entropies = true});
  EXPECT_GT(tensor_memory().peak_bytes, before) << "nothing was counted";
  EXPECT_LT(tensor_memory().peak_bytes - before, n * n * 4 / 16);
}

class AllPairsInLess : public test::OnTensorCores {};

TEST_P(AllPairsInLess, AreAsExactAsTheirProducts) {
  for (const std::int64_t n : {65, 700}) {
    for (const std::int64_t width : {7, 33, 200}) {
      const at::Tensor h = irregular({n, width}, static_cast<double>(n + width));
      for (const Similarity similarity : {Similarity::cosine, Similarity::dot}) {
        SCOPED_TRACE("n " + std::to_string(n) + ", width " + std::to_string(width));
        const SimilarityRequest request{.k = 5, .similarity = similarity, .entropies = true};
        const SimilarityResult result = similarity_pass(context_, test::on(h), request);
        // What comes instead of another may be larger than it by the mistakes of both.
        expect_top_k(result, h, request, false, 6 * rounding_);
        expect_entropies(result.entropies, h, 2 * rounding_);
        const SimilarityResult fp32 =
            similarity_pass(test::context({.threads = 1}), test::on(h), request);
        EXPECT_FALSE(test::same_bytes(result.values, fp32.values)) << "the products of fp32";
      }
    }
  }
}

TEST_P(AllPairsInLess, EntropiesOfManyNodesTheSame) {
  // So many that a GPU meets each pair once.
  constexpr std::int64_t n = 8500;
  for (const std::int64_t width : {3, 150}) {
    const at::Tensor h = irregular({n, width}, static_cast<double>(width));
    const at::Tensor entropies = test::on_host(row_entropies(context_, test::on(h)));
    const at::Tensor exact = h.to(at::kDouble);
    const at::Tensor unit = exact / exact.norm(2, 1, true);
    for (const std::int64_t i : {0, 1, 127, 128, 255, 256, 4000, 8191, 8192, 8498, 8499}) {
      const at::Tensor s = at::mv(unit, unit[i]).clamp_min(0);
      const at::Tensor p = s / s.sum();
      const double entropy = -at::xlogy(p, p).sum().item<double>();
      EXPECT_NEAR(entropies[i].item<double>(), entropy, 2 * rounding_) << i << ", " << width;
    }
  }
}

TEST_P(AllPairsInLess, SomeNodesTheSame) {
  const at::Tensor h = irregular({2300, 40});
  const auto all = all_pairs(h, Similarity::cosine);
  const std::vector<std::int32_t> nodes = {2299, 0, 17, 17, 1024};
  const SimilarityResult result = top_k_of_nodes(
      context_, test::on(h), test::on(at::tensor(nodes, at::kInt)), 4, Similarity::cosine);
  const at::Tensor indices = test::on_host(result.indices);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& row = all[static_cast<std::size_t>(nodes[i])];
    const auto order = ranking(row, nodes[i], SelfPairs::include);
    for (std::int64_t p = 0; p < 4; ++p) {
      const auto got = indices[static_cast<std::int64_t>(i)][p].item<std::int32_t>();
      EXPECT_NEAR(row[static_cast<std::size_t>(got)],
                  row[static_cast<std::size_t>(order[static_cast<std::size_t>(p)])], 6 * rounding_);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, AllPairsInLess, test::tensor_core_precisions,
                         test::precision_name);

TEST_F(AllPairs, StopsWhenAsked) {
  for (const int threads : {1, 2}) {
    const Context context =
        test::context({.threads = threads, .stop = std::make_shared<std::atomic<bool>>(true)});
    prepare_torch(context);
    EXPECT_THROW(row_entropies(context, test::on(irregular({600, 4}))), Interrupted);
  }
}

}  // namespace
}  // namespace creg::similarity_test
