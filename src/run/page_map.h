// What embeddings come to on the page of `creg report`: figures, diagrams, and the map.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "report/report_page.h"

namespace creg {

struct JudgedEmbeddings {
  const Graph& graph;
  const Split* split = nullptr;  ///< of the downstream classifier; null: none
  std::string protocol;
  std::span<const std::filesystem::path> files;  ///< an embedding of each seed
  std::span<const std::int32_t> shown;           ///< on the map; empty: no map
  bool tsne = true;
};

/// Fills in the figures of all seeds, and the diagrams and the map of the first.
void judge_for_page(const Context& context, const JudgedEmbeddings& given, PageRun& run);

}  // namespace creg
