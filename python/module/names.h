// Words of Python's for enumerators of the engine's.
#pragma once

#include <optional>
#include <string>

#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/named_enum.h"

namespace creg::python {

/// The enumerator of that name; another name is an input error of this argument.
template <class E>
E named(const std::string& argument, const std::string& text) {
  if (const std::optional<E> found = from_name<E>(text)) return *found;
  fail_input({.what = "unknown " + argument,
              .file = argument,
              .found = in_quotes(text),
              .expected = join_words(names_of<E>(), " or "),
              .hint = suggestion(text, names_of<E>())});
}

}  // namespace creg::python
