// Catalogue entries for tests, with their storage.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "io/catalogue.h"

namespace creg::test {

class MadeUpDataset {
 public:
  /// Named "made-up", in the folder "made_up".
  explicit MadeUpDataset(std::string base_url = "http://nowhere.invalid/");
  MadeUpDataset(const MadeUpDataset&) = delete;
  MadeUpDataset& operator=(const MadeUpDataset&) = delete;

  /// A file with a known size and SHA-256. References are good until the next file is added.
  CatalogueFile& add(std::string name, std::string_view contents);
  /// A file of which nothing is known.
  CatalogueFile& add_unknown(std::string name);
  /// An archive of which these are taken.
  CatalogueFile& add_archive(std::string name, const std::vector<std::string>& members);
  std::string_view keep(std::string text);
  CatalogueEntry entry() const;

 private:
  std::deque<std::string> texts_;
  std::deque<std::vector<std::string_view>> lists_;
  std::vector<CatalogueFile> files_;
  std::string_view base_url_;
};

/// `size` random bytes, the same in every run.
std::string noise(std::size_t size);

}  // namespace creg::test
