// Getting datasets without a network: from a folder, and out of archives.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "io/catalogue/http_transfer.h"
#include "io/checksum.h"
#include "io/containers/zip.h"
#include "io/download.h"
#include "support/expect_error.h"
#include "support/made_up_dataset.h"
#include "support/temp_dir.h"
#include "support/zip_builder.h"

namespace creg::download_mirror_test {
namespace {

using Names = std::vector<std::string>;

class FolderMirror : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!sha256_available()) GTEST_SKIP() << "this build has no OpenSSL";
  }
  GetOptions options() const { return {.data_dir = data_.path(), .mirror = mirror_.path()}; }
  GetReport get() const { return get_dataset(Context(), dataset_.entry(), options()); }
  Names folder() const {
    Names names;
    if (!std::filesystem::exists(data_ / "made_up")) return names;
    for (const auto& entry : std::filesystem::directory_iterator(data_ / "made_up")) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string text(const std::string& name) const {
    return test::read_text(data_ / "made_up" / name);
  }

  const test::TempDir mirror_;
  const test::TempDir data_;
  const std::string contents_ = test::noise(1'200'000);  // more than is copied at a time
  test::MadeUpDataset dataset_;
};

TEST_F(FolderMirror, IsCopiedAndVerified) {
  dataset_.add("a", contents_);
  dataset_.add("b", "hello");
  mirror_.write("made_up/a", contents_);
  mirror_.write("b", "hello");
  data_.write("made_up/a.part", "what somebody left");
  const GetReport report = get();
  EXPECT_EQ(report.files[0].outcome, GetOutcome::fetched);
  EXPECT_EQ(report.files[0].bytes, 1'200'000);
  EXPECT_TRUE(report.files[0].verified);
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(text("b"), "hello");
  EXPECT_EQ(folder(), (Names{"a", "b"}));
  for (const GetFile& file : get().files) EXPECT_EQ(file.outcome, GetOutcome::already_there);
}

TEST_F(FolderMirror, MayBeWrittenAsAnAddress) {
  dataset_.add("b", "hello");
  mirror_.write("b", "hello");
  GetOptions options = this->options();
  options.mirror = "file://" + mirror_.path().string() + "/";
  get_dataset(Context(), dataset_.entry(), options);
  EXPECT_EQ(text("b"), "hello");
}

TEST_F(FolderMirror, WithoutTheFileSaysWhereItLooked) {
  dataset_.add("a", contents_);
  test::expect_error([&] { get(); }, {mirror_.path().string(), "nobody has a",
                                      (mirror_ / "made_up/a").string(), (mirror_ / "a").string()});
  EXPECT_EQ(folder(), Names{});
}

TEST_F(FolderMirror, WithWrongBytesLeavesNothing) {
  const std::string sum(dataset_.add("a", "hello").sha256);
  mirror_.write("a", "hellO");
  test::expect_error([&] { get(); }, {(mirror_ / "a").string(), "found SHA-256", sum});
  EXPECT_EQ(folder(), Names{});
}

TEST_F(FolderMirror, WithMoreBytesThanTheCatalogueSaysIsNotCopied) {
  dataset_.add("a", "hello");
  mirror_.write("a", contents_);
  test::expect_error([&] { get(); },
                     {(mirror_ / "a").string(), "found 1,200,000 bytes", "expected 5 bytes"});
  EXPECT_EQ(folder(), Names{});
}

TEST_F(FolderMirror, NothingIsWrittenThroughASymbolicLink) {
  dataset_.add("a", "hello");
  mirror_.write("a", "hello");
  const std::filesystem::path precious = data_.write("precious", "mine");
  std::filesystem::create_directory(data_ / "made_up");
  for (const char* name : {"a", "a.part", "a.part.etag"}) {
    const std::filesystem::path link = data_ / "made_up" / name;
    for (const std::filesystem::path& target : {precious, data_ / "not there"}) {
      std::filesystem::create_symlink(target, link);
      test::expect_error([&] { get(); }, {link.string(), "symbolic link", "--data-dir"});
      EXPECT_TRUE(std::filesystem::is_symlink(link));
      std::filesystem::remove(link);
    }
  }
  std::filesystem::create_symlink(precious, data_ / "made_up/.creg-lock");
  test::expect_error([&] { get(); }, {".creg-lock"}, ErrorKind::environment);
  std::filesystem::remove(data_ / "made_up/.creg-lock");
  EXPECT_EQ(test::read_text(precious), "mine");
  EXPECT_FALSE(std::filesystem::exists(data_ / "not there"));
  // A link to the right bytes is read, not written.
  std::filesystem::create_symlink(mirror_ / "a", data_ / "made_up/a");
  EXPECT_EQ(get().files[0].outcome, GetOutcome::already_there);
}

TEST_F(FolderMirror, NothingIsWrittenIntoAFolderThatIsALink) {
  dataset_.add("a", "hello");
  mirror_.write("a", "hello");
  std::filesystem::create_directory(data_ / "victim");
  std::filesystem::create_directory_symlink(data_ / "victim", data_ / "made_up");
  test::expect_error([&] { get(); }, {(data_ / "made_up").string(), "symbolic link"});
  EXPECT_TRUE(std::filesystem::is_empty(data_ / "victim"));
  // What is whole behind it is read.
  data_.write("victim/a", "hello");
  EXPECT_EQ(get().files[0].outcome, GetOutcome::already_there);
}

TEST_F(FolderMirror, AMemberIsNotUnpackedThroughASymbolicLink) {
  dataset_.add_archive("packed.zip", {"inside"});
  mirror_.write("packed.zip", test::build_zip({{.name = "inside", .contents = "new"}}));
  const std::filesystem::path precious = data_ / "precious";
  std::filesystem::create_directory(data_ / "made_up");
  std::filesystem::create_symlink(precious, data_ / "made_up/inside");
  test::expect_error([&] { get(); }, {(data_ / "made_up/inside").string(), "symbolic link"});
  EXPECT_FALSE(std::filesystem::exists(precious));
}

