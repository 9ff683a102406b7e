// The flags by which evaluations take an embedding.
#pragma once

#include <optional>
#include <string>

#include "cli/options/dataset_options.h"

namespace creg::cli {

/// What every evaluation of an embedding takes.
struct EmbeddingOptions {
  std::string source;
  DataSpec dataset;
  std::string normalize;
  std::optional<int> smooth;
};
void add_embedding_options(CLI::App& command, EmbeddingOptions& options);
void add_normalize_option(CLI::App& command, std::string& normalize);

}  // namespace creg::cli
