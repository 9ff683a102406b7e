// Runs of Python's: trained here, or read from their folder.
#pragma once

#include <pybind11/pybind11.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "creg/creg.h"

namespace creg::python {

namespace py = pybind11;

struct PySeed {
  std::uint64_t seed = 0;
  DenseMatrix embedding;
  std::vector<EpochStatistics> epochs;
  int epochs_run = 0;
  int best_epoch = 0;
  double seconds = 0;
  bool stopped = false;
  std::string classification;  ///< JSON; empty: none
};

struct PyRun {
  std::vector<PySeed> seeds;
  TrainConfig config;
  std::string device;
  std::string precision;
  int threads = 0;
  std::string recipe;
  std::filesystem::path folder;             ///< empty: kept in memory alone
  std::string stamp;                        ///< of the folder's files when they were this run's
  std::shared_ptr<const RunResult> result;  ///< of a run that was trained here
};

/// What json.loads makes of it.
py::object parsed_json(const std::string& text);

void bind_run(py::module_& module);

}  // namespace creg::python
