// Products in less than fp32, which tensor cores alone make: tests of these are skipped on the CPU.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "creg/core/precision.h"
#include "support/devices.h"

namespace creg::test {

/// What rounding to the format changes at most, as a share. A product of two rows of length 1 is
/// wrong by twice as much at most.
inline double rounding_of(Precision precision) {
  return precision == Precision::bf16 ? 0x1p-8 : precision == Precision::tf32 ? 0x1p-11 : 0x1p-22;
}

class OnTensorCores : public testing::TestWithParam<Precision> {
 protected:
  void SetUp() override {
    if (tensor_device().is_cpu()) GTEST_SKIP() << "the CPU computes in fp32";
  }

  Context context_ = context({.precision = GetParam(), .threads = 1});
  double rounding_ = rounding_of(GetParam());
};

inline const auto tensor_core_precisions = testing::Values(Precision::tf32, Precision::bf16);

inline std::string precision_name(const testing::TestParamInfo<Precision>& info) {
  return name_of(info.param);
}

}  // namespace creg::test
