// What a run measured over its epochs: calibration.jsonl, as creg train --calibrate writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.h"

namespace creg {

/// The figures that are read, in the order of tables; "epoch" is not among them.
std::span<const std::string_view> history_columns();

struct RunHistory {
  std::string name;  ///< for tables and legends: the end of the folder's path
  std::vector<std::int64_t> epochs;
  /// One per name of history_columns(), one value per epoch; nothing where the run has none.
  std::vector<std::vector<std::optional<double>>> columns;

  /// Where it was read from: the folder that was given, the same for its seeds; empty: from none.
  std::filesystem::path folder{};
  /// What its config.toml says: empty where there is none.
  std::string dataset{};
  std::string method{};
  std::string regulariser{};
  std::string settings{};  ///< all that it says but for the seed and the threads
  std::string seed{};

  /// The column of that name, which is one of history_columns().
  const std::vector<std::optional<double>>& column(std::string_view column_name) const;
  bool has(std::string_view column_name) const;  ///< at any epoch
  /// The epoch of the lowest ECE, the earlier of equals, as an index; nothing without ECE.
  std::optional<std::size_t> best() const;
};

/// One line per epoch, ascending. Keys that are not known are ignored; what is missing or null is
/// missing. Anything else is an input error that names the line.
RunHistory read_run_history(const Bytes& lines, std::string name);

/// The runs in these folders, in their order: DIR/calibration.jsonl, or else one run for each
/// DIR/seed-*/calibration.jsonl. Their names are as short as tells them apart. A folder without
/// such a file, and a run given twice, are input errors.
std::vector<RunHistory> read_run_histories(std::span<const std::filesystem::path> folders);

}  // namespace creg
