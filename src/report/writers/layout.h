// What people see of a report, laid out as blocks of words that a writer for people only has to
// set.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"

namespace creg {

/// A paragraph, or a grid of words with a title that may be empty.
struct Block {
  std::string title;
  std::string paragraph;
  std::vector<std::string> header;  ///< empty: rows without one
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> right;  ///< for each column: set flush right, as numbers are
};

std::vector<Block> lay_out(const Report& report);

}  // namespace creg
