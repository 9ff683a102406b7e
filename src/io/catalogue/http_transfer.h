// One file over HTTP into a PartFile: resumed, retried, watched.
#pragma once

#include <cstdint>
#include <string>

#include "creg/core/context.h"
#include "io/catalogue/part_file.h"

namespace creg {

struct HttpOptions {
  int retries = 4;                ///< tries after the first, as long as none brings anything new
  double retry_wait_seconds = 1;  ///< before the first retry; doubled each time
  double stall_seconds = 60;  ///< a connection that brings next to nothing for so long is dropped
  int connect_seconds = 30;
  std::int64_t most_bytes = -1;  ///< of the whole file; -1: not known
};

struct HttpResult {
  bool found = true;  ///< false: the server answered that it has no such file
  int status = 0;     ///< its last answer
  bool resumed = false;
  /// More than `most_bytes`, when so many had arrived; the transfer stopped and nothing was kept.
  std::int64_t too_long = 0;
  std::int64_t bytes = 0;  ///< received in this call
};

/// False in a build without libcurl.
bool http_available();

/// Completes `part` with what `url` has. A file that is not there (403, 404, 410) is a result; all
/// else that fails is an environment error. The part stays for a later call whatever happens.
HttpResult http_fetch(const Context& context, const std::string& url, PartFile& part,
                      const HttpOptions& options);

}  // namespace creg
