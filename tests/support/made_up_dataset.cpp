#include "support/made_up_dataset.h"

#include <array>

#include "creg/core/random.h"
#include "io/checksum.h"

namespace creg::test {
namespace {

constexpr std::array<std::string_view, 1> transforms{"symmetrise"};

}  // namespace

MadeUpDataset::MadeUpDataset(std::string base_url) : base_url_(keep(std::move(base_url))) {}

std::string_view MadeUpDataset::keep(std::string text) {
  return texts_.emplace_back(std::move(text));
}

CatalogueFile& MadeUpDataset::add(std::string name, std::string_view contents) {
  const Bytes bytes = Bytes::from_string(std::string(contents), name);
  CatalogueFile& file = add_unknown(std::move(name));
  file.size = bytes.size();
  file.sha256 = keep(sha256(bytes));
  return file;
}

CatalogueFile& MadeUpDataset::add_unknown(std::string name) {
  return files_.emplace_back(CatalogueFile{.name = keep(std::move(name))});
}

CatalogueFile& MadeUpDataset::add_archive(std::string name,
                                          const std::vector<std::string>& members) {
  std::vector<std::string_view>& list = lists_.emplace_back();
  for (const std::string& member : members) list.push_back(keep(member));
  CatalogueFile& file = add_unknown(std::move(name));
  file.members = list;
  return file;
}

CatalogueEntry MadeUpDataset::entry() const {
  return {.name = "made-up",
          .title = "Made up",
          .folder = "made_up",
          .base_url = base_url_,
          .files = files_,
          .licence = "none",
          .transforms = transforms,
          .protocol = "public"};
}

std::string noise(std::size_t size) {
  RandomStream stream(1, Purpose::test);
  std::string text;
  text.reserve(size + sizeof(std::uint64_t));
  while (text.size() < size) {
    const std::uint64_t bits = stream.bits64();
    text.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  }
  text.resize(size);
  return text;
}

}  // namespace creg::test
