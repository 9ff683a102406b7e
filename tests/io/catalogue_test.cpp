#include "io/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "graph/transforms.h"
#include "io/file.h"
#include "io/formats/formats.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::catalogue_test {
namespace {

using Names = std::vector<std::string>;

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_a_format(std::string_view name) {
  const std::span<const GraphFormat> formats = graph_formats();
  return std::any_of(formats.begin(), formats.end(),
                     [&](const GraphFormat& format) { return format.name == name; });
}

TEST(Catalogue, HasTheDocumentedNames) {
  EXPECT_EQ(dataset_names(), (Names{"cora", "citeseer", "pubmed", "wiki", "computers", "photo",
                                    "cora-ml", "citeseer-directed", "cora-npz", "arxiv", "products",
                                    "reddit", "wikics", "cs", "physics"}));
}

TEST(Catalogue, EntriesAreComplete) {
  std::set<std::string_view> folders;
  for (const CatalogueEntry& entry : catalogue()) {
    SCOPED_TRACE(entry.name);
    EXPECT_FALSE(entry.title.empty());
    EXPECT_FALSE(entry.licence.empty());
    EXPECT_TRUE(folders.insert(entry.folder).second) << "two datasets in one folder";
    EXPECT_EQ(entry.folder.find('/'), std::string_view::npos);
    EXPECT_TRUE(entry.base_url.starts_with("https://") || entry.base_url.starts_with("http://"));
    EXPECT_TRUE(entry.base_url.ends_with("/"));
    EXPECT_TRUE(is_a_format(entry.format)) << entry.format;
    EXPECT_FALSE(entry.transforms.empty());
    for (const std::string_view transform : entry.transforms) {
      EXPECT_TRUE(contains(transform_names(), transform)) << transform;
    }
    EXPECT_GT(entry.figures.nodes, 0);
    ASSERT_FALSE(entry.files.empty());
    std::set<std::string_view> names;
    for (const CatalogueFile& file : entry.files) {
      SCOPED_TRACE(file.name);
      EXPECT_TRUE(names.insert(file.name).second) << "listed twice";
      EXPECT_EQ(file.name.find('/'), std::string_view::npos);
      if (!file.sha256.empty()) {
        EXPECT_TRUE(is_hex(file.sha256, 64));
        EXPECT_GT(file.size, 0) << "a file with a checksum has a size";
      }
      EXPECT_TRUE(file.git_blob.empty() || is_hex(file.git_blob, 40));
    }
  }
}

TEST(Catalogue, NoTwoFilesShareAChecksum) {
  std::set<std::string_view> sums;
  for (const CatalogueEntry& entry : catalogue()) {
    for (const CatalogueFile& file : entry.files) {
      EXPECT_TRUE(file.sha256.empty() || sums.insert(file.sha256).second) << file.name;
    }
  }
}

TEST(Catalogue, DefaultsAreTheDocumentedOnes) {
  const auto transforms = [](std::string_view name) {
    const auto list = dataset_by_name(name).transforms;
    return Names(list.begin(), list.end());
  };
  for (const char* name :
       {"cora", "citeseer", "pubmed", "cora-npz", "arxiv", "products", "reddit"}) {
    EXPECT_EQ(transforms(name), (Names{"symmetrise", "remove-duplicates", "remove-self-loops"}))
        << name;
  }
  for (const char* name : {"computers", "photo", "cs", "physics"}) {
    EXPECT_EQ(transforms(name),
              (Names{"binarise", "symmetrise", "remove-duplicates", "remove-self-loops"}))
        << name;
  }
  EXPECT_EQ(transforms("wiki"),
            (Names{"column-max", "symmetrise", "remove-duplicates", "remove-self-loops"}));
  for (const char* name : {"cora-ml", "citeseer-directed", "wikics"}) {
    EXPECT_FALSE(contains(dataset_by_name(name).transforms, "symmetrise")) << name;
  }
  std::map<std::string, std::set<std::string>> by_protocol;
  for (const CatalogueEntry& entry : catalogue()) {
    by_protocol[std::string(entry.protocol)].emplace(entry.name);
  }
  EXPECT_EQ(by_protocol["public"],
            (std::set<std::string>{"cora", "citeseer", "pubmed", "reddit", "wikics"}));
  EXPECT_EQ(by_protocol["ogb"], (std::set<std::string>{"arxiv", "products"}));
  EXPECT_EQ(by_protocol["per-class-20-30"].size(), 8U);
  EXPECT_EQ(by_protocol.size(), 3U);
}

TEST(Catalogue, FindsByName) {
  ASSERT_NE(find_dataset("citeseer-directed"), nullptr);
  EXPECT_EQ(find_dataset("citeseer-directed")->folder, "citeseer_npz");
  EXPECT_EQ(find_dataset("Cora"), nullptr);
  EXPECT_EQ(find_dataset(""), nullptr);
  EXPECT_EQ(&dataset_by_name("photo"), find_dataset("photo"));
}

TEST(Catalogue, SuggestsForUnknownNames) {
  test::expect_error([] { dataset_by_name("pubmd"); },
                     {"--dataset", "unknown dataset", "pubmd", "did you mean pubmed?"});
  test::expect_error([] { dataset_by_name("zzzzzzzz"); },
                     {"known: cora, citeseer", "physics", "synthetic:NAME", "path"});
}

TEST(Catalogue, AddressesAreBaseAndName) {
  const CatalogueEntry& cora = dataset_by_name("cora");
  EXPECT_EQ(file_url(cora, cora.files[0]),
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.allx");
}

TEST(Catalogue, ThePageIsFresh) {
  const std::filesystem::path page = test::source_dir() / "docs" / "datasets.md";
  if (std::getenv("CREG_REWRITE_DOCS") != nullptr) write_file(page, catalogue_markdown());
  EXPECT_EQ(test::read_text(page), catalogue_markdown())
      << "docs/datasets.md is stale: run the tests once with CREG_REWRITE_DOCS=1";
}

TEST(CatalogueRealData, HoldsEveryChecksumOfTheBenchmarkFiles) {
  CREG_REQUIRE_REAL_DATA(data);
  std::ifstream sums(data / "SHA256SUMS");
  int lines = 0;
  for (std::string sum, path; sums >> sum >> path; ++lines) {
    SCOPED_TRACE(path);
    const std::string folder = path.substr(0, path.find('/'));
    const std::string name = path.substr(path.find('/') + 1);
    int matches = 0;
    for (const CatalogueEntry& entry : catalogue()) {
      for (const CatalogueFile& file : entry.files) {
        if (entry.folder != folder || file.name != name) continue;
        ++matches;
        EXPECT_EQ(file.sha256, sum);
        EXPECT_EQ(file.size, static_cast<std::int64_t>(std::filesystem::file_size(data / path)));
      }
    }
    EXPECT_EQ(matches, 1);
  }
  EXPECT_EQ(lines, 31);
}

}  // namespace
}  // namespace creg::catalogue_test
