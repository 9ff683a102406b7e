#include "cli/lost_meeting.h"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace creg::lost_meeting_test {
namespace {

using cli::explain_lost_meeting;

TEST(LostMeetingDeathTest, AConnectionThatIsResetBehindOurBackIsAMessage) {
  EXPECT_EXIT(
      {
        explain_lost_meeting();
        explain_lost_meeting();
        std::thread([] {
          throw std::system_error(std::make_error_code(std::errc::connection_reset));
        }).join();
      },
      ::testing::ExitedWithCode(1), "creg: rank 0, or the launcher, is lost: .*reset");
}

TEST(LostMeetingDeathTest, WhateverElseIsLetOutIsLeftToTheHandlerBefore) {
  EXPECT_EXIT(
      {
        explain_lost_meeting();
        explain_lost_meeting();
        std::thread([] { throw std::runtime_error("of another kind"); }).join();
      },
      ::testing::KilledBySignal(SIGABRT), "of another kind");
  EXPECT_EXIT(
      {
        explain_lost_meeting();
        std::thread([] {
          throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                                  "of no connection");
        }).join();
      },
      ::testing::KilledBySignal(SIGABRT), "of no connection");
}

}  // namespace
}  // namespace creg::lost_meeting_test
