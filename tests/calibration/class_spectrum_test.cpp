#include "calibration/class_spectrum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibration/spectrum_by_definition.h"
#include "creg/core/random.h"
#include "support/device_under_test.h"
#include "support/expect_error.h"

namespace creg::class_spectrum_test {
namespace {

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST(ClassSpectrum, IsWhatAllPairsOfAClassGive) {
  constexpr int nodes = 60;
  RandomStream stream(5, Purpose::test);
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < nodes; ++i) {
    for (int k = 0; k < 5; ++k) values.push_back(static_cast<float>(stream.normal()));
    labels.push_back(i % 7 == 0 ? unlabelled : static_cast<std::int32_t>(i % 4 == 0 ? 2 : 0));
  }
  const DenseMatrix embedding{nodes, 5, values};
  const ClassSpectrum found = class_spectrum(test::context(), embedding, labels);
  ASSERT_EQ(found.classes.size(), 2U);  // class 1 has no node
  double squares = 0;
  double labelled = 0;
  double tau = 0;
  for (const ClassMoments& one : found.classes) {
    double sum = 0;
    double norms = 0;
    double count = 0;
    for (int i = 0; i < nodes; ++i) {
      if (labels[i] != one.label) continue;
      ++count;
      norms += dot(embedding.row(i), embedding.row(i));
      for (int j = 0; j < nodes; ++j) {
        if (labels[j] != one.label) continue;
        const double product = dot(embedding.row(i), embedding.row(j));
        sum += product * product;
      }
    }
    EXPECT_EQ(one.nodes, count);
    EXPECT_NEAR(one.pair_square_mean, sum / (count * count), 1e-6);
    EXPECT_NEAR(one.norm_squared_mean, norms / count, 1e-6);
    // The largest eigenvalue lies between the mean one and the trace.
    EXPECT_GT(one.sigma_max, one.norm_squared_mean / 5);
    EXPECT_LT(one.sigma_max, one.norm_squared_mean);
    squares += count * one.pair_square_mean;
    labelled += count;
    tau += count * count;
  }
  EXPECT_NEAR(found.s_f, 4 * std::sqrt(squares / labelled), 1e-6);
  EXPECT_NEAR(found.tau, tau / (labelled * labelled), 1e-12);
  EXPECT_GE(found.s_f_bound, found.s_f);

  const ClassSpectrum defined = test::spectrum_by_definition(embedding, labels);
  ASSERT_EQ(defined.classes.size(), found.classes.size());
  for (std::size_t c = 0; c < found.classes.size(); ++c) {
    EXPECT_EQ(found.classes[c].label, defined.classes[c].label);
    EXPECT_EQ(found.classes[c].nodes, defined.classes[c].nodes);
    EXPECT_NEAR(found.classes[c].share, defined.classes[c].share, 1e-12);
    EXPECT_NEAR(found.classes[c].sigma_max, defined.classes[c].sigma_max, 1e-9);
  }
  EXPECT_NEAR(found.s_f, defined.s_f, 1e-9);
  EXPECT_NEAR(found.s_f_bound, defined.s_f_bound, 1e-9);
  EXPECT_NEAR(found.tau, defined.tau, 1e-12);
  EXPECT_NEAR(found.sigma_max_mean, defined.sigma_max_mean, 1e-9);
  EXPECT_NEAR(found.norm_squared_mean, defined.norm_squared_mean, 1e-9);
  EXPECT_NEAR(found.radius, defined.radius, 1e-9);
}

/// All rows of a class along one axis: the bound is met.
TEST(ClassSpectrum, OneDirectionMeetsTheBound) {
  const DenseMatrix embedding{3, 2, std::vector<float>{3, 0, 3, 0, 0, 2}};
  const std::vector<std::int32_t> labels = {0, 0, 1};
  const ClassSpectrum found = class_spectrum(test::context(), embedding, labels);
  EXPECT_NEAR(found.classes[0].sigma_max, 9, 1e-9);
  EXPECT_NEAR(found.classes[1].sigma_max, 4, 1e-9);
  EXPECT_NEAR(found.s_f, found.s_f_bound, 1e-9);
  EXPECT_NEAR(found.radius, 3, 1e-9);
}

TEST(ClassSpectrum, NeedsALabel) {
  const DenseMatrix embedding{1, 1, std::vector<float>{1}};
  const std::vector<std::int32_t> labels = {unlabelled};
  test::expect_error([&] { class_spectrum(test::context(), embedding, labels); },
                     {"no node has a label"});
}

}  // namespace
}  // namespace creg::class_spectrum_test
