#include "io/data_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "io/checksum.h"
#include "support/expect_error.h"
#include "support/made_up_dataset.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::data_folder_test {
namespace {

using Names = std::vector<std::string>;

/// Sets or unsets a variable until the end of the test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }
  const char* name_;
  std::optional<std::string> old_;
};

TEST(DataFolder, IsTheFlagThenTheVariableThenTheCache) {
  const Variable data("CREG_DATA", "/data");
  const Variable cache("XDG_CACHE_HOME", "/cache");
  const Variable home("HOME", "/home/someone");
  EXPECT_EQ(data_folder("/flag"), "/flag");
  EXPECT_EQ(data_folder(), "/data");
  const Variable no_data("CREG_DATA", "");
  EXPECT_EQ(data_folder(), "/cache/creg");
  const Variable no_cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(data_folder(), "/home/someone/.cache/creg");
  const Variable no_home("HOME", nullptr);
  test::expect_error([] { data_folder(); }, {"CREG_DATA", "--data-dir"}, ErrorKind::environment);
}

TEST(CheckFile, TellsRightFromWrong) {
  if (!sha256_available()) GTEST_SKIP() << "this build has no OpenSSL";
  const test::TempDir dir;
  test::MadeUpDataset data;
  CatalogueFile file = data.add("a", "hello");
  EXPECT_EQ(check_file(file, dir / "a").state, FileState::missing);
  EXPECT_EQ(check_file(file, dir.path()).state, FileState::missing);
  dir.write("a", "hello");
  EXPECT_EQ(check_file(file, dir / "a").state, FileState::right);
  dir.write("a", "hellO");
  const FileCheck other = check_file(file, dir / "a");
  EXPECT_EQ(other.state, FileState::wrong);
  EXPECT_EQ(other.expected,
            "SHA-256 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
  EXPECT_TRUE(other.found.starts_with("SHA-256 "));
  dir.write("a", "hell");
  const FileCheck shorter = check_file(file, dir / "a");
  EXPECT_EQ(shorter.state, FileState::wrong);
  EXPECT_EQ(shorter.found, "4 bytes");
  EXPECT_EQ(shorter.expected, "5 bytes");
}

TEST(CheckFile, TakesAGitBlobWhereThereIsNoSha256) {
  if (!sha256_available()) GTEST_SKIP() << "this build has no OpenSSL";
  const test::TempDir dir;
  // What `git hash-object` prints for a file that holds "hello".
  const CatalogueFile file{.name = "a", .git_blob = "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"};
  EXPECT_EQ(check_file(file, dir.write("a", "hello")).state, FileState::right);
  const FileCheck other = check_file(file, dir.write("a", "hellO"));
  EXPECT_EQ(other.state, FileState::wrong);
  EXPECT_EQ(other.expected, "git hash-object b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0");
}

TEST(CheckFile, WithoutAChecksumOnlyTheSizeCounts) {
  const test::TempDir dir;
  const auto path = dir.write("a", "hello");
  EXPECT_EQ(check_file({.name = "a"}, path).state, FileState::unchecked);
  EXPECT_EQ(check_file({.name = "a", .size = 5}, path).state, FileState::unchecked);
  EXPECT_EQ(check_file({.name = "a", .size = 6}, path).state, FileState::wrong);
}

TEST(MissingFiles, CountsMembersAndAcceptsWhatIsUnpacked) {
  if (!sha256_available()) GTEST_SKIP() << "this build has no OpenSSL";
  const test::TempDir dir;
  test::MadeUpDataset data;
  data.add("plain", "x");
  data.add_archive("packed.zip", {"m1", "m2"});
  data.add_unknown("read.zip").unpacked_sign = "raw/sign";
  EXPECT_EQ(missing_files(data.entry(), dir.path()), (Names{"plain", "m1", "m2", "read.zip"}));
  dir.write("m1", "");
  dir.write("raw/sign", "");
  EXPECT_EQ(missing_files(data.entry(), dir.path()), (Names{"plain", "m2"}));
  dir.write("plain", "");
  dir.write("m2", "");
  EXPECT_EQ(missing_files(data.entry(), dir.path()), Names{});
}

TEST(RequireDataset, SaysWhatIsMissingAndWhatToDo) {
  if (!sha256_available()) GTEST_SKIP() << "this build has no OpenSSL";
  const test::TempDir dir;
  test::MadeUpDataset data("https://example.org/data/");
  data.add("a.txt", "hello");
  data.add_unknown("b.txt");
  dir.write("made_up/b.txt", "");
  test::expect_error([&] { require_dataset(data.entry(), dir.path()); },
                     {(dir / "made_up").string(), "'made-up' is not complete", "a.txt is missing",
                      "creg data get made-up", "--mirror DIR", "https://example.org/data/a.txt",
                      "SHA-256 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"});
  try {
    require_dataset(data.entry(), dir.path());
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("b.txt"), std::string::npos) << error.what();
  }
}

