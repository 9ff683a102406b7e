// metrics.jsonl: one line per epoch.
#pragma once

#include <filesystem>
#include <string>

#include "creg/train/trainer.h"

namespace creg {

/// Lines are kept until `flush` appends them: the file never runs ahead of the checkpoint by more
/// than what a resumed run replaces.
class MetricsFile {
 public:
  /// Starts the file anew, or keeps its first `epochs_kept` lines. An empty path writes nothing.
  MetricsFile(std::filesystem::path path, int epochs_kept);

  void add(const EpochStatistics& statistics);
  void flush();

 private:
  std::filesystem::path path_;
  std::string pending_;
};

}  // namespace creg
