#include "run/claimed_folder.h"

#include <algorithm>
#include <string>

#include "creg/core/error.h"
#include "io/file.h"
#include "io/seed_folders.h"
#include "run/folder_contents.h"
#include "run/run_folder.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_run(const fs::path& directory) {
  fail_input({.what = "the folder holds a run already",
              .file = directory.string(),
              .found = describe_contents(directory),
              .expected = "a new or an empty folder",
              .hint = "--out DIR writes elsewhere, --overwrite first removes what the run wrote, "
                      "creg train --resume " +
                      directory.string() + " goes on with it"});
}

[[noreturn]] void refuse_links(const fs::path& directory) {
  fail_input({.what = "the folder holds runs of creg eval link already",
              .file = directory.string(),
              .found = describe_contents(directory),
              .expected = "a new or an empty folder",
              .hint = "--out DIR writes elsewhere, --overwrite first removes what the runs wrote"});
}

void remove_all(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) remove_file(file);
}

void remove_outputs(const FolderContents& contents) {
  remove_all(contents.outputs);
  for (const fs::path& folder : contents.folders) {
    std::error_code ignored;  // it holds something of a user's
    fs::remove(folder, ignored);
  }
}

/// "DIR/seed-0/" and "." by their names.
fs::path plain_path(const fs::path& directory) {
  const fs::path path = fs::absolute(directory).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

void check_contents(const fs::path& directory, Claim claim) {
  if (is_there(directory) && !fs::is_directory(directory)) {
    fail_input({.what = "a file has this name",
                .file = directory.string(),
                .expected = "a folder, or nothing yet"});
  }
  const FolderContents contents = look_into(directory);
  if (contents.free()) return;
  if (!contents.run && !contents.links) {
    const fs::path& first =
        contents.foreign.empty() ? contents.others.front() : contents.foreign.front();
    fail_input({.what = "the folder holds something that is no run",
                .file = directory.string(),
                .found = first.lexically_relative(directory).string(),
                .expected = "an empty folder, a new one, or that of an earlier run",
                .hint = "choose another one with --out"});
  }
  if (contents.run && (claim == Claim::fresh || claim == Claim::extend)) refuse_run(directory);
  if (contents.links && !contents.run && claim == Claim::fresh) refuse_links(directory);
  for (const fs::path& file : contents.foreign) {
    // A run that goes on writes no dataset.toml, and its seeds may have been moved elsewhere.
    if (claim == Claim::resume && (file.filename() == "dataset.toml" || fs::is_symlink(file))) {
      continue;
    }
    fail_input({.what = "no run wrote this, and it has the name of what a run writes",
                .file = file.string(),
                .hint = "move it away, or choose another folder with --out"});
  }
}

}  // namespace

Claim claim_of(const RunPlan& plan) {
  if (plan.resume) return Claim::resume;
  return plan.overwrite ? Claim::overwrite : Claim::fresh;
}

void check_folder(const Context& context, const fs::path& directory, Claim claim) {
  // While another process writes there that is what is wrong, whatever it has written so far.
  if (is_there(directory / folder_lock_name)) {
    const WriteLock probe(context, directory, LockMode::together);
  }
  check_contents(directory, claim);
}

ClaimedFolder::ClaimedFolder(const Context& context, const fs::path& directory, Claim claim)
    : directory_(directory) {
  check_folder(context, directory, claim);
  make_folder(directory);
  fs::path inner = plain_path(directory);
  while ((is_numbered(inner, "seed-") && holds_run(inner.parent_path())) ||
         is_numbered(inner, "split-")) {
    inner = inner.parent_path();
    locks_.emplace_back(context, inner, LockMode::together);
  }
  locks_.emplace_back(context, directory, LockMode::alone);
  // Once more: somebody may have come between.
  check_contents(directory, claim);
  const FolderContents contents = look_into(directory);
  remove_all(contents.leftovers);
  if (claim == Claim::overwrite) remove_outputs(contents);
  was_empty_ = claim == Claim::overwrite || contents.outputs.empty();
}

void ClaimedFolder::forget_unbegun() const {
  if (!was_empty_) return;
  try {
    const FolderContents contents = look_into(directory_);
    const auto kept = [](const fs::path& output) {
      return output.filename() == "checkpoint.pt" || output.filename() == "embedding.npy";
    };
    if (std::any_of(contents.outputs.begin(), contents.outputs.end(), kept)) return;
    remove_all(contents.leftovers);
    remove_outputs(contents);
  } catch (const Error&) {
    // What made the run fail is worth more to its user.
  }
}

}  // namespace creg
