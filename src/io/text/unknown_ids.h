// Ids of a file that the graph does not have: told together, or left out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/io/dataset.h"

namespace creg {

class UnknownIdList {
 public:
  /// `place` is asked for the first few only.
  void add(std::string_view id, const std::function<std::string()>& place);
  std::int64_t count() const { return count_; }
  /// As it stands in the file; there is one.
  const std::string& first() const { return first_.front().id; }

  struct Words {
    std::string file;
    std::string column;  ///< behind the place of the first one: ", column 1"
    std::string expected;
    std::string hint;
  };
  /// Where there is one: an input error with how many there are and the first three, or one warning
  /// that they were dropped.
  void settle(const Context& context, UnknownIds choice, const std::function<Words()>& words) const;

 private:
  struct Found {
    std::string id;
    std::string place;
  };
  std::string shown() const;

  std::int64_t count_ = 0;
  std::vector<Found> first_;
};

}  // namespace creg
