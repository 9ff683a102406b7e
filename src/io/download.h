// Getting the catalogue's files: over HTTP or from a mirror, verified before they get their name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "io/catalogue.h"

namespace creg {

struct GetOptions {
  std::filesystem::path data_dir;  ///< empty: data_folder()
  /// A folder or an http(s) address to take the files from, as `<mirror>/<folder>/<file>` or
  /// `<mirror>/<file>`; empty: where they are published.
  std::string mirror;
  int retries = 4;                ///< after a broken connection or a server in trouble; counted
                                  ///< anew whenever a try brought something
  double retry_wait_seconds = 1;  ///< before the first retry; doubled each time
  double stall_seconds = 60;      ///< a connection that brings nothing for so long is dropped
  int connect_seconds = 30;
  /// No file is taken for longer than this where the catalogue does not know its size; the largest
  /// of its archives has about a third of it.
  std::int64_t most_unknown_bytes = std::int64_t{4} << 30;
};

enum class GetOutcome {
  fetched,
  resumed,        ///< a part was there from an earlier call
  already_there,  ///< and right, as far as can be told
  unpacked,       ///< taken out of an archive
};

struct GetFile {
  std::string name;
  GetOutcome outcome = GetOutcome::fetched;
  std::int64_t bytes = 0;  ///< received, copied or unpacked by this call
  double seconds = 0;
  bool verified = false;  ///< held against a known checksum
};

struct GetReport {
  std::filesystem::path folder;
  std::vector<GetFile> files;
};

/// Gets what is missing or wrong in the dataset's folder (made if need be) and asks nothing. A file
/// arrives as `<file>.part` and gets its name only when it is whole and right, so a wrong file is
/// replaced by a right one or stays. After Ctrl-C, a lost connection or a full disk the part stays,
/// and the next call goes on from there. Several processes may do this at once: one works, the
/// others wait. Nothing is written through a symbolic link,
/// the dataset's folder among them, and no more than the catalogue's size.
/// A build without libcurl takes files from a folder alone.
GetReport get_dataset(const Context& context, const CatalogueEntry& entry,
                      const GetOptions& options);

}  // namespace creg
