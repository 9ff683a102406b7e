// Tables as CSV.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace creg {

struct CsvColumn {
  std::string name;
  std::variant<std::vector<std::string>, std::vector<std::optional<double>>> values;
};

/// A line of names and one per row, each ended by a newline; the columns are equally long. Texts
/// are quoted as RFC 4180 says where they need it. Numbers are the shortest that read back the
/// same; a missing one, or one that is not finite, is an empty field.
std::string csv_text(std::span<const CsvColumn> columns);

}  // namespace creg
