// What a page of runs is made of: folders of runs, and the runs that a store keeps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/creg.h"
#include "report/reproduction.h"
#include "run/embeddings.h"
#include "run/page_pairs.h"
#include "run/run_record.h"

namespace creg {

/// Where rows of the page come from.
struct PageSource {
  std::filesystem::path path;  ///< of a run, of its seeds, or of a run store
  std::string name;            ///< empty: the folder's
  /// What it was trained on, where that was in a program's memory; else the folder names it.
  std::shared_ptr<const Data> data;
};

/// Which runs of a store are shown in full.
struct PageChoice {
  std::vector<std::string> methods;   ///< these alone; empty: all
  std::vector<std::string> datasets;  ///< likewise
  std::size_t most = 12;              ///< settings, whose seeds are one row each
};

/// A row of the page: one setting, of which there may be several seeds.
struct PageRow {
  std::string name;
  std::vector<std::filesystem::path> folders;  ///< one, or one of each seed
  std::shared_ptr<const Data> data;            ///< null: the folder names its dataset
  EmbeddingSource source;
  RunRecord record;  ///< of the first
  std::vector<std::uint64_t> seeds;
  std::string row{};      ///< of a store: of a table of the paper that has it, or what it trained
  std::string dataset{};  ///< of a store: as people call it
};

struct PageRows {
  std::vector<PageRow> rows;
  std::vector<CellOutcome> cells;  ///< of the paper, with what stores have; empty without a store
  std::size_t left = 0;            ///< settings that stores have beyond the most
};

/// By the names of their datasets.
std::vector<ComparedRun> compared_rows(std::span<const PageRow> rows);

/// Folders first, then what stores have: those settings that serve the paper's tables, in their
/// order, each followed by the same with or without Contrast-Reg; then others, the best on
/// validation nodes first. Not shown are runs that did not see all edges or nodes. A path that
/// holds no run, one given twice, and a store with nothing done are input errors.
PageRows page_rows(const Context& context, std::span<const PageSource> sources,
                   const PageChoice& choice);

}  // namespace creg
