// result.json of a run, as creg reproduce --collect and creg report read it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/file.h"

namespace creg {

/// What is not as a run writes it is as if it were not there.
class ResultFile {
 public:
  /// Nothing where the file is no JSON object.
  static std::optional<ResultFile> read(const Bytes& file);

  /// Of metrics.<metric>.values; empty unless all of them are numbers.
  std::vector<double> values(const std::string& metric) const;
  std::string text(const std::string& key, const std::string& otherwise = {}) const;
  /// Something counted, from 0 to what an int holds; else 0.
  int count(const std::string& key) const;
  /// 0 or more.
  double seconds() const;

 private:
  explicit ResultFile(nlohmann::json object) : object_(std::move(object)) {}

  nlohmann::json object_;
};

}  // namespace creg
