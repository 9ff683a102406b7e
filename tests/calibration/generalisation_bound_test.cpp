#include "calibration/generalisation_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "calibration/spectrum_by_definition.h"
#include "creg/core/random.h"
#include "support/expect_error.h"

namespace creg::generalisation_bound_test {
namespace {

struct Example {
  DenseMatrix embedding;
  std::vector<std::int32_t> labels;
  ClassSpectrum spectrum;
};

/// Classes 0, 2 and 5 of different sizes, and nodes without a label.
Example example(int nodes, double scale) {
  constexpr int dim = 4;
  RandomStream stream(8, Purpose::test);
  std::vector<float> values;
  Example made;
  for (int i = 0; i < nodes; ++i) {
    const int kind = i % 8;
    const std::int32_t label = kind == 7 ? unlabelled : kind >= 5 ? 5 : kind >= 4 ? 2 : 0;
    made.labels.push_back(label);
    for (int k = 0; k < dim; ++k) {
      values.push_back(static_cast<float>(scale * (stream.normal() + (k == label ? 1.0 : 0.2))));
    }
  }
  made.embedding = {.rows = nodes, .cols = dim, .values = std::move(values)};
  made.spectrum = test::spectrum_by_definition(made.embedding, made.labels);
  return made;
}

double plain_dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<double>(a[k]) * b[k];
  return sum;
}

double minus_log_sigma(double x) {
  return -std::log(1 / (1 + std::exp(-x)));
}

struct Enumerated {
  double l_sup = 0;
  double different = 0;
  double different_deviation = 0;
  double same = 0;
  double same_deviation = 0;
};

/// By the definitions: every pair of classes, every triple of nodes.
Enumerated enumerate(const Example& made) {
  const std::set<std::int32_t> classes = {0, 2, 5};
  const auto nodes_of = [&](std::int32_t c) {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < made.embedding.rows; ++i) {
      if (made.labels[static_cast<std::size_t>(i)] == c) out.push_back(i);
    }
    return out;
  };
  double labelled = 0;
  for (const std::int32_t c : classes) labelled += static_cast<double>(nodes_of(c).size());
  const auto mean_of = [&](std::int32_t c) {
    std::vector<double> mean(4, 0.0);
    const auto members = nodes_of(c);
    for (const std::int64_t i : members) {
      for (std::size_t k = 0; k < 4; ++k) {
        mean[k] +=
            static_cast<double>(made.embedding.row(i)[k]) / static_cast<double>(members.size());
      }
    }
    return mean;
  };
  const auto product = [&](std::int64_t i, const std::vector<double>& mean) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      sum += static_cast<double>(made.embedding.row(i)[k]) * mean[k];
    }
    return sum;
  };
  Enumerated out;
  double weight_different = 0;
  double weight_same = 0;
  double squares_different = 0;
  double squares_same = 0;
  for (const std::int32_t c : classes) {
    for (const std::int32_t other : classes) {
      const auto mine = nodes_of(c);
      const auto theirs = nodes_of(other);
      const double chance = static_cast<double>(mine.size()) * static_cast<double>(theirs.size()) /
                            (labelled * labelled);
      double sum = 0;
      double squares = 0;
      double count = 0;
      for (const std::int64_t x : mine) {
        for (const std::int64_t positive : mine) {
          for (const std::int64_t negative : theirs) {
            const double loss =
                minus_log_sigma(plain_dot(made.embedding.row(x), made.embedding.row(positive))) +
                minus_log_sigma(-plain_dot(made.embedding.row(x), made.embedding.row(negative)));
            sum += loss;
            squares += loss * loss;
            ++count;
          }
        }
      }
      if (c == other) {
        weight_same += chance;
        out.same += chance * sum / count;
        squares_same += chance * squares / count;
        continue;
      }
      weight_different += chance;
      out.different += chance * sum / count;
      squares_different += chance * squares / count;
      for (const std::int64_t x : mine) {
        out.l_sup += chance / static_cast<double>(mine.size()) *
                     (minus_log_sigma(product(x, mean_of(c))) +
                      minus_log_sigma(-product(x, mean_of(other))));
      }
    }
  }
  out.l_sup /= weight_different;
  out.different /= weight_different;
  out.same /= weight_same;
  out.different_deviation =
      std::sqrt(squares_different / weight_different - out.different * out.different);
  out.same_deviation = std::sqrt(squares_same / weight_same - out.same * out.same);
  return out;
}

