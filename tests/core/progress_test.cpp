#include "creg/core/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "creg/core/context.h"
#include "creg/core/error.h"

namespace creg::progress_test {
namespace {

class Recorder final : public ProgressSink {
 public:
  void show(const ProgressState& state, bool last) override {
    const std::lock_guard lock(mutex_);
    states.push_back(state);
    lasts.push_back(last);
  }
  std::vector<ProgressState> states;
  std::vector<bool> lasts;

 private:
  std::mutex mutex_;
};

/// Tasks are shown only when they take a while: this is what they wait for.
void outwait_the_first_display() {
  std::this_thread::sleep_for(std::chrono::milliseconds(310));
}

class ProgressTaskTest : public ::testing::Test {
 protected:
  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
  Context context_{{.threads = 1, .progress = recorder_}};
};

TEST_F(ProgressTaskTest, QuickWorkShowsNothing) {
  {
    ProgressTask task(context_, "quick", 3);
    for (int i = 0; i < 3; ++i) task.advance();
    task.finish();
  }
  EXPECT_TRUE(recorder_->states.empty());
}

TEST_F(ProgressTaskTest, SkippedStepsAndTheNoteReachTheDisplay) {
  {
    ProgressTask task(context_, "training", 10, "epochs");
    task.skip(4);
    task.note("loss 1");
    outwait_the_first_display();
    task.advance();
    task.note("loss 0.5");
    task.finish();
  }
  ASSERT_EQ(recorder_->states.size(), 2U);
  const ProgressState& during = recorder_->states[0];
  EXPECT_EQ(during.label, "training");
  EXPECT_EQ(during.unit, "epochs");
  EXPECT_EQ(during.total, 10);
  EXPECT_EQ(during.done, 5);
  EXPECT_EQ(during.skipped, 4);
  EXPECT_EQ(during.note, "loss 1");
  EXPECT_GT(during.seconds, 0.3);
  EXPECT_FALSE(during.finished);
  EXPECT_FALSE(recorder_->lasts[0]);
  const ProgressState& end = recorder_->states[1];
  EXPECT_EQ(end.done, 10);  // whatever was counted, all is done
  EXPECT_EQ(end.note, "loss 0.5");
  EXPECT_TRUE(end.finished);
  EXPECT_TRUE(recorder_->lasts[1]);
}

TEST_F(ProgressTaskTest, FinishedEarlyKeepsTheRealCount) {
  {
    ProgressTask task(context_, "training", 10);
    outwait_the_first_display();
    task.advance(3);
    task.finish_early();
  }
  ASSERT_EQ(recorder_->states.size(), 2U);
  EXPECT_EQ(recorder_->states[1].done, 3);
  EXPECT_EQ(recorder_->states[1].total, 10);
  EXPECT_TRUE(recorder_->states[1].finished);
}

TEST_F(ProgressTaskTest, AbandonedWorkIsNotFinished) {
  {
    ProgressTask task(context_, "training", -1);
    outwait_the_first_display();
    task.advance(3);
  }
  ASSERT_EQ(recorder_->states.size(), 2U);
  EXPECT_EQ(recorder_->states[1].done, 3);
  EXPECT_FALSE(recorder_->states[1].finished);
  EXPECT_TRUE(recorder_->lasts[1]);
}

TEST_F(ProgressTaskTest, ManyThreadsCountTogether) {
  constexpr int threads = 4;
  constexpr int steps = 2000;
  {
    ProgressTask task(context_, "together", -1);
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) {
      workers.emplace_back([&] {
        for (int i = 0; i < steps; ++i) {
          task.advance();
          if (i % 100 == 0) task.note("step " + std::to_string(i));
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    outwait_the_first_display();
    task.advance();
    task.finish();
  }
  ASSERT_FALSE(recorder_->states.empty());
  EXPECT_EQ(recorder_->states.back().done, threads * steps + 1);
}

}  // namespace
}  // namespace creg::progress_test
