// DIR/events.out.tfevents: what metrics.jsonl and calibration.jsonl say, for TensorBoard.
#pragma once

#include <filesystem>
#include <string>

#include "creg/train/trainer.h"
#include "report/document.h"

namespace creg {

class EventsLog {
 public:
  /// A resumed run continues the file that is there: what it tells from its first new epoch on is
  /// replaced.
  EventsLog(std::filesystem::path path, bool resume);

  void add(const EpochStatistics& statistics);
  /// A line of calibration.jsonl.
  void add_calibration(int epochs_done, const Record& figures);
  /// Appends what was added since.
  void flush();

 private:
  /// `losses`, `looks`: how many epochs and looks the file may tell of already.
  void begin(std::int64_t losses, std::int64_t looks);

  std::filesystem::path path_;
  bool resume_;
  bool started_ = false;
  bool replaced_ = false;  ///< the file that was there before
  std::string pending_;
};

}  // namespace creg
