#include "report/report_page.h"

namespace creg {

#ifdef CREG_HAS_PAGE

std::string_view page_shell() {
  // Pieces of text in quotes, which web/build.mjs writes.
  static constexpr std::string_view shell =
#include <page_shell.inc>
      ;
  return shell;
}

#else

std::string_view page_shell() {
  return {};
}

#endif

std::string_view why_no_page() {
  return "built without node, or without the packages that `npm ci --prefix web` fetches";
}

}  // namespace creg
