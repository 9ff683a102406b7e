// From folders of runs and from run stores to the page of `creg report`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "creg/core/context.h"
#include "report/document.h"
#include "report/report_page.h"
#include "run/page_sources.h"

namespace creg {

struct PageOptions {
  std::string title;                ///< empty: named after the datasets
  std::filesystem::path data_dir;   ///< of the named datasets
  bool maps = true;                 ///< of the embeddings
  bool tsne = true;                 ///< beside the principal components
  std::int64_t map_nodes = 28'000;  ///< on all maps together; of more, some drawn by the seed
  bool baselines = true;            ///< of what learns nothing, where there are labels
  PageChoice choice;                ///< among the runs of stores
};

/// What a run lacks is left out with a note on the page and in the log: a dataset that is not at
/// hand leaves what the run's own files say. A folder that holds no run, and one given twice, are
/// input errors.
ReportPage run_page(const Context& context, std::span<const PageSource> sources,
                    const PageOptions& options = {});

/// The same as a file, and what was written. A build without a page, and a file that cannot be
/// written, are errors before anything is computed.
Report write_run_page(const Context& context, std::span<const PageSource> sources,
                      const std::filesystem::path& file, const PageOptions& options = {});

}  // namespace creg
