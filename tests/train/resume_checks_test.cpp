#include "train/loop/resume_checks.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace creg::resume_checks_test {
namespace {

const RunLimits run{.epochs = 10, .steps_per_epoch = 4, .lr = 0.01, .file = "checkpoint.pt"};

/// After three epochs and two batches of the fourth.
Checkpoint middle() {
  Checkpoint checkpoint;
  checkpoint.epoch = 3;
  checkpoint.step = 2;
  checkpoint.optimizer_steps = 14;
  checkpoint.lr = 0.01;
  return checkpoint;
}

template <class Number>
void expect_range(Number Checkpoint::*field, Number low, Number high, const char* name) {
  for (const Number good : {low, high}) {
    Checkpoint checkpoint = middle();
    checkpoint.*field = good;
    EXPECT_NO_THROW(check_progress(checkpoint, run)) << name << ' ' << good;
  }
  for (const Number wrong : {low - 1, high + 1}) {
    Checkpoint checkpoint = middle();
    checkpoint.*field = wrong;
    test::expect_error([&] { check_progress(checkpoint, run); }, {"checkpoint.pt", name});
  }
}

TEST(CheckProgress, APlaceOfTheRunIsTaken) {
  expect_range<std::int64_t>(&Checkpoint::step, 1, 3, "step");
  // One step more than counted: that of a loss that was not finite.
  expect_range<std::int64_t>(&Checkpoint::optimizer_steps, 0, 3 * 4 + 2 + 1, "optimizer.step");
  Checkpoint over = middle();
  over.epoch = 10;
  over.step = 0;
  EXPECT_NO_THROW(check_progress(over, run));
  over.epoch = 11;
  test::expect_error([&] { check_progress(over, run); }, {"epoch", "11", "at most 10"});
  over.epoch = -1;
  test::expect_error([&] { check_progress(over, run); }, {"epoch", "-1"});
}

TEST(CheckProgress, ARateMayHaveChangedButNotWithoutEnd) {
  Checkpoint checkpoint = middle();
  for (const double good : {0.0, 0.005, 1.0}) {
    checkpoint.lr = good;
    EXPECT_NO_THROW(check_progress(checkpoint, run)) << good;
  }
  checkpoint.lr = 1.01;
  test::expect_error([&] { check_progress(checkpoint, run); }, {"optimizer.lr", "about 0.01"});
}

}  // namespace
}  // namespace creg::resume_checks_test
