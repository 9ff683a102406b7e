#include "io/event_file.h"

#include <gtest/gtest.h>

#include "support/event_reader.h"

namespace creg::event_file_test {
namespace {

using test::read_events;
using test::ReadEvent;

std::string event(std::int64_t step, const std::string& name = "loss", double value = 0.5) {
  return event_record({.wall_time = 7.25, .step = step, .scalars = {{name, value}}});
}

TEST(EventFile, AnIndependentReaderFindsWhatWasWritten) {
  const std::string long_name(300, 'n');
  const std::string file =
      event_file_head(1e9) +
      event_record({.wall_time = 1e9 + 0.5, .step = 0, .scalars = {{"a/b", -0.1}, {"c", 1e30}}}) +
      event(std::int64_t{1} << 40, long_name);
  const std::vector<ReadEvent> events = read_events(file);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[0].wall_time, 1e9);
  EXPECT_EQ(events[1].wall_time, 1e9 + 0.5);
  EXPECT_EQ(events[1].step, 0);
  EXPECT_EQ(events[1].scalars, (std::map<std::string, float>{{"a/b", -0.1F}, {"c", 1e30F}}));
  EXPECT_EQ(events[2].step, std::int64_t{1} << 40);
  EXPECT_EQ(events[2].scalars, (std::map<std::string, float>{{long_name, 0.5F}}));
}

TEST(EventFile, EventsAreKeptUpToTheFirstThatIsRefused) {
  const std::string head = event_file_head(3);
  const std::string file = head + event(0) + event(0, "look") + event(1) + event(300) + event(2);
  const auto before = [](std::int64_t end) {
    return [end](std::int64_t step, std::string_view) { return step < end; };
  };
  EXPECT_EQ(kept_events(file, before(1000)), file);
  EXPECT_EQ(kept_events(file, before(300)), head + event(0) + event(0, "look") + event(1));
  EXPECT_EQ(kept_events(file, before(0)), head);
  EXPECT_EQ(kept_events(file, [](std::int64_t, std::string_view name) { return name == "loss"; }),
            head + event(0));
  EXPECT_EQ(kept_events("", before(9)), "");
}

// Of a killed run the last record may be cut off; a disk may have damaged any.
TEST(EventFile, NothingIsKeptFromARecordOnThatIsNotWhole) {
  const std::string head = event_file_head(3);
  const std::string file = head + event(0) + event(1);
  const auto all = [](std::int64_t, std::string_view) { return true; };
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string expected = size < head.size()                     ? ""
                                 : size < head.size() + event(0).size() ? head
                                                                        : head + event(0);
    EXPECT_EQ(kept_events(file.substr(0, size), all), expected) << size;
  }
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_LT(kept_events(damaged, all).size(), file.size()) << at;
  }
}

// A whole record of somebody else's is not taken for one of ours.
TEST(EventFile, AnotherProgramsEventEndsWhatIsKept) {
  const std::string head = event_file_head(3);
  const auto all = [](std::int64_t, std::string_view) { return true; };
  EXPECT_EQ(kept_events(head + head + event(0), all), head);
}

}  // namespace
}  // namespace creg::event_file_test