TEST_F(FolderMirror, MustBeAFolderOrAnHttpAddress) {
  dataset_.add("a", "hello");
  GetOptions options = this->options();
  options.mirror = "ftp://example.org/data";
  test::expect_error([&] { get_dataset(Context(), dataset_.entry(), options); },
                     {"--mirror", "ftp://example.org/data", "http:// or https://"});
  options.mirror = mirror_ / "none";
  test::expect_error([&] { get_dataset(Context(), dataset_.entry(), options); },
                     {"--mirror", "no such folder"});
}

TEST_F(FolderMirror, AFullDiskKeepsThePart) {
  dataset_.add("a", contents_);
  mirror_.write("a", contents_);
  // A limit on file size fails the write as a full disk does.
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 1 << 20, .rlim_max = old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  test::expect_error([&] { get(); }, {"a.part", "cannot write", "stays there", "--data-dir"},
                     ErrorKind::environment);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, previous);
  EXPECT_EQ(folder(), Names{"a.part"});
  get();
  EXPECT_EQ(text("a"), contents_);
}

TEST_F(FolderMirror, SaysWhenTheDataFolderCannotBeMade) {
  dataset_.add("a", "hello");
  mirror_.write("a", "hello");
  GetOptions options = this->options();
  options.data_dir = data_.write("a file", "");
  test::expect_error([&] { get_dataset(Context(), dataset_.entry(), options); },
                     {"cannot make this folder", "--data-dir"}, ErrorKind::environment);
}

TEST_F(FolderMirror, UnpacksAnArchiveAndRemovesIt) {
  dataset_.add_archive("packed.zip", {"data.npz", "graph.npz"});
  mirror_.write("packed.zip",
                test::build_zip({{.name = "folder/graph.npz", .contents = "the graph"},
                                 {.name = "other", .contents = "not wanted"},
                                 {.name = "data.npz", .contents = contents_, .deflate = true}}));
  const GetReport report = get();
  ASSERT_EQ(report.files.size(), 3U);
  EXPECT_EQ(report.files[0].name, "packed.zip");
  EXPECT_EQ(report.files[1].name, "data.npz");
  EXPECT_EQ(report.files[1].outcome, GetOutcome::unpacked);
  EXPECT_EQ(report.files[1].bytes, 1'200'000);
  EXPECT_EQ(text("data.npz"), contents_);
  EXPECT_EQ(text("graph.npz"), "the graph");
  EXPECT_EQ(folder(), (Names{"data.npz", "graph.npz"}));
  for (const GetFile& file : get().files) EXPECT_EQ(file.outcome, GetOutcome::already_there);
}

TEST_F(FolderMirror, UnpacksAnArchiveThatIsThereAlready) {
  dataset_.add_archive("packed.zip", {"data.npz"});
  std::filesystem::create_directories(data_ / "made_up");
  ZipWriter zip(data_ / "made_up/packed.zip");
  zip.add("data.npz", "data");
  zip.commit();
  const GetReport report = get();
  EXPECT_EQ(report.files[0].outcome, GetOutcome::already_there);
  EXPECT_EQ(text("data.npz"), "data");
}

TEST_F(FolderMirror, ADamagedArchiveGivesNoMember) {
  dataset_.add_archive("packed.zip", {"data.npz"});
  ZipWriter zip(mirror_ / "packed.zip");
  zip.add("data.npz", contents_);
  zip.commit();
  std::string bytes = test::read_text(mirror_ / "packed.zip");
  bytes[1'000'000] = static_cast<char>(bytes[1'000'000] ^ 1);
  mirror_.write("packed.zip", bytes);
  test::expect_error([&] { get(); }, {"packed.zip", "data.npz", "CRC-32", "remove "});
  EXPECT_EQ(folder(), Names{"packed.zip"});
  mirror_.write("packed.zip", "not an archive");
  std::filesystem::remove(data_ / "made_up/packed.zip");
  test::expect_error([&] { get(); }, {"packed.zip", "remove "});
}

TEST_F(FolderMirror, AnArchiveWithoutTheMemberSaysSo) {
  dataset_.add_archive("packed.zip", {"data.npz"});
  ZipWriter zip(mirror_ / "packed.zip");
  zip.add("metadata.npz", "x");
  zip.commit();
  test::expect_error([&] { get(); }, {"packed.zip", "lacks a member", "data.npz"});
}

TEST_F(FolderMirror, IsTheOnlyWayWithoutLibcurl) {
  if (http_available()) GTEST_SKIP() << "this build has libcurl";
  dataset_.add("a", "hello");
  GetOptions options = this->options();
  options.mirror.clear();
  test::expect_error([&] { get_dataset(Context(), dataset_.entry(), options); },
                     {"no libcurl", "--mirror DIR"}, ErrorKind::environment);
  EXPECT_EQ(folder(), Names{});
}

TEST_F(FolderMirror, MayHaveTheMembersThemselves) {
  dataset_.add_archive("packed.zip", {"data.npz", "graph.npz"});
  mirror_.write("made_up/data.npz", "data");
  test::expect_error([&] { get(); }, {"nobody has packed.zip", "packed.zip", "graph.npz"});
  mirror_.write("made_up/graph.npz", "graph");
  get();
  EXPECT_EQ(text("data.npz"), "data");
  EXPECT_EQ(text("graph.npz"), "graph");
  EXPECT_EQ(folder(), (Names{"data.npz", "graph.npz"}));
}

}  // namespace
}  // namespace creg::download_mirror_test
