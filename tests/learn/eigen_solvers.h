// Tests by each eigensolver there is: the tests' own, and libtorch's where the build has it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/plain_eigen.h"

namespace creg::test {

enum class Eigen { plain, libtorch };

class WithEigenSolver : public ::testing::TestWithParam<Eigen> {
 protected:
  static learn::EigenSolver solver() {
#ifdef CREG_HAS_TORCH
    if (GetParam() == Eigen::libtorch) return learn::symmetric_eigen;
#endif
    return plain_eigen;
  }
};

inline auto eigen_solvers() {
#ifdef CREG_HAS_TORCH
  return ::testing::Values(Eigen::plain, Eigen::libtorch);
#else
  return ::testing::Values(Eigen::plain);
#endif
}

inline std::string eigen_name(const ::testing::TestParamInfo<Eigen>& info) {
  return info.param == Eigen::plain ? "plain" : "libtorch";
}

}  // namespace creg::test

#define CREG_FOR_EACH_EIGEN_SOLVER(suite) \
  INSTANTIATE_TEST_SUITE_P(Eigen, suite, ::creg::test::eigen_solvers(), ::creg::test::eigen_name)
