#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "core/text.h"
#include "io/data_folder.h"
#include "io/download.h"

namespace creg::cli {
namespace {

struct GetChoice {
  std::vector<std::string> names;
  std::string mirror;
};

std::string_view outcome_name(GetOutcome outcome) {
  switch (outcome) {
    case GetOutcome::fetched:
      return "fetched";
    case GetOutcome::resumed:
      return "resumed";
    case GetOutcome::already_there:
      return "already there";
    case GetOutcome::unpacked:
      return "unpacked";
  }
  return "";
}

void get_datasets(const Context& context, const GetChoice& choice, const GlobalOptions& globals) {
  // All names are looked up first: a slip in the last one costs no download.
  std::vector<const CatalogueEntry*> entries;
  for (const std::string& name : choice.names) entries.push_back(&dataset_by_name(name));
  Table files{.columns = {{"dataset"},
                          {"name"},
                          {"", "file"},
                          {"outcome", "outcome"},
                          {"bytes"},
                          {"seconds"},
                          {"verified"},
                          {"", "checksum"}}};
  for (const CatalogueEntry* entry : entries) {
    const GetReport report = get_dataset(
        context, *entry, {.data_dir = data_folder(globals.data_dir), .mirror = choice.mirror});
    for (const GetFile& file : report.files) {
      files.rows.push_back({entry->name, file.name, (report.folder / file.name).string(),
                            outcome_name(file.outcome), file.bytes, file.seconds, file.verified,
                            file.verified ? "right" : "not known"});
    }
  }
  const Report report{
      .body = {{"data_dir", data_folder(globals.data_dir).string()}, {"files", files}},
      .table = files};
  print_report(report, globals);
}

}  // namespace

void add_data_get(CLI::App& data, GlobalOptions& options) {
  CLI::App* command = data.add_subcommand("get", "Download datasets, verified and resumable");
  const auto choice = std::make_shared<GetChoice>();
  command->add_option("names", choice->names, "Names, as creg data list shows them")
      ->type_name("NAME…")
      ->required();
  command
      ->add_option("--mirror", choice->mirror,
                   "Take the files from this folder or address instead of the public one")
      ->type_name("URL|DIR");
  command->callback([choice, &options] {
    options.action = [choice, &options](const Context& context) {
      get_datasets(context, *choice, options);
    };
  });
}

}  // namespace creg::cli
