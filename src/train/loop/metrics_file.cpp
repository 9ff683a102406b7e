#include "train/loop/metrics_file.h"

#include <array>
#include <charconv>
#include <optional>

#include "io/file.h"

namespace creg {
namespace {

std::string number(double value);

std::string number(const std::optional<double>& value) {
  return value ? number(*value) : "null";
}

std::string number(double value) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

}  // namespace

MetricsFile::MetricsFile(std::filesystem::path path, int epochs_kept) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::string kept;
  if (epochs_kept > 0 && is_there(path_)) {
    const Bytes bytes = map_file(path_);
    const std::string_view text = bytes.text();
    std::size_t end = 0;
    for (int line = 0; line < epochs_kept && end < text.size(); ++line) {
      const std::size_t next = text.find('\n', end);
      if (next == std::string_view::npos) break;
      end = next + 1;
    }
    kept = text.substr(0, end);
  }
  write_file(path_, kept);
}

void MetricsFile::add(const EpochStatistics& s) {
  if (path_.empty()) return;
  pending_ += "{\"epoch\":" + std::to_string(s.epoch) + ",\"loss\":" + number(s.loss) +
              ",\"contrast\":" + number(s.contrast) + ",\"regulariser\":" + number(s.regulariser) +
              ",\"positive_sigma\":" + number(s.positive_sigma) +
              ",\"negative_sigma\":" + number(s.negative_sigma) +
              ",\"norm_mean\":" + number(s.norm_mean) +
              ",\"norm_variance\":" + number(s.norm_variance) +
              ",\"anchors\":" + std::to_string(s.anchors) + ",\"lr\":" + number(s.lr) +
              ",\"ratio\":" + number(s.ratio) + ",\"val_accuracy\":" + number(s.val_accuracy) +
              ",\"calibration_score\":" + number(s.calibration_score) +
              ",\"seconds\":" + number(s.seconds) + "}\n";
}

void MetricsFile::flush() {
  if (path_.empty() || pending_.empty()) return;
  append_file(path_, pending_);
  pending_.clear();
}

}  // namespace creg
