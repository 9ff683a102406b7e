#include <fmt/format.h>

#include <memory>

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
  Table table{.columns = {{"name", "name"},
                          {"title"},
                          {"here", "here"},
                          {"protocol", "protocol"},
                          {"licence"},
                          {"", "title"}}};
  for (const CatalogueEntry& entry : catalogue()) {
    const bool here = missing_files(entry, dataset_folder(entry, folder)).empty();
    table.rows.push_back(
        {entry.name, entry.title, here, entry.protocol, entry.licence, entry.title});
  }
  const Report report{
      .body = {{"data_dir", folder.string()},
               {"datasets", table},
               {"synthetic", synthetic_names()},
               words(fmt::format("made from a seed: synthetic:{{{}}}[@scale]\ndata folder: {}",
                                 join_words(synthetic_names(), ", "), folder.string()))},
      .table = table};
  print_report(report, globals);
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
