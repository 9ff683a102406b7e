// What an evaluation takes: the folder of a run, the folder of several seeds, or a bare .npy file.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "creg/graph/graph.h"
#include "creg/run/run.h"
#include "creg/tasks/classify.h"

namespace creg {

struct EmbeddingSource {
  std::vector<std::filesystem::path> files;  ///< one embedding per run, in the order of the seeds
  std::string dataset;                       ///< what the runs' config.toml says; empty: nothing
  std::vector<std::string> transforms;       ///< the same, on top of the dataset's own
  ReadOptions reading;                       ///< the same
  Normalize rows = Normalize::none;          ///< the same
  int smooth = 0;                            ///< the same
  std::optional<std::uint64_t> edge_split;   ///< the same; none: trained on all edges
};

/// The folder of the run whose embedding.npy this is, else `path` itself.
std::filesystem::path run_of(const std::filesystem::path& path);

/// DIR/embedding.npy with DIR/config.toml, or DIR/seed-<s>/ of the same kind, or a .npy file, which
/// the folder of a run that it lies in tells the same of. Runs that were not made of the same
/// dataset, and a folder without an embedding, are input errors.
EmbeddingSource find_embeddings(const std::filesystem::path& path);

/// The same of seeds that lie in these folders, wherever they are.
EmbeddingSource find_embeddings(std::span<const std::filesystem::path> seeds);

/// The dataset that is asked for; where none is, the one that the runs were made of, which may be
/// none.
DataSpec dataset_of(const EmbeddingSource& source, DataSpec asked);

/// What evaluation does to the rows of a run with this configuration before a classifier sees them;
/// where it says nothing the protocol decides.
std::optional<Normalize> classified_rows(const TrainConfig& config);
/// The same for what learns nothing of their size: clusters, links.
Normalize plain_rows(const TrainConfig& config);
Normalize plain_rows(Normalize classified);

/// `asked`, where it is not empty; else what the runs' recipe says of classifiers, if anything.
std::optional<Normalize> normalize_of(const EmbeddingSource& source, const std::string& asked);

/// `asked` where it is there, else what the runs' recipe says.
int smooth_of(const EmbeddingSource& source, const std::optional<int>& asked);

/// A matrix of floats; anything else is an input error that names the file.
DenseMatrix read_embedding(const std::filesystem::path& path);

}  // namespace creg
