// Ids as fields of a row: what the readers of keyed text share.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/text.h"
#include "creg/core/context.h"
#include "io/text/node_index.h"
#include "io/text/text_blocks.h"
#include "io/text/text_fields.h"

namespace creg {

/// Refuses an id that is empty, too long, badly quoted or, unquoted, a negative number or a NaN.
inline void check_id_field(const TextBlock& block, const Field& field) {
  if (field.problem != nullptr) block.fail(field.at, {.what = field.problem});
  if (field.text.empty()) {
    block.fail(field.at, {.what = "an id is missing", .expected = "a name or a number"});
  }
  if (field.text.size() > max_name_bytes) {
    block.fail(field.at, {.what = "an id is too long",
                          .found = human_bytes(static_cast<std::int64_t>(field.text.size())),
                          .expected = "at most " + std::to_string(max_name_bytes) + " bytes"});
  }
  if (field.quoted) return;
  const char first = field.text[0];
  if (first == '-' && field.text.size() > 1 && is_plain_integer(field.text.substr(1))) {
    block.fail(field.at, {.what = "a negative id",
                          .found = in_quotes(field.text),
                          .expected = "0 or more",
                          .hint = "a name that looks like this must be quoted: \"-1\""});
  }
  if (field.text == "nan" || field.text == "NaN" || field.text == "NAN") {
    block.fail(field.at, {.what = "an id is NaN",
                          .found = in_quotes(field.text),
                          .expected = "a name or a number",
                          .hint = "a name that looks like this must be quoted: \"nan\""});
  }
}

/// The local number of a checked id. Bytes that no text has are refused where they first appear.
inline std::uint32_t add_id(const TextBlock& block, LocalNames& names, const Field& field) {
  const LocalNames::Added added = names.add(field.text, field.at);
  if (added.fresh && field.text.find('\0') != std::string_view::npos) {
    block.fail(field.at, {.what = "an id holds a zero byte",
                          .found = in_quotes(field.text),
                          .expected = "text in ASCII or UTF-8"});
  }
  return added.local;
}

}  // namespace creg
