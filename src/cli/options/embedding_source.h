// What an evaluation takes: the folder of a run, the folder of several seeds, or a bare .npy file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/dataset_options.h"
#include "creg/graph/graph.h"
#include "creg/tasks/classify.h"

namespace creg::cli {

struct EmbeddingSource {
  std::vector<std::filesystem::path> files;  ///< one embedding per run, in the order of the seeds
  std::string dataset;                       ///< what the runs' config.toml says; empty: nothing
  std::vector<std::string> transforms;       ///< the same, on top of the dataset's own
  std::optional<bool> final_norm;            ///< the same
  std::optional<std::string> edge_split;     ///< the same; none: trained on all edges
};

/// DIR/embedding.npy with DIR/config.toml, or DIR/seed-<s>/ of the same kind, or a .npy file. Runs
/// that were not made of the same dataset, and a folder without an embedding, are input errors.
EmbeddingSource find_embeddings(const std::filesystem::path& path);

/// The dataset that the flags choose; without any, the one that the runs were made of.
DatasetOptions dataset_of(const EmbeddingSource& source, DatasetOptions flags);

/// --normalize where it is given, else l2 for runs whose recipe says so, else nothing.
std::optional<Normalize> normalize_of(const EmbeddingSource& source, const std::string& flag);

/// What every evaluation of an embedding takes.
struct EmbeddingOptions {
  std::string source;
  DatasetOptions dataset;
  std::string normalize;
};
void add_embedding_options(CLI::App& command, EmbeddingOptions& options);
void add_normalize_option(CLI::App& command, std::string& normalize);

/// A matrix of floats; anything else is an input error that names the file.
DenseMatrix read_embedding(const std::filesystem::path& path);

}  // namespace creg::cli
