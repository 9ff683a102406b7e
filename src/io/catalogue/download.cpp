#include "io/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/catalogue/http_transfer.h"
#include "io/catalogue/part_file.h"
#include "io/containers/unpack.h"
#include "io/containers/zip.h"
#include "io/data_folder.h"
#include "io/file.h"
#include "io/write_lock.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t copy_piece_bytes = std::size_t{1} << 20;

bool is_web_address(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

/// Where files come from: the published address, a mirror's, or a folder.
struct Mirror {
  std::string base;  ///< without a trailing '/'; empty: as published
  bool web = true;
};

Mirror parse_mirror(std::string text) {
  constexpr std::string_view file_scheme = "file://";
  if (text.empty()) return {};
  if (text.starts_with(file_scheme)) text.erase(0, file_scheme.size());
  Mirror mirror{.base = text, .web = is_web_address(text)};
  while (mirror.base.size() > 1 && mirror.base.ends_with('/')) mirror.base.pop_back();
  if (mirror.web) return mirror;
  std::error_code ignored;
  if (!fs::is_directory(mirror.base, ignored)) {
    fail_input({.what = text.find("://") == std::string::npos ? "no such folder"
                                                              : "not a mirror that can be read",
                .file = "--mirror",
                .found = in_quotes(text, 200),
                .expected = "a folder, or an address that starts with http:// or https://"});
  }
  return mirror;
}

/// One call of get_dataset.
class Getter {
 public:
  Getter(const Context& context, const CatalogueEntry& entry, const GetOptions& options)
      : context_(context),
        entry_(entry),
        mirror_(parse_mirror(options.mirror)),
        http_{.retries = options.retries,
              .retry_wait_seconds = options.retry_wait_seconds,
              .stall_seconds = options.stall_seconds,
              .connect_seconds = options.connect_seconds} {
    most_unknown_bytes_ = options.most_unknown_bytes;
    report_.folder =
        dataset_folder(entry, options.data_dir.empty() ? data_folder() : options.data_dir);
  }

  GetReport run() {
    for (const CatalogueFile& file : entry_.files) {
      if (file.members.empty()) {
        if (!is_file(report_.folder / file.unpacked_sign)) {
          get_file(file);
        } else {
          note(file.name, GetOutcome::already_there, 0);
        }
      } else {
        get_members(file);
      }
    }
    return std::move(report_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Transfer {
    std::string place;  ///< where it came from
    std::int64_t bytes = 0;
    bool resumed = false;
  };

  void note(std::string_view name, GetOutcome outcome, std::int64_t bytes, bool verified = false) {
    report_.files.push_back(
        {.name = std::string(name),
         .outcome = outcome,
         .bytes = bytes,
         .seconds = std::chrono::duration<double>(Clock::now() - started_).count(),
         .verified = verified});
  }

  /// Taken only when there is something to do, so that complete folders may be read-only. True
  /// when it was not held before: somebody else may have done the work meanwhile.
  bool lock() {
    if (lock_) return false;
    refuse_symlink(report_.folder);
    std::error_code error;
    fs::create_directories(report_.folder, error);
    if (error) {
      fail_errno(error.value(), "cannot make this folder", report_.folder.string(),
                 "choose another place with --data-dir");
    }
    lock_.emplace(context_, report_.folder, LockMode::wait);
    return true;
  }

  bool note_if_there(const CatalogueFile& file) {
    const FileState state = check_file(file, report_.folder / file.name).state;
    if (state != FileState::right && state != FileState::unchecked) return false;
    note(file.name, GetOutcome::already_there, 0, state == FileState::right);
    return true;
  }

  bool members_there(const CatalogueFile& archive) const {
    return std::all_of(archive.members.begin(), archive.members.end(),
                       [&](std::string_view member) { return is_file(report_.folder / member); });
  }

  bool note_if_members_there(const CatalogueFile& archive) {
    if (!members_there(archive)) return false;
    for (const std::string_view member : archive.members) {
      note(member, GetOutcome::already_there, 0);
    }
    return true;
  }

  /// Places to look for a file, best first: addresses, or paths below a mirror's folder.
  std::vector<std::string> places(std::string_view name) const {
    if (mirror_.base.empty()) return {fmt::format("{}{}", entry_.base_url, name)};
    return {fmt::format("{}/{}/{}", mirror_.base, entry_.folder, name),
            fmt::format("{}/{}", mirror_.base, name)};
  }

  std::int64_t most_bytes(const CatalogueFile& file) const {
    return file.size >= 0 ? file.size : most_unknown_bytes_;
  }
  std::string bytes_words(const CatalogueFile& file) const {
    return (file.size >= 0 ? "" : "at most ") + with_commas(most_bytes(file)) + " bytes";
  }

  /// Nothing when no place has the file.
  std::optional<Transfer> transfer(const CatalogueFile& file, PartFile& part) {
    refusals_.clear();
    HttpOptions http = http_;
    http.most_bytes = most_bytes(file);
    for (const std::string& place : places(file.name)) {
      if (mirror_.web) {
        const HttpResult result = http_fetch(context_, place, part, http);
        if (result.too_long > 0) {
          fail_wrong(place, {.state = FileState::wrong,
                             .found = with_commas(result.too_long) + " bytes and more",
                             .expected = bytes_words(file)});
        }
        if (result.found) {
          return Transfer{.place = place, .bytes = result.bytes, .resumed = result.resumed};
        }
        refusals_.push_back(fmt::format("{} (status {})", place, result.status));
      } else {
        if (is_file(place)) return copy(file, place, part);
        refusals_.push_back(place);
      }
    }
    return std::nullopt;
  }

  Transfer copy(const CatalogueFile& file, const std::string& place, PartFile& part) {
    const Bytes source = map_file(place);
    part.clear();
    if (source.size() > most_bytes(file)) {
      fail_wrong(place, {.state = FileState::wrong,
                         .found = with_commas(source.size()) + " bytes",
                         .expected = bytes_words(file)});
    }
    ProgressTask progress(context_, fs::path(place).filename().string(), source.size(), "bytes");
    for (std::size_t at = 0; at < source.data.size(); at += copy_piece_bytes) {
      const auto piece =
          source.data.subspan(at, std::min(copy_piece_bytes, source.data.size() - at));
      part.append(piece);
      progress.advance(static_cast<std::int64_t>(piece.size()));
    }
    progress.finish();
    return {.place = place, .bytes = source.size()};
  }

  [[noreturn]] void fail_nowhere(std::string_view name) const {
    const std::string what = fmt::format("dataset '{}': nobody has {}", entry_.name, name);
    const std::string tried = "tried " + join_words(refusals_);
    if (mirror_.web) {
      fail_environment(
          {.what = what,
           .hint = tried + (mirror_.base.empty()
                                ? "; if you find the file elsewhere, use --mirror URL|DIR"
                                : "; without --mirror it comes from where it is published")});
    }
    fail_input({.what = what, .file = mirror_.base, .hint = tried});
  }

  [[noreturn]] void fail_wrong(const std::string& place, const FileCheck& check) const {
    ErrorDetail detail{
        .what = fmt::format("not the bytes of dataset '{}'", entry_.name),
        .file = place,
        .found = check.found,
        .expected = check.expected,
        .hint = "nothing of it was kept; " +
                std::string(mirror_.base.empty() ? "run the same again, or use --mirror URL|DIR"
                                                 : "use another mirror")};
    if (mirror_.web) fail_environment(std::move(detail));
    fail_input(std::move(detail));
  }

  void get_file(const CatalogueFile& file) {
    if (!try_file(file)) fail_nowhere(file.name);
  }

  /// False when no place has the file.
  bool try_file(const CatalogueFile& file) {
    started_ = Clock::now();
    if (note_if_there(file)) return true;
    if (lock() && note_if_there(file)) return true;
    PartFile part(report_.folder / file.name);
    if (finish_complete_part(file, part)) return true;
    std::optional<Transfer> got = transfer(file, part);
    if (!got) return false;
    FileCheck check = check_file(file, part.path());
    std::int64_t bytes = got->bytes;
    if (check.state == FileState::wrong && got->resumed) {
      // What an earlier call left may be at fault; a whole new copy tells.
      context_.log().write(
          LogLevel::notice,
          fmt::format("{}: the resumed download is wrong; fetching it whole", file.name));
      part.clear();
      got = transfer(file, part);
      if (!got) return false;
      bytes += got->bytes;
      check = check_file(file, part.path());
    }
    if (check.state == FileState::wrong) {
      part.clear();
      fail_wrong(got->place, check);
    }
    commit(file, part, got->resumed ? GetOutcome::resumed : GetOutcome::fetched, bytes, check);
    return true;
  }

  /// A part that was whole when its process was stopped needs no network.
  bool finish_complete_part(const CatalogueFile& file, PartFile& part) {
    if (part.size() == 0 || file.size < 0 || part.size() < file.size) return false;
    const FileCheck check = check_file(file, part.path());
    if (check.state != FileState::right) {
      part.clear();
      return false;
    }
    commit(file, part, GetOutcome::resumed, 0, check);
    return true;
  }

  void commit(const CatalogueFile& file, PartFile& part, GetOutcome outcome, std::int64_t bytes,
              const FileCheck& check) {
    part.commit();
    if (check.state == FileState::unchecked) {
      const bool known = !file.sha256.empty() || !file.git_blob.empty();
      context_.log().write(
          LogLevel::notice,
          fmt::format("{}: {}, so it was not verified", file.name,
                      known ? "this build has no OpenSSL" : "no checksum is known for it"));
    }
    note(file.name, outcome, bytes, check.state == FileState::right);
  }

  /// The archive, unpacked and removed; or the members where a mirror has only them.
  void get_members(const CatalogueFile& archive) {
    started_ = Clock::now();
    if (note_if_members_there(archive)) return;
    if (lock() && note_if_members_there(archive)) return;
    if (try_file(archive)) {
      unpack(archive);
      return;
    }
    // Such a mirror is a copy of a data folder.
    const std::vector<std::string> archive_refusals = refusals_;
    for (const std::string_view member : archive.members) {
      if (mirror_.base.empty() || !try_file({.name = member})) {
        refusals_.insert(refusals_.begin(), archive_refusals.begin(), archive_refusals.end());
        fail_nowhere(archive.name);
      }
    }
  }

  void unpack(const CatalogueFile& archive) {
    const fs::path path = report_.folder / archive.name;
    for (const std::string_view member : archive.members) refuse_symlink(report_.folder / member);
    try {
      const Bytes bytes = map_file(path);
      const ZipArchive zip(bytes);
      for (const std::string_view member : archive.members) {
        started_ = Clock::now();
        note(member, GetOutcome::unpacked,
             unpack_member(context_, bytes, zip, member, report_.folder / member));
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      ErrorDetail detail = error.detail();
      detail.hint = "remove " + path.string() + " and run the same again";
      fail_input(std::move(detail));
    }
    std::error_code ignored;
    fs::remove(path, ignored);
  }

  const Context& context_;
  const CatalogueEntry& entry_;
  Mirror mirror_;
  HttpOptions http_;
  std::int64_t most_unknown_bytes_ = 0;
  GetReport report_;
  std::optional<WriteLock> lock_;
  std::vector<std::string> refusals_;  ///< where the file looked for last is not
  Clock::time_point started_;
};

}  // namespace

GetReport get_dataset(const Context& context, const CatalogueEntry& entry,
                      const GetOptions& options) {
  return Getter(context, entry, options).run();
}

}  // namespace creg
