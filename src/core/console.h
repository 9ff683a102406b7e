// The log and the progress display of a command: both share standard error, so one object owns it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "creg/core/log.h"
#include "creg/core/progress.h"

namespace creg {

enum class ProgressMode { automatic, bar, lines, json, none };

/// "auto", "bar", "lines", "json" or "none"; anything else is an input error.
ProgressMode parse_progress_mode(std::string_view text);

struct ConsoleOptions {
  ProgressMode progress = ProgressMode::automatic;  ///< automatic: a bar on a terminal, else lines
  LogLevel level = LogLevel::info;
  std::string log_file;  ///< also append every message there, with the time
  int fd = 2;
  int width = 0;  ///< columns of the terminal; 0: ask it
};

class Console : public LogSink, public ProgressSink {};

std::shared_ptr<Console> make_console(const ConsoleOptions& options);

}  // namespace creg
