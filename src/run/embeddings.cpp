#include "run/embeddings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/seed_folders.h"
#include "run/run_folder.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_mixture(const fs::path& folder, std::string_view what,
                                 std::string_view one, std::string_view other) {
  fail_input({.what = fmt::format("the runs differ in their {}", what),
              .file = folder.string(),
              .found = fmt::format("{} and {}", one, other),
              .expected = "seeds of one configuration",
              .hint = "evaluate the folders one by one"});
}

Normalize final_rows(bool norm, bool spread) {
  return norm ? Normalize::l2 : spread ? Normalize::spread : Normalize::none;
}

std::string split_name(const std::optional<std::uint64_t>& seed) {
  return seed ? std::to_string(*seed) : "none";
}

/// Seeds without a configuration of their own share that of `above`.
EmbeddingSource seeds_in(const fs::path& above, std::span<const fs::path> folders) {
  EmbeddingSource source;
  for (const fs::path& folder : folders) {
    const fs::path recorded = is_there(folder / "config.toml") ? folder : above;
    const RunRecord settings =
        is_there(recorded / "config.toml") ? read_record(recorded) : RunRecord{};
    const Normalize rows = final_rows(truth_of(settings, "final_norm").value_or(false),
                                      truth_of(settings, "final_spread").value_or(false));
    const int smooth = smooth_of(settings);
    if (source.files.empty()) {
      source.dataset = settings.dataset;
      source.transforms = settings.transforms;
      source.reading = settings.reading;
      source.rows = rows;
      source.smooth = smooth;
      source.edge_split = settings.edge_split;
    } else if (settings.dataset != source.dataset) {
      refuse_mixture(above, "dataset", in_quotes(source.dataset), in_quotes(settings.dataset));
    } else if (settings.transforms != source.transforms) {
      refuse_mixture(above, "transforms", join_words(source.transforms, ", "),
                     join_words(settings.transforms, ", "));
    } else if (rows != source.rows) {
      refuse_mixture(above, "final_norm or final_spread", normalize_name(source.rows),
                     normalize_name(rows));
    } else if (smooth != source.smooth) {
      refuse_mixture(above, "smooth", std::to_string(source.smooth), std::to_string(smooth));
    } else if (settings.edge_split != source.edge_split) {
      refuse_mixture(above, "edge split", split_name(source.edge_split),
                     split_name(settings.edge_split));
    }
    source.files.push_back(folder / "embedding.npy");
  }
  return source;
}

}  // namespace

fs::path run_of(const fs::path& path) {
  if (path.filename() != "embedding.npy" || !is_file(path)) return path;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return holds_run(folder) ? folder : path;
}

EmbeddingSource find_embeddings(const fs::path& given) {
  const fs::path path = run_of(given);
  if (!fs::is_directory(path)) return {.files = {path}};
  std::vector<fs::path> folders = {path};
  if (!is_there(path / "embedding.npy")) folders = seed_folders(path);
  if (folders.empty()) {
    fail_input({.what = "there is no embedding in this folder",
                .file = path.string(),
                .expected = "embedding.npy, or folders seed-0, seed-1 … that hold one each",
                .hint = "creg train --out DIR writes it"});
  }
  return seeds_in(path, folders);
}

EmbeddingSource find_embeddings(std::span<const fs::path> seeds) {
  return seeds_in(seeds.front(), seeds);
}

DataSpec dataset_of(const EmbeddingSource& source, DataSpec asked) {
  if (asked.dataset.empty() && asked.edges.empty()) {
    asked.dataset = source.dataset;
    if (asked.transforms.empty()) asked.transforms = source.transforms;
    asked.reading = source.reading | asked.reading;
  }
  return asked;
}

std::optional<Normalize> classified_rows(const TrainConfig& config) {
  const Normalize rows = final_rows(config.final_norm, config.final_spread);
  if (rows == Normalize::none) return std::nullopt;
  return rows;
}

Normalize plain_rows(Normalize classified) {
  return classified == Normalize::spread ? Normalize::none : classified;
}

Normalize plain_rows(const TrainConfig& config) {
  return final_rows(config.final_norm, false);
}

std::optional<Normalize> normalize_of(const EmbeddingSource& source, const std::string& asked) {
  if (!asked.empty()) return parse_normalize(asked);
  if (source.rows != Normalize::none) return source.rows;
  return std::nullopt;
}

int smooth_of(const EmbeddingSource& source, const std::optional<int>& asked) {
  return asked.value_or(source.smooth);
}

DenseMatrix read_embedding(const fs::path& path) {
  const Bytes bytes = map_file(path);
  if (!is_npy(bytes)) {
    fail_input({.what = "not an .npy file",
                .file = path.string(),
                .expected = "an embedding as creg train writes it: embedding.npy"});
  }
  const NdArray array = read_npy(bytes);
  array.require_dimensions(2);
  return array.to_matrix();
}

}  // namespace creg
