#include "cli/options/embedding_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/seed_folders.h"
#include "io/settings_file.h"

namespace creg::cli {
namespace {

namespace fs = std::filesystem;

struct RunSettings {
  std::string dataset;
  std::vector<std::string> transforms;
  std::optional<bool> final_norm;
  std::optional<std::string> edge_split;
};

// "a+b" as read_settings joins a list.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

RunSettings read_run_settings(const fs::path& config) {
  RunSettings settings;
  for (const Setting& setting : read_settings(map_file(config))) {
    if (setting.key == "dataset") settings.dataset = setting.value;
    if (setting.key == "transforms") settings.transforms = split_list(setting.value);
    if (setting.key == "edge_split") settings.edge_split = setting.value;
    if (setting.key != "final_norm") continue;
    if (setting.value != "true" && setting.value != "false") {
      fail_input({.what = "final_norm is neither true nor false",
                  .file = config.string(),
                  .place = fmt::format("line {}", setting.line),
                  .found = in_quotes(setting.value)});
    }
    settings.final_norm = setting.value == "true";
  }
  return settings;
}

[[noreturn]] void refuse_mixture(const fs::path& folder, std::string_view what,
                                 std::string_view one, std::string_view other) {
  fail_input({.what = fmt::format("the runs differ in their {}", what),
              .file = folder.string(),
              .found = fmt::format("{} and {}", one, other),
              .expected = "seeds of one configuration",
              .hint = "evaluate the folders one by one"});
}

}  // namespace

EmbeddingSource find_embeddings(const fs::path& path) {
  EmbeddingSource source;
  if (!fs::is_directory(path)) {
    source.files = {path};
    return source;
  }
  std::vector<fs::path> folders = {path};
  if (!is_there(path / "embedding.npy")) folders = seed_folders(path);
  if (folders.empty()) {
    fail_input({.what = "there is no embedding in this folder",
                .file = path.string(),
                .expected = "embedding.npy, or folders seed-0, seed-1 … that hold one each",
                .hint = "creg train --out DIR writes it"});
  }
  for (const fs::path& folder : folders) {
    // Seeds without a configuration of their own share that of the folder above.
    const fs::path own = folder / "config.toml";
    const fs::path config = is_there(own) ? own : path / "config.toml";
    const RunSettings settings = is_there(config) ? read_run_settings(config) : RunSettings{};
    if (source.files.empty()) {
      source.dataset = settings.dataset;
      source.transforms = settings.transforms;
      source.final_norm = settings.final_norm;
      source.edge_split = settings.edge_split;
    } else if (settings.dataset != source.dataset) {
      refuse_mixture(path, "dataset", in_quotes(source.dataset), in_quotes(settings.dataset));
    } else if (settings.transforms != source.transforms) {
      refuse_mixture(path, "transforms", join_words(source.transforms, ", "),
                     join_words(settings.transforms, ", "));
    } else if (settings.final_norm != source.final_norm) {
      refuse_mixture(path, "final_norm", "true", "false");
    } else if (settings.edge_split != source.edge_split) {
      refuse_mixture(path, "edge split", source.edge_split.value_or("none"),
                     settings.edge_split.value_or("none"));
    }
    source.files.push_back(folder / "embedding.npy");
  }
  return source;
}

DatasetOptions dataset_of(const EmbeddingSource& source, DatasetOptions flags) {
  if (flags.dataset.empty() && flags.edges.empty()) {
    flags.dataset = source.dataset;
    if (flags.transforms.empty()) flags.transforms = source.transforms;
  }
  return flags;
}

std::optional<Normalize> normalize_of(const EmbeddingSource& source, const std::string& flag) {
  if (!flag.empty()) return parse_normalize(flag);
  if (source.final_norm.value_or(false)) return Normalize::l2;
  return std::nullopt;
}

void add_embedding_options(CLI::App& command, EmbeddingOptions& options) {
  command
      .add_option("embedding", options.source,
                  "The folder of creg train --out, also of several seeds, or an .npy file")
      ->type_name("DIR|EMB.npy")
      ->required();
  add_dataset_options(command, options.dataset, DatasetFlags::without_splits);
  add_normalize_option(command, options.normalize);
}

void add_normalize_option(CLI::App& command, std::string& normalize) {
  command
      .add_option("--normalize", normalize,
                  "Make rows of length 1 before: default as the run's recipe and the protocol say")
      ->type_name("none|l2");
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

}  // namespace creg::cli
