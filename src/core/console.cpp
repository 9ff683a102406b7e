#include "core/console.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"

namespace creg {
namespace {

/// An object on a line of its own; bytes that are no UTF-8 are replaced.
std::string json_line(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string amount(std::int64_t value, const std::string& unit) {
  return unit == "bytes" ? human_bytes(value) : with_commas(value);
}

// "12.0 MiB / 30.4 MiB, 5.1 MiB/s, 4 s left"
std::string counts(const ProgressState& s) {
  std::string text = amount(s.done, s.unit);
  if (s.total >= 0) text += " / " + amount(s.total, s.unit);
  if (!s.unit.empty() && s.unit != "bytes") text += " " + s.unit;
  if (s.seconds > 0) {
    const double rate = static_cast<double>(s.done - s.skipped) / s.seconds;
    // Slow steps are told by what one takes: "0 epochs/s" says nothing.
    if (rate >= 1 || s.unit == "bytes") {
      text += ", " + amount(static_cast<std::int64_t>(rate), s.unit) + "/s";
    } else if (rate > 0) {
      text += ", " + human_seconds(1 / rate) + " each";
    }
    if (s.total > s.done && rate > 0) {
      text += ", " + human_seconds(static_cast<double>(s.total - s.done) / rate) + " left";
    }
  }
  if (!s.note.empty()) text += ", " + s.note;
  return text;
}

class StderrConsole final : public Console {
 public:
  explicit StderrConsole(ConsoleOptions options) : options_(std::move(options)) {
    if (options_.progress == ProgressMode::automatic) {
      options_.progress = isatty(options_.fd) != 0 ? ProgressMode::bar : ProgressMode::lines;
    }
    if (!options_.log_file.empty()) {
      try {
        file_ = std::make_shared<spdlog::logger>(
            "creg", std::make_shared<spdlog::sinks::basic_file_sink_mt>(options_.log_file));
      } catch (const spdlog::spdlog_ex& error) {
        fail_environment({.what = error.what(), .file = options_.log_file});
      }
      file_->set_pattern("%Y-%m-%dT%H:%M:%S.%e %v");
      file_->flush_on(spdlog::level::info);
    }
  }

  ~StderrConsole() override {
    const std::lock_guard lock(mutex_);
    erase_bar();
  }

  StderrConsole(const StderrConsole&) = delete;
  StderrConsole& operator=(const StderrConsole&) = delete;

  void write(LogLevel level, std::string_view message) override {
    const std::lock_guard lock(mutex_);
    const std::string line = fmt::format("{}{}", prefix(level), message);
    if (file_) file_->info(printable(line));
    if (level < options_.level) return;
    erase_bar();
    if (options_.progress == ProgressMode::json) {
      put(json_line({{"log", message}, {"level", name(level)}}));
    } else {
      put(printable(line) + "\n");
    }
  }

  void show(const ProgressState& state, bool last) override {
    const std::lock_guard lock(mutex_);
    switch (options_.progress) {
      case ProgressMode::bar:
        erase_bar();
        if (!last) draw_bar(state);
        break;
      case ProgressMode::lines:
        show_line(state, last);
        break;
      case ProgressMode::json:
        put(json_line({{"progress", state.label},
                       {"done", state.done},
                       {"total", state.total >= 0 ? nlohmann::ordered_json(state.total)
                                                  : nlohmann::ordered_json()},
                       {"unit", state.unit},
                       {"seconds", std::round(state.seconds * 1000) / 1000},
                       {"note", state.note},
                       {"last", last},
                       {"finished", state.finished}}));
        break;
      case ProgressMode::automatic:
      case ProgressMode::none:
        break;
    }
  }

 private:
  static std::string_view name(LogLevel level) {
    switch (level) {
      case LogLevel::debug:
        return "debug";
      case LogLevel::info:
        return "info";
      case LogLevel::notice:
        return "notice";
      case LogLevel::warning:
        return "warning";
    }
    return "";
  }

  static std::string_view prefix(LogLevel level) {
    switch (level) {
      case LogLevel::notice:
        return "note: ";
      case LogLevel::warning:
        return "warning: ";
      default:
        return "";
    }
  }

  void put(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(options_.fd, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;  // a closed terminal must not end the work
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  int columns() const {
    if (options_.width > 0) return options_.width;
    winsize size{};
    if (ioctl(options_.fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
  }

  void erase_bar() {
    if (!bar_shown_) return;
    put("\r\x1b[K");
    bar_shown_ = false;
  }

  void draw_bar(const ProgressState& state) {
    const std::string tail = printable(counts(state));
    std::string line = printable(state.label) + " ";
    // What is left of the line after the label, the counts and the brackets is the bar itself.
    const int room = columns() - static_cast<int>(line.size() + tail.size()) - 5;
    if (state.total > 0 && room >= 8) {
      const int cells = std::min(room, 40);
      const double share =
          std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
      const auto full = static_cast<std::size_t>(std::lround(share * cells));
      line += "[" + std::string(full, '#') +
              std::string(static_cast<std::size_t>(cells) - full, '.') + "] ";
    }
    line += tail;
    line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(1, columns() - 1))));
    put("\r\x1b[K" + line);
    bar_shown_ = true;
  }

  // A log file gets a line every ten seconds and one at the end. What is done quickly in the course
  // of other work, perhaps in each of its steps, gets none.
  void show_line(const ProgressState& state, bool last) {
    constexpr double interval = 10;
    double& shown_at = shown_at_[state.label];
    const bool due = state.seconds - shown_at >= interval;
    if (last) {
      const bool known = shown_at > 0;
      shown_at_.erase(state.label);
      if (!known && !due && !shown_at_.empty()) return;
    } else {
      if (!due) return;
      shown_at = state.seconds;
    }
    std::string text = state.label + ": " + counts(state);
    if (last) text += state.finished ? ", done" : ", stopped";
    put(printable(text) + "\n");
  }

  ConsoleOptions options_;
  std::shared_ptr<spdlog::logger> file_;
  std::mutex mutex_;
  bool bar_shown_ = false;
  std::map<std::string, double> shown_at_;  // of work under way: its seconds at its last line, or 0
};

}  // namespace

ProgressMode parse_progress_mode(std::string_view text) {
  if (text == "auto") return ProgressMode::automatic;
  if (text == "bar") return ProgressMode::bar;
  if (text == "lines") return ProgressMode::lines;
  if (text == "json") return ProgressMode::json;
  if (text == "none") return ProgressMode::none;
  fail_input({.what = "unknown progress mode",
              .file = "--progress",
              .found = in_quotes(text),
              .expected = "auto, bar, lines, json or none"});
}

std::shared_ptr<Console> make_console(const ConsoleOptions& options) {
  return std::make_shared<StderrConsole>(options);
}

}  // namespace creg
