#include "train/loop/metrics_file.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "io/file.h"
#include "io/json_lines.h"

namespace creg {

MetricsFile::MetricsFile(std::filesystem::path path, int epochs_kept) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::string kept;
  if (epochs_kept > 0 && is_there(path_)) {
    kept = lines_before_epoch(map_file(path_).text(), epochs_kept);
  }
  write_file(path_, kept);
}

void MetricsFile::add(const EpochStatistics& s) {
  if (path_.empty()) return;
  const auto score = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  const nlohmann::ordered_json line = {{"epoch", s.epoch},
                                       {"loss", s.loss},
                                       {"contrast", s.contrast},
                                       {"regulariser", s.regulariser},
                                       {"positive_sigma", s.positive_sigma},
                                       {"negative_sigma", s.negative_sigma},
                                       {"norm_mean", s.norm_mean},
                                       {"norm_variance", s.norm_variance},
                                       {"anchors", s.anchors},
                                       {"lr", s.lr},
                                       {"ratio", s.ratio},
                                       {"val_accuracy", score(s.val_accuracy)},
                                       {"calibration_score", score(s.calibration_score)},
                                       {"seconds", s.seconds}};
  pending_ += line.dump() + "\n";
}

void MetricsFile::flush() {
  if (path_.empty() || pending_.empty()) return;
  append_file(path_, pending_);
  pending_.clear();
}

}  // namespace creg