TEST(GeneralisationBound, IsWhatAllTriplesGive) {
  for (const double scale : {0.4, 1.3}) {
    const Example made = example(40, scale);
    const Enumerated expected = enumerate(made);
    const BoundResult result =
        generalisation_bound(Context(), made.embedding, made.labels, made.spectrum);
    ASSERT_TRUE(result.bound) << result.reason;
    const GeneralisationBound& found = *result.bound;
    EXPECT_NEAR(*found.l_sup.value, expected.l_sup, 1e-9);
    const auto check = [&](const BoundTerm& term, double value, double deviation) {
      ASSERT_TRUE(term.standard_error);
      EXPECT_EQ(term.knowledge, Knowledge::estimated);
      EXPECT_NEAR(*term.value, value, 4 * *term.standard_error) << term.name;
      EXPECT_NEAR(*term.standard_error, deviation / std::sqrt(100'000.0), 0.05 * deviation / 316);
    };
    check(found.l_nce_different, expected.different, expected.different_deviation);
    check(found.l_nce_same, expected.same, expected.same_deviation);
    // By Jensen's inequality.
    EXPECT_LE(*found.l_sup.value, expected.different);
    EXPECT_TRUE(found.left_is_below);
    EXPECT_TRUE(found.collision_holds);
  }
}

TEST(GeneralisationBound, TermsAreThoseOfTheTheorem) {
  const Example made = example(40, 0.5);
  const GeneralisationBound found =
      *generalisation_bound(Context(), made.embedding, made.labels, made.spectrum).bound;
  // 35 labelled nodes: 20, 5 and 10.
  const double tau = (400.0 + 25 + 100) / (35 * 35);
  EXPECT_NEAR(*found.tau.value, tau, 1e-12);
  EXPECT_NEAR(*found.beta.value, tau / (1 - tau), 1e-12);
  EXPECT_NEAR(*found.eta.value, 1 / (1 - tau), 1e-12);
  EXPECT_EQ(*found.s_f.value, made.spectrum.s_f);
  EXPECT_NEAR(*found.beta_s_f.value, tau / (1 - tau) * made.spectrum.s_f, 1e-12);
  EXPECT_EQ(found.samples, 35);
  const double r = made.spectrum.radius;
  const double closed =
      -8 * std::log(1 / (1 + std::exp(r * r))) * std::sqrt(std::log(4 / 0.05) / (2 * 35));
  EXPECT_NEAR(*found.gen_closed.value, closed, 1e-9);
  EXPECT_NEAR(*found.eta_gen_closed.value, closed / (1 - tau), 1e-9);
  EXPECT_FALSE(found.gen_rademacher.value);
  EXPECT_EQ(found.gen_rademacher.knowledge, Knowledge::unknown);
  EXPECT_NEAR(*found.right_side_without_rademacher.value,
              *found.l_nce_different.value + *found.beta_s_f.value + closed / (1 - tau), 1e-9);
  EXPECT_EQ(found.right_side_without_rademacher.standard_error,
            found.l_nce_different.standard_error);
  EXPECT_NEAR(*found.collision_bound.value, made.spectrum.s_f + 2 * std::log(2.0), 1e-12);
  std::set<std::string> names;
  for (const BoundTerm* term : found.terms()) {
    names.insert(term->name);
    EXPECT_NE(term->words.find(knowledge_name(term->knowledge)), std::string::npos) << term->name;
    EXPECT_EQ(term->value.has_value(), term->knowledge != Knowledge::unknown);
  }
  EXPECT_EQ(names.size(), found.terms().size());

  const GeneralisationBound other =
      *generalisation_bound(Context(), made.embedding, made.labels, made.spectrum,
                            {.delta = 0.2, .samples = 3500})
           .bound;
  EXPECT_NEAR(*other.gen_closed.value,
              closed * std::sqrt(std::log(4 / 0.2) / std::log(4 / 0.05)) / 10, 1e-9);
}

/// An embedding of zeros has the loss 2 log 2 and s(f) = 0: the bound is met exactly, and holds.
TEST(GeneralisationBound, HoldsWhereItIsMet) {
  Example made = example(40, 0);
  const auto found = generalisation_bound(Context(), made.embedding, made.labels, made.spectrum);
  ASSERT_TRUE(found.bound.has_value());
  EXPECT_EQ(found.bound->l_nce_same.value.value(), 2 * std::log(2.0));
  EXPECT_EQ(found.bound->collision_bound.value.value(), 2 * std::log(2.0));
  EXPECT_TRUE(found.bound->collision_holds);
}

TEST(GeneralisationBound, LongEmbeddingsStayFinite) {
  const Example made = example(40, 1e4);
  const GeneralisationBound found =
      *generalisation_bound(Context(), made.embedding, made.labels, made.spectrum).bound;
  const double square = made.spectrum.radius * made.spectrum.radius;
  EXPECT_NEAR(*found.gen_closed.value / (8 * square * std::sqrt(std::log(80.0) / 70)), 1, 1e-12);
  for (const BoundTerm* term : found.terms()) {
    EXPECT_TRUE(std::isfinite(term->value.value_or(0))) << term->name;
  }
}

TEST(GeneralisationBound, DoesNotDependOnThreadsButOnTheSeed) {
  const Example made = example(40'000, 0.7);
  const auto run = [&](int threads, std::uint64_t seed) {
    return *generalisation_bound(Context({.threads = threads, .seed = seed}), made.embedding,
                                 made.labels, made.spectrum, {.triples = 5000})
                .bound;
  };
  const GeneralisationBound one = run(1, 0);
  const GeneralisationBound four = run(4, 0);
  for (std::size_t i = 0; i < one.terms().size(); ++i) {
    EXPECT_EQ(one.terms()[i]->value, four.terms()[i]->value) << one.terms()[i]->name;
    EXPECT_EQ(one.terms()[i]->standard_error, four.terms()[i]->standard_error);
  }
  const GeneralisationBound other = run(1, 1);
  EXPECT_EQ(*one.l_sup.value, *other.l_sup.value);
  EXPECT_NE(*one.l_nce_different.value, *other.l_nce_different.value);
}

/// One node of another class among many: negatives are found all the same.
TEST(GeneralisationBound, ARareClassIsDrawnAsOftenAsItShould) {
  constexpr int nodes = 2000;
  std::vector<float> values(nodes, 0.0F);
  values[1500] = 1;  // x of the rare class has the product 1 with itself, all others 0
  std::vector<std::int32_t> labels(nodes, 0);
  labels[1500] = 1;
  const DenseMatrix embedding{nodes, 1, values};
  const ClassSpectrum spectrum = test::spectrum_by_definition(embedding, labels);
  const GeneralisationBound found =
      *generalisation_bound(Context(), embedding, labels, spectrum).bound;
  // The rare class is x's in one half of the pairs of different classes.
  const double expected =
      0.5 * 2 * std::log(2.0) + 0.5 * (std::log(1 + std::exp(-1.0)) + std::log(2.0));
  EXPECT_NEAR(*found.l_nce_different.value, expected, 4 * *found.l_nce_different.standard_error);
}

TEST(GeneralisationBound, SaysNothingOfOneClass) {
  const DenseMatrix embedding{3, 1, std::vector<float>{1, 2, 3}};
  const std::vector<std::int32_t> labels = {4, unlabelled, 4};
  const BoundResult found = generalisation_bound(Context(), embedding, labels,
                                                 test::spectrum_by_definition(embedding, labels));
  EXPECT_FALSE(found.bound);
  EXPECT_NE(found.reason.find("one class"), std::string::npos);
}

TEST(GeneralisationBound, ChecksItsOptions) {
  const Example made = example(16, 1);
  const auto run = [&](const BoundOptions& options) {
    return [&made, options] {
      generalisation_bound(Context(), made.embedding, made.labels, made.spectrum, options);
    };
  };
  test::expect_error(run({.delta = 0}), {"delta", "above 0 and below 1"});
  test::expect_error(run({.delta = 1}), {"delta"});
  test::expect_error(run({.triples = 1}), {"triples", "2 or more"});
  test::expect_error(run({.samples = -1}), {"M is negative"});
}

}  // namespace
}  // namespace creg::generalisation_bound_test
