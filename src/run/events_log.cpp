#include "run/events_log.h"

#include <chrono>
#include <cmath>

#include "io/event_file.h"
#include "io/file.h"

namespace creg {
namespace {

constexpr std::string_view look_prefix = "calibration/";

double now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace

EventsLog::EventsLog(std::filesystem::path path, bool resume)
    : path_(std::move(path)), resume_(resume) {}

void EventsLog::begin(std::int64_t losses, std::int64_t looks) {
  if (started_) return;
  started_ = true;
  if (resume_ && is_there(path_)) {
    pending_ = kept_events(map_file(path_).text(), [&](std::int64_t step, std::string_view name) {
      return step < (name.starts_with(look_prefix) ? looks : losses);
    });
  }
  if (pending_.empty()) pending_ = event_file_head(now());
}

void EventsLog::add(const EpochStatistics& s) {
  begin(s.epoch, s.epoch + 1);
  ScalarEvent event{.wall_time = now(),
                    .step = s.epoch,
                    .scalars = {{"loss/loss", s.loss},
                                {"loss/contrast", s.contrast},
                                {"loss/regulariser", s.regulariser},
                                {"confidence/positive_sigma", s.positive_sigma},
                                {"confidence/negative_sigma", s.negative_sigma},
                                {"norms/mean", s.norm_mean},
                                {"norms/variance", s.norm_variance},
                                {"settings/lr", s.lr},
                                {"settings/ratio", s.ratio}}};
  if (s.val_accuracy) event.scalars.emplace_back("selection/val_accuracy", *s.val_accuracy);
  if (s.calibration_score) {
    event.scalars.emplace_back("selection/calibration_score", *s.calibration_score);
  }
  pending_ += event_record(event);
}

void EventsLog::add_calibration(int epochs_done, const Record& figures) {
  begin(epochs_done, epochs_done);
  ScalarEvent event{.wall_time = now(), .step = epochs_done};
  for (const Field& figure : figures) {
    const double* const number = figure.value.as<double>();
    if (number != nullptr && std::isfinite(*number)) {
      event.scalars.emplace_back(std::string(look_prefix) + figure.key, *number);
    }
  }
  if (!event.scalars.empty()) pending_ += event_record(event);
}

void EventsLog::flush() {
  if (pending_.empty()) return;
  if (replaced_) {
    append_file(path_, pending_);
  } else {
    write_file(path_, pending_);
  }
  replaced_ = true;
  pending_.clear();
}

}  // namespace creg
