// DIR/calibration.jsonl: how an embedding is calibrated while it is trained.
#pragma once

#include <filesystem>
#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/train/trainer.h"
#include "report/document.h"

namespace creg {

class CalibrationLog {
 public:
  /// A line before the first epoch, after every `every` of them and after the last. A resumed
  /// run continues the file that is there: lines from the first new one on are replaced.
  CalibrationLog(const Context& context, const Graph& graph, std::filesystem::path path, int every,
                 bool resume);

  bool wants(int epochs_done, bool over) const { return over || epochs_done % every_ == 0; }
  /// Returns the line.
  Record record(const Snapshot& snapshot);

 private:
  Context context_;
  const Graph& graph_;
  std::filesystem::path path_;
  int every_;
  std::string text_;
  bool started_ = false;
};

}  // namespace creg
