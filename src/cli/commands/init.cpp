#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/stats.h"
#include "io/file.h"
#include "io/user_files.h"

namespace creg::cli {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::vector<std::string> files;
  std::string edges;
  std::string features;
  std::string labels;
  std::string splits;
  bool directed = false;
  std::string out = "graph.toml";
};

/// Those in a folder that are no hidden ones, by name.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& path : list_folder(folder)) {
    if (is_file(path) && !path.filename().string().starts_with('.')) files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

[[noreturn]] void fail_needs_nothing(const UserFile& file) {
  fail_input({.what = "this is a graph already: it needs no description",
              .file = file.path.string(),
              .found = file.what,
              .hint = "creg train --dataset " + file.path.string()});
}

std::string seen_words(const std::vector<UserFile>& files) {
  std::string text;
  for (const UserFile& file : files) {
    text += fmt::format("{}{}: {} ({})", text.empty() ? "" : "; ", file.path.filename().string(),
                        name_of(file.role), file.what);
  }
  return text.empty() ? "no files" : text;
}

class Init {
 public:
  Init(const Context& context, const InitOptions& options) : context_(context), options_(options) {}

  Report run() {
    const fs::path out = options_.out;
    refuse_existing(out);
    look();
    take(FileRole::edges, options_.edges, spec_.edges);
    take(FileRole::features, options_.features, spec_.features);
    take(FileRole::labels, options_.labels, spec_.labels);
    fs::path split;
    take(FileRole::splits, options_.splits, split);
    if (!split.empty()) spec_.splits = {split};
    if (spec_.edges.empty()) fail_without_edges();
    spec_.name = out.stem().string();
    spec_.directed = options_.directed;
    // The files themselves say whether they go together, before anything is written.
    const GraphStats stats = graph_stats(context_, open_user_dataset(context_, spec_).raw);
    const std::string text = describe_user_dataset(spec_, notes_of(stats), out.parent_path());
    AtomicFile file(out);
    file.write(std::string_view(text));
    file.commit_new();
    return report(stats);
  }

 private:
  static void refuse_existing(const fs::path& out) {
    if (!is_there(out)) return;
    fail_input({.what = "there is such a file already, and it is not replaced",
                .file = out.string(),
                .hint = "--out NAME.toml writes another"});
  }

  void look() {
    std::vector<fs::path> paths(options_.files.begin(), options_.files.end());
    const bool named = !options_.edges.empty();
    if (paths.empty() && !named) paths = files_in(".");
    std::error_code ignored;
    if (paths.size() == 1 && fs::is_directory(paths.front(), ignored)) {
      const fs::path folder = paths.front();
      paths = files_in(folder);
    }
    for (const fs::path& path : paths) {
      const fs::path plain = path.lexically_normal();
      const bool flagged = std::ranges::any_of(
          std::array{options_.edges, options_.features, options_.labels, options_.splits},
          [&](const std::string& flag) { return fs::path(flag).lexically_normal() == plain; });
      if (!flagged) seen_.push_back(look_at_user_file(plain));
    }
  }

  /// The one file of this role; a flag decides.
  void take(FileRole role, const std::string& flag, fs::path& to) {
    if (!flag.empty()) {
      UserFile file = look_at_user_file(flag);
      file.role = role;
      to = file.path;
      seen_.push_back(std::move(file));
      return;
    }
    for (const UserFile& file : seen_) {
      if (file.role != role) continue;
      if (!to.empty()) {
        fail_input({.what = fmt::format("two files may be the {}", name_of(role)),
                    .found = fmt::format("{} and {}", to.string(), file.path.string()),
                    .hint = fmt::format("say which: --{} FILE", name_of(role))});
      }
      to = file.path;
    }
  }

  [[noreturn]] void fail_without_edges() const {
    const auto whole = std::ranges::find(seen_, FileRole::graph, &UserFile::role);
    if (whole != seen_.end()) fail_needs_nothing(*whole);
    fail_input({.what = "no file of edges was seen",
                .found = seen_words(seen_),
                .expected = "a table with a row of two ids for each edge",
                .hint = "--edges FILE says which it is"});
  }

  std::string what_of(const fs::path& path) const {
    const auto found = std::ranges::find(seen_, path, &UserFile::path);
    return found == seen_.end() ? "" : found->what;
  }

  UserFileNotes notes_of(const GraphStats& stats) const {
    UserFileNotes notes;
    notes.edges = fmt::format("{}: {} of {}", what_of(spec_.edges), counted(stats.entries, "row"),
                              counted(stats.nodes, "node"));
    if (stats.features) {
      notes.features = fmt::format("{}: {}", what_of(spec_.features),
                                   counted(*stats.features, "feature") + " of each node");
    }
    if (stats.classes) {
      notes.labels =
          fmt::format("{}: {} classes, {} without a label", what_of(spec_.labels),
                      with_commas(*stats.classes), counted(stats.unlabelled.value_or(0), "node"));
    }
    const std::int64_t both = stats.directed_edges - stats.edges;
    notes.directed =
        fmt::format("{} of {} pairs are linked both ways; true keeps directions",
                    both == stats.edges ? "all" : with_commas(both), with_commas(stats.edges));
    return notes;
  }

  Report report(const GraphStats& stats) const {
    Table table{.columns = {{"file", "file"}, {"role", "taken as"}, {"what", "what was seen"}}};
    for (const UserFile& file : seen_) {
      const bool used = file.role != FileRole::unknown && file.role != FileRole::graph;
      table.rows.push_back(
          {file.path.string(), used ? Value(name_of(file.role)) : Value(), file.what});
    }
    return {.body = {{"out", options_.out},
                     {"files", table},
                     {"nodes", stats.nodes},
                     {"edges", stats.edges},
                     {"features", stats.features},
                     {"classes", stats.classes},
                     words(fmt::format(
                         "{}: {}, {}, {}, {}\nnext: creg data info {}\n      creg train "
                         "--dataset {} --out run",
                         options_.out, counted(stats.nodes, "node"), counted(stats.edges, "edge"),
                         stats.features ? counted(*stats.features, "feature") : "no features",
                         stats.classes ? with_commas(*stats.classes) + " classes" : "no labels",
                         options_.out, options_.out))},
            .table = table};
  }

  const Context& context_;
  const InitOptions& options_;
  std::vector<UserFile> seen_;
  UserDatasetSpec spec_;
};

}  // namespace

void add_init(CLI::App& app, GlobalOptions& options) {
  CLI::App* command = app.add_subcommand("init");
  const auto chosen = std::make_shared<InitOptions>();
  command->add_option("files", chosen->files, "The files, or their folder [.]")->type_name("FILE");
  command->add_option("--edges", chosen->edges, "The file of edges, whatever it looks like")
      ->type_name("FILE");
  command->add_option("--features", chosen->features, "The same of features")->type_name("FILE");
  command->add_option("--labels", chosen->labels, "The same of labels")->type_name("FILE");
  command->add_option("--splits", chosen->splits, "The same of a split")->type_name("FILE");
  command->add_flag("--directed", chosen->directed, "The edges have a direction");
  command->add_option("--out", chosen->out, "The file to write, a new one")
      ->type_name("FILE.toml")
      ->capture_default_str();
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      print_report(Init(context, *chosen).run(), options);
    };
  });
}

}  // namespace creg::cli