TEST(RequireDataset, GivesTheFileOrTheFolder) {
  const test::TempDir dir;
  test::MadeUpDataset one;
  one.add_unknown("a.zip").unpacked_sign = "raw/sign";
  dir.write("made_up/raw/sign", "");
  EXPECT_EQ(require_dataset(one.entry(), dir.path()), dir / "made_up");
  dir.write("made_up/a.zip", "");
  EXPECT_EQ(require_dataset(one.entry(), dir.path()), dir.path() / "made_up" / "a.zip");
  test::MadeUpDataset members;
  members.add_archive("packed.zip", {"m1"});
  dir.write("made_up/m1", "");
  EXPECT_EQ(require_dataset(members.entry(), dir.path()), dir / "made_up");
}

TEST(VerifyDataset, NamesTheWrongFileAndBothDigests) {
  if (!sha256_available()) GTEST_SKIP() << "this build has no OpenSSL";
  const test::TempDir dir;
  test::MadeUpDataset data;
  data.add("a", "hello");
  test::expect_error([&] { verify_dataset(Context(), data.entry(), dir.path()); },
                     {"files are missing", "no a"});
  dir.write("a", "hello");
  verify_dataset(Context(), data.entry(), dir.path());
  dir.write("a", "hellO");
  test::expect_error(
      [&] { verify_dataset(Context(), data.entry(), dir.path()); },
      {(dir / "a").string(), "not the bytes of dataset 'made-up'",
       "found SHA-256 04a6f55face2f46be8c23f627d539827615851e10751b63ec59db6d2c706b770",
       "expected SHA-256 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
       "creg data get made-up"});
}

TEST(Identify, KnowsNothingOfOtherFiles) {
  const test::TempDir dir;
  EXPECT_EQ(identify(Context(), dir.path()), nullptr);
  EXPECT_EQ(identify(Context(), dir.write("cora.npz", "not it")), nullptr);
  EXPECT_EQ(identify(Context(), dir.write("ind.cora.x", "not it")), nullptr);
  EXPECT_EQ(identify(Context(), dir / "missing"), nullptr);
}

TEST(IdentifyRealData, KnowsFoldersAndFilesByTheirBytes) {
  if (!sha256_available()) GTEST_SKIP() << "this build has no OpenSSL";
  CREG_REQUIRE_REAL_DATA(data);
  const Context context;
  const auto name = [&](const std::filesystem::path& path) {
    const CatalogueEntry* entry = identify(context, path);
    return entry == nullptr ? std::string("none") : std::string(entry->name);
  };
  EXPECT_EQ(name(data / "cora"), "cora");
  EXPECT_EQ(name(data / "cora" / "ind.cora.graph"), "cora");
  EXPECT_EQ(name(data / "citeseer_npz"), "citeseer-directed");
  EXPECT_EQ(name(data / "pubmed"), "none");
  EXPECT_EQ(name(data), "none");
  // Under another name, and with one bit changed.
  const test::TempDir dir;
  std::string bytes = test::read_text(data / "cora_ml" / "cora_ml.npz");
  EXPECT_EQ(name(dir.write("mine.npz", bytes)), "cora-ml");
  bytes[1000] = static_cast<char>(bytes[1000] ^ 1);
  EXPECT_EQ(name(dir.write("mine.npz", bytes)), "none");
}

TEST(VerifyRealData, EveryDatasetHereIsRightAndPubmedLacksOneFile) {
  CREG_REQUIRE_REAL_DATA(data);
  const Context context;
  for (const char* name : {"cora", "citeseer", "wiki", "computers", "photo", "cora-ml",
                           "citeseer-directed", "cora-npz"}) {
    const CatalogueEntry& entry = dataset_by_name(name);
    verify_dataset(context, entry, dataset_folder(entry, data));
  }
  test::expect_error(
      [&] { require_dataset(dataset_by_name("pubmed"), data); },
      {"pubmed", "ind.pubmed.allx is missing", "creg data get pubmed", "--mirror DIR",
       "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.allx",
       "git hash-object 3b86bccf08111c37c632a9dd8ab63db25ea76361"});
}

}  // namespace
}  // namespace creg::data_folder_test
