// What the paper prints: its tables and figures with their published numbers, and where in them a
// run belongs.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace creg {

/// A mean and a std, as printed.
struct PaperNumber {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double std = std::numeric_limits<double>::quiet_NaN();
  bool out_of_memory = false;
};

enum class PaperTask { classify, cluster, link, finetune, calibrate, history, sizes };

struct PaperRow {
  std::string algorithm;    ///< as printed: "GraphMAE"
  std::string regulariser;  ///< as --reg takes it
  std::string encoder;      ///< as --encoder takes it; empty: the method's own
  /// For each column one number per metric.
  std::vector<PaperNumber> numbers;
};

struct PaperTable {
  std::string key;
  std::string title;
  std::string about;
  PaperTask task = PaperTask::classify;
  std::vector<std::string> metrics;
  std::vector<std::string> columns;  ///< datasets, as printed
  std::vector<PaperRow> rows;
};

/// In the order of the paper.
const std::vector<PaperTable>& paper_tables();

std::vector<std::string> paper_table_keys();

/// A number of the paper, and by which names here it is to be had.
struct PaperCell {
  std::string table;
  PaperTask task = PaperTask::classify;
  std::string algorithm;
  std::string column;
  std::string method;       ///< as --method takes it; empty: it takes no run
  std::string dataset;      ///< as --dataset takes it
  std::string regulariser;  ///< as --reg takes it
  std::string encoder;      ///< as --encoder takes it; empty: the recipe's
  std::string metric;
  bool rate = true;            ///< a fraction, which people read in percent
  std::optional<double> mean;  ///< as a fraction
  std::optional<double> std;   ///< likewise
  bool out_of_memory = false;  ///< what the paper prints instead

  /// "ML + Contrast-Reg, GAT".
  std::string row() const;
  /// Of the table, the row and the column: the runs of one name serve all metrics of it.
  std::string name() const;
};

/// Of all tables, or of those with these keys; an unknown key is an input error with suggestions.
std::vector<PaperCell> paper_cells(const std::vector<std::string>& keys = {});

/// What a run is, by the names that commands take.
struct PaperQuestion {
  PaperTask task = PaperTask::classify;
  std::string_view method;
  std::string_view dataset;
  std::string_view regulariser;
  std::string_view encoder;
};

/// The first cell with a mean for it; a method's own encoder is one that no row of the paper names.
std::optional<PaperCell> paper_cell(const PaperQuestion& question);

}  // namespace creg
