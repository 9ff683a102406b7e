#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "core/text.h"
#include "graph/generators.h"
#include "io/catalogue.h"
#include "io/data_folder.h"

namespace creg::cli {
namespace {

void list_datasets(const GlobalOptions& globals, bool markdown) {
  if (markdown) {
    print_result(catalogue_markdown());
    return;
  }
  const std::filesystem::path folder = data_folder(globals.data_dir);
  nlohmann::ordered_json out = {{"data_dir", folder.string()},
                                {"datasets", nlohmann::ordered_json::array()},
                                {"synthetic", synthetic_names()}};
  std::string text = fmt::format("{:<20}{:<10}{:<16}{}\n", "name", "here", "protocol", "title");
  for (const CatalogueEntry& entry : catalogue()) {
    const bool here = missing_files(entry, dataset_folder(entry, folder)).empty();
    text += fmt::format("{:<20}{:<10}{:<16}{}\n", entry.name, here ? "yes" : "-", entry.protocol,
                        entry.title);
    out["datasets"].push_back({{"name", std::string(entry.name)},
                               {"title", std::string(entry.title)},
                               {"here", here},
                               {"protocol", std::string(entry.protocol)},
                               {"licence", std::string(entry.licence)}});
  }
  text += fmt::format("\nmade from a seed: synthetic:{{{}}}[@scale]\ndata folder: {}\n",
                      join_words(synthetic_names(), ", "), folder.string());
  print_result(globals.json ? out.dump(2) + "\n" : text);
}

}  // namespace

void add_data_list(CLI::App& data, GlobalOptions& options) {
  CLI::App* command = data.add_subcommand("list", "The datasets known by name, and which are here");
  const auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "Print the page docs/datasets.md");
  command->callback([markdown, &options] {
    options.action = [markdown, &options](const Context&) { list_datasets(options, *markdown); };
  });
}

}  // namespace creg::cli
