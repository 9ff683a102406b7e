#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "report/paper.h"

namespace creg {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr std::array methods = {
    Names{"GCN", "gcn-supervised"},
    Names{"node2vec", "node2vec"},
    Names{"DGI", "dgi"},
    Names{"GMI", "gmi"},
    Names{"GCA", "gca"},
    Names{"GraphMAE", "graphmae"},
    Names{"LC", "lc"},
    Names{"ML", "ml"},
    Names{"AGC", "agc"},
    Names{"GCN-neg", "gcn-neg"},
    Names{"ML-GCN", "ml-gcn-standin"},
    Names{"GRACE", "grace"},
    Names{"DiGCL", "digcl"},
    Names{"GDCL", "gdcl"},
    // What the classifier learns by itself: an encoder of the same shape that starts afresh.
    Names{"No pretraining", "ml"},
};

constexpr std::array datasets = {
    Names{"Cora", "cora"},        Names{"Citeseer", "citeseer"},      Names{"Pubmed", "pubmed"},
    Names{"Wiki", "wiki"},        Names{"Computers", "computers"},    Names{"Photo", "photo"},
    Names{"ogbn-arxiv", "arxiv"}, Names{"ogbn-products", "products"}, Names{"Reddit", "reddit"},
    Names{"Cora-ml", "cora-ml"},
};

template <class Table>
std::string find_name(const Table& table, const std::string& printed) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Names& n) { return n.first == printed; });
  return found == table.end() ? std::string() : std::string(found->second);
}

/// Two columns do not hold for all their rows.
std::string dataset_of(const std::string& algorithm, const std::string& column) {
  if (column == "Wiki" && (algorithm == "GCA" || algorithm == "GraphMAE")) return "wikics";
  if (column == "Citeseer" && algorithm == "DiGCL") return "citeseer-directed";
  return find_name(datasets, column);
}

/// The fraction that is nearest to a percentage of two decimals.
std::optional<double> fraction(double percent) {
  if (std::isnan(percent)) return std::nullopt;
  return std::round(percent * 100) / 1e4;
}

std::optional<double> plain(double number) {
  if (std::isnan(number)) return std::nullopt;
  return number;
}

void add_cells(std::vector<PaperCell>& cells, const PaperTable& table, const PaperRow& row) {
  const bool percent = table.task != PaperTask::calibrate && table.task != PaperTask::sizes &&
                       table.task != PaperTask::history;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    for (std::size_t m = 0; m < table.metrics.size(); ++m) {
      const PaperNumber& number = row.numbers.at(c * table.metrics.size() + m);
      // Neither printed nor drawn: no row of the paper ran on all of its table's columns.
      const bool there = !std::isnan(number.mean) || number.out_of_memory;
      if (!there && table.task != PaperTask::history) continue;
      PaperCell cell{.table = table.key,
                     .task = table.task,
                     .algorithm = row.algorithm,
                     .column = table.columns[c],
                     .method = find_name(methods, row.algorithm),
                     .dataset = dataset_of(row.algorithm, table.columns[c]),
                     .regulariser = row.regulariser,
                     .encoder = row.encoder,
                     .metric = table.metrics[m],
                     .rate = percent,
                     .out_of_memory = number.out_of_memory};
      cell.mean = percent ? fraction(number.mean) : plain(number.mean);
      cell.std = percent ? fraction(number.std) : plain(number.std);
      cells.push_back(std::move(cell));
    }
  }
}

}  // namespace

std::string PaperCell::row() const {
  std::string text = algorithm;
  if (regulariser == "contrast") text += " + Contrast-Reg";
  if (regulariser == "l2norm") text += " + l2 normalisation";
  if (regulariser == "weight-decay") text += " + weight decay";
  if (encoder == "gat") text += ", GAT";
  if (encoder == "gin") text += ", GIN";
  return text;
}

std::string PaperCell::name() const {
  return table + " / " + row() + " / " + column;
}

std::vector<std::string> paper_table_keys() {
  std::vector<std::string> keys;
  for (const PaperTable& table : paper_tables()) keys.push_back(table.key);
  return keys;
}

std::vector<PaperCell> paper_cells(const std::vector<std::string>& keys) {
  const std::vector<std::string> known = paper_table_keys();
  for (const std::string& key : keys) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    fail_input({.what = "the paper has no such table",
                .file = "TABLE",
                .found = in_quotes(key),
                .expected = join_words(known, " or "),
                .hint = nearest_names(key, known).empty() ? "" : suggestion(key, known)});
  }
  std::vector<PaperCell> cells;
  for (const PaperTable& table : paper_tables()) {
    if (!keys.empty() && std::find(keys.begin(), keys.end(), table.key) == keys.end()) continue;
    for (const PaperRow& row : table.rows) add_cells(cells, table, row);
  }
  return cells;
}

std::optional<PaperCell> paper_cell(const PaperQuestion& question) {
  const bool own =
      question.encoder != "gat" && question.encoder != "gin" && question.encoder != "sage";
  for (const PaperCell& cell : paper_cells()) {
    if (cell.task == question.task && cell.mean && cell.method == question.method &&
        cell.dataset == question.dataset && cell.regulariser == question.regulariser &&
        (own ? cell.encoder.empty() : cell.encoder == question.encoder)) {
      return cell;
    }
  }
  return std::nullopt;
}

}  // namespace creg
