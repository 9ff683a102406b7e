#include "creg/core/error.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace creg {
namespace {

std::string compose(const ErrorDetail& d) {
  std::string text;
  if (!d.file.empty()) text += d.file + ": ";
  if (!d.place.empty()) text += d.place + ": ";
  text += d.what;
  if (!d.found.empty()) text += ": found " + d.found;
  if (!d.expected.empty()) text += (d.found.empty() ? ": expected " : ", expected ") + d.expected;
  if (!d.hint.empty()) text += "\n  " + d.hint;
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, ErrorDetail detail)
    : std::runtime_error(compose(detail)), kind_(kind), detail_(std::move(detail)) {}

void fail_input(ErrorDetail detail) {
  throw Error(ErrorKind::input, std::move(detail));
}

void fail_environment(ErrorDetail detail) {
  throw Error(ErrorKind::environment, std::move(detail));
}

void fail_errno(int error_number, std::string what, std::string file, std::string hint) {
  fail_environment(
      {.what = fmt::format("{}: {}", what, std::generic_category().message(error_number)),
       .file = std::move(file),
       .hint = std::move(hint)});
}

void invariant(bool holds, std::string_view promise, std::source_location where) {
  if (holds) return;
  throw Bug(fmt::format("internal error: {} ({}:{}); please report it", promise, where.file_name(),
                        where.line()));
}

}  // namespace creg
