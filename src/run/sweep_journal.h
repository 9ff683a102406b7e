// What a sweep has done so far, in a file that grows by one line per finished point.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/file.h"
#include "report/document.h"

namespace creg {

/// A value for each parameter of the grid.
using SweepPoint = std::vector<std::pair<std::string, std::string>>;

/// "lr=0.01 ratio=1".
std::string label(const SweepPoint& point);
Record point_record(const SweepPoint& point);

/// What one point of the grid came to.
struct PointOutcome {
  SweepPoint point;
  std::vector<double> val;
  std::vector<double> test;
  double seconds = 0;
};

/// True for a file that a sweep wrote, by its first line.
bool is_sweep(const std::filesystem::path& path);

/// The finished points of a sweep's file, by label. `base` says what was swept: the file of another
/// sweep, and what is no sweep, are input errors.
std::map<std::string, PointOutcome> read_sweep(const Bytes& file, const std::string& base);

class SweepJournal {
 public:
  /// With `overwrite` the sweep that is there is forgotten; what is no sweep is still refused. An
  /// empty path keeps nothing.
  SweepJournal(std::filesystem::path path, const std::string& base, bool overwrite);

  /// Null: not done yet.
  const PointOutcome* find(const SweepPoint& point) const;
  void add(const PointOutcome& outcome);

 private:
  std::filesystem::path path_;
  std::string text_;
  std::map<std::string, PointOutcome> done_;
};

}  // namespace creg
