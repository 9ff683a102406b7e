#include "io/catalogue.h"

#include <fmt/format.h>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {
namespace {

std::string figure(std::int64_t value) {
  return value < 0 ? "?" : with_commas(value);
}

std::string table_row(const CatalogueEntry& entry) {
  const DatasetFigures& f = entry.figures;
  return fmt::format("| `{}` | {} | {} | {}{} | {} | {} | {} | {} | [{}]({}) | {} |\n", entry.name,
                     entry.title, figure(f.nodes), figure(f.edges), f.counted ? "" : "*",
                     figure(f.features), figure(f.classes), fmt::join(entry.transforms, ", "),
                     entry.protocol, entry.format, entry.base_url, entry.licence);
}

std::string files_section(const CatalogueEntry& entry) {
  std::string text =
      fmt::format("\n### `{}`\n\nIn `{}/`:\n\n| file | bytes | checksum |\n|---|---:|---|\n",
                  entry.name, entry.folder);
  for (const CatalogueFile& file : entry.files) {
    std::string checksum = "not known";
    if (!file.git_blob.empty()) checksum = fmt::format("git blob `{}`", file.git_blob);
    if (!file.sha256.empty()) checksum = fmt::format("SHA-256 `{}`", file.sha256);
    text += fmt::format("| [{}]({}) | {} | {} |\n", file.name, file_url(entry, file),
                        figure(file.size), checksum);
  }
  for (const CatalogueFile& file : entry.files) {
    if (!file.members.empty()) {
      text += fmt::format("\n`{}` are taken out of `{}`, which is then removed.\n",
                          fmt::join(file.members, "` and `"), file.name);
    }
    if (!file.unpacked_sign.empty()) {
      text += fmt::format("\n`{}` is read as it is; unpacked here (`{}/{}`) it serves as well.\n",
                          file.name, entry.folder, file.unpacked_sign);
    }
  }
  return text;
}

}  // namespace

const CatalogueEntry* find_dataset(std::string_view name) {
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

const CatalogueEntry& dataset_by_name(std::string_view name) {
  if (const CatalogueEntry* entry = find_dataset(name)) return *entry;
  fail_input({.what = "unknown dataset",
              .file = "--dataset",
              .found = in_quotes(name),
              .expected = "a name of the catalogue, synthetic:NAME or a path to your own files",
              .hint = suggestion(name, dataset_names())});
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : catalogue()) names.emplace_back(entry.name);
  return names;
}

std::string file_url(const CatalogueEntry& entry, const CatalogueFile& file) {
  return fmt::format("{}{}", entry.base_url, file.name);
}

std::string catalogue_markdown() {
  std::string text =
      "# Datasets\n\n"
      "<!-- Printed by `creg data list --markdown`. Edit src/io/catalogue/catalogue_table.cpp, not "
      "this "
      "page. -->\n\n"
      "`creg data get NAME` downloads one and checks it; `--mirror URL` or `--mirror DIR` takes "
      "it from somewhere else. Files lie under their original names in `<data folder>/<folder>/`, "
      "where the data folder is `--data-dir`, else `$CREG_DATA`, else the user's cache folder "
      "(`$XDG_CACHE_HOME/creg` or `~/.cache/creg`). A file or folder with exactly these bytes is "
      "recognised as the dataset wherever it lies.\n\n"
      "Edges are distinct pairs {u, v} with u != v, counted in the files; with a star they are "
      "the number published with the dataset. The transforms are what `--dataset NAME` applies "
      "by default, in this order, and the protocol is the default of `creg eval classify`.\n\n"
      "| name | dataset | nodes | edges | features | classes | default transforms | protocol | "
      "format, source | licence |\n"
      "|---|---|---:|---:|---:|---:|---|---|---|---|\n";
  for (const CatalogueEntry& entry : catalogue()) text += table_row(entry);
  text += "\n## Files\n";
  for (const CatalogueEntry& entry : catalogue()) text += files_section(entry);
  return text;
}

}  // namespace creg
