// What a run's config.toml says: what it ran on, and with which parameters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "creg/core/precision.h"
#include "creg/io/dataset.h"
#include "io/file.h"
#include "io/settings_file.h"

namespace creg {

/// What DIR/config.toml says.
struct RunRecord {
  std::string file;     ///< where it was read from, for messages
  std::string dataset;  ///< a name, or an absolute path
  std::string recipe;
  std::vector<std::string> transforms;
  ReadOptions reading;
  std::uint64_t seed = 0;
  int seeds = 0;  ///< 0: one run in DIR itself; else seeds 0..seeds-1 in folders of their own
  int threads = 0;
  bool on_gpu = false;  ///< where it began
  Precision precision = Precision::fp32;
  std::optional<std::uint64_t> edge_split;  ///< the seed of the edge split; none: all edges
  int calibrate = 0;                        ///< epochs between two looks at the calibration
  bool tensorboard = false;                 ///< an event file is written
  bool pretrain = false;                    ///< on the part of the graph that parts.json leaves
  std::string parts;                        ///< how the parts are chosen; empty: not recorded
  double pretrain_share = 0;                ///< of parts by number
  std::vector<Setting> settings;            ///< everything else: the parameters
};

/// A wrong value is an input error that names the line.
RunRecord read_record(const Bytes& file);

/// config.toml of a folder that holds a run.
RunRecord read_record(const std::filesystem::path& directory);

}  // namespace creg
