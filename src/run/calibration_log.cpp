#include "run/calibration_log.h"

#include "creg/core/progress.h"
#include "io/file.h"
#include "io/json_lines.h"
#include "report/calibration_report.h"
#include "report/writers.h"

namespace creg {
namespace {

Context undisturbed(const Context& context) {
  Context::Options options = context.options();
  options.progress = make_silent_progress();
  // A look that has begun is finished; the trainer notices Ctrl-C afterwards.
  options.stop = nullptr;
  return Context(options);
}

}  // namespace

CalibrationLog::CalibrationLog(const Context& context, const Graph& graph,
                               std::filesystem::path path, int every, bool resume)
    : context_(undisturbed(context)), graph_(graph), path_(std::move(path)), every_(every) {
  if (resume && is_there(path_)) text_ = map_file(path_).text();
}

Record CalibrationLog::record(const Snapshot& snapshot) {
  if (!started_) text_ = lines_before_epoch(text_, snapshot.epochs_done);
  started_ = true;
  const EpochStatistics* const statistics = snapshot.statistics;
  const auto figure = [&](double EpochStatistics::*member) {
    return statistics == nullptr ? Value() : Value(statistics->*member);
  };
  Record line = {{"epoch", snapshot.epochs_done},
                 {"loss", figure(&EpochStatistics::loss)},
                 {"contrast", figure(&EpochStatistics::contrast)},
                 {"regulariser", figure(&EpochStatistics::regulariser)}};
  append(line, calibration_figures(embedding_calibration(context_, graph_, snapshot.embedding, {},
                                                         {.resamples = 0})));
  text_ += to_json_line(line);
  write_file(path_, text_);
  return line;
}

}  // namespace creg
