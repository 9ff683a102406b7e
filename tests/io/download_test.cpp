// Getting datasets from a real HTTP server on the loopback interface, which fails to order.
#include "io/download.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "io/catalogue/http_transfer.h"
#include "io/checksum.h"
#include "io/data_folder.h"
#include "support/expect_error.h"
#include "support/http_server.h"
#include "support/made_up_dataset.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace creg::download_test {
namespace {

using Names = std::vector<std::string>;

class RecordingLog : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view message) override {
    const std::lock_guard guard(mutex_);
    text_.append(message).append("\n");
  }
  std::string text() const {
    const std::lock_guard guard(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

class Download : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!http_available()) GTEST_SKIP() << "this build has no libcurl";
    if (!sha256_available()) GTEST_SKIP() << "this build has no OpenSSL";
    // A proxy of this machine does not know our loopback server.
    setenv("no_proxy", "*", 1);
  }

  GetOptions options() const {
    return {.data_dir = data_.path(), .retries = 3, .retry_wait_seconds = 0.001};
  }
  GetReport get(const test::MadeUpDataset& dataset) const { return get(dataset, options()); }
  static GetReport get(const test::MadeUpDataset& dataset, const GetOptions& options) {
    return get_dataset(Context(), dataset.entry(), options);
  }
  /// Everything in the dataset's folder.
  Names folder() const {
    Names names;
    for (const auto& entry : std::filesystem::directory_iterator(data_ / "made_up")) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string text(const std::string& name) const {
    return test::read_text(data_ / "made_up" / name);
  }
  Names ranges() const {
    Names ranges;
    for (const auto& request : server_.requests()) ranges.push_back(request.range);
    return ranges;
  }

  const test::TempDir served_;
  const test::TempDir data_;
  test::HttpServer server_{served_.path()};
  const std::string contents_ = test::noise(10'000);
  test::MadeUpDataset dataset_{server_.url() + "/"};
};

TEST_F(Download, FetchesVerifiesAndReports) {
  dataset_.add("a", contents_);
  dataset_.add("b", "hello");
  dataset_.add("empty", "");
  served_.write("a", contents_);
  served_.write("b", "hello");
  served_.write("empty", "");
  const GetReport report = get(dataset_);
  EXPECT_EQ(report.folder, data_ / "made_up");
  ASSERT_EQ(report.files.size(), 3U);
  EXPECT_EQ(report.files[0].name, "a");
  EXPECT_EQ(report.files[0].outcome, GetOutcome::fetched);
  EXPECT_EQ(report.files[0].bytes, 10'000);
  EXPECT_GE(report.files[0].seconds, 0);
  EXPECT_TRUE(report.files[0].verified);
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(text("b"), "hello");
  EXPECT_EQ(folder(), (Names{"a", "b", "empty"}));
}

TEST_F(Download, FollowsRedirects) {
  test::MadeUpDataset moved(server_.url() + "/moved/");
  moved.add("a", contents_);
  served_.write("a", contents_);
  get(moved);
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(server_.requests().size(), 2U);
}

TEST_F(Download, WhatIsThereAndRightIsNotFetchedAgain) {
  dataset_.add("a", contents_);
  dataset_.add_unknown("b");
  dataset_.add_unknown("c").size = 5;
  dataset_.add_unknown("d.zip").unpacked_sign = "raw/sign";
  data_.write("made_up/a", contents_);
  data_.write("made_up/b", "anything");
  data_.write("made_up/c", "12345");
  data_.write("made_up/raw/sign", "");
  const GetReport report = get(dataset_);
  ASSERT_EQ(report.files.size(), 4U);
  for (const GetFile& file : report.files) {
    EXPECT_EQ(file.outcome, GetOutcome::already_there) << file.name;
    EXPECT_EQ(file.verified, file.name == "a") << file.name;
    EXPECT_EQ(file.bytes, 0);
  }
  EXPECT_EQ(server_.requests().size(), 0U);
  EXPECT_EQ(folder(), (Names{"a", "b", "c", "raw"}));
}

TEST_F(Download, AWrongFileIsReplacedByARightOneOrStays) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  data_.write("made_up/a", "old");
  server_.set_faults({.wrong_bytes = true});
  test::expect_error([&] { get(dataset_); }, {"not the bytes"}, ErrorKind::environment);
  EXPECT_EQ(text("a"), "old");
  server_.set_faults({});
  EXPECT_EQ(get(dataset_).files[0].outcome, GetOutcome::fetched);
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(folder(), Names{"a"});
}

TEST_F(Download, AFileOfTheWrongSizeIsFetchedAgain) {
  dataset_.add_unknown("a").size = 5;
  served_.write("a", "right");
  data_.write("made_up/a", "old");
  EXPECT_FALSE(get(dataset_).files[0].verified);
  EXPECT_EQ(text("a"), "right");
}

TEST_F(Download, WrongBytesLeaveNothing) {
  const std::string sum(dataset_.add("a", contents_).sha256);
  served_.write("a", contents_);
  server_.set_faults({.wrong_bytes = true});
  test::expect_error([&] { get(dataset_); },
                     {server_.url() + "/a", "not the bytes of dataset 'made-up'", "found SHA-256 ",
                      "expected SHA-256 " + sum, "nothing of it was kept"},
                     ErrorKind::environment);
  EXPECT_EQ(folder(), Names{});
}

TEST_F(Download, GoesOnFromAPart) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  data_.write("made_up/a.part", contents_.substr(0, 4'000));
  const GetReport report = get(dataset_);
  EXPECT_EQ(report.files[0].outcome, GetOutcome::resumed);
  EXPECT_EQ(report.files[0].bytes, 6'000);
  EXPECT_EQ(ranges(), Names{"bytes=4000-"});
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(folder(), Names{"a"});
}

TEST_F(Download, APartThatIsWholeNeedsNoNetwork) {
  dataset_.add("a", contents_);
  data_.write("made_up/a.part", contents_);
  EXPECT_EQ(get(dataset_).files[0].outcome, GetOutcome::resumed);
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(server_.requests().size(), 0U);
}

TEST_F(Download, APartOfSomethingElseIsFetchedWhole) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  data_.write("made_up/a.part", std::string(4'000, 'x'));
  get(dataset_);
  EXPECT_EQ(ranges(), (Names{"bytes=4000-", ""}));
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(folder(), Names{"a"});
}

TEST_F(Download, APartThatIsTooLongIsFetchedWhole) {
  dataset_.add("a", contents_);
  dataset_.add_unknown("b");
  served_.write("a", contents_);
  served_.write("b", "short");
  data_.write("made_up/a.part", std::string(20'000, 'x'));
  data_.write("made_up/b.part", std::string(20'000, 'x'));
  get(dataset_);
  // Of `a` the size is known; of `b` the server has to say that there is nothing at that place.
  EXPECT_EQ(ranges(), (Names{"", "bytes=20000-", ""}));
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(text("b"), "short");
}

TEST_F(Download, AWholePartOfUnknownSizeIsRecognised) {
  dataset_.add_unknown("a");
  served_.write("a", contents_);
  data_.write("made_up/a.part", contents_);
  EXPECT_EQ(get(dataset_).files[0].outcome, GetOutcome::resumed);
  EXPECT_EQ(ranges(), Names{"bytes=10000-"});
  EXPECT_EQ(text("a"), contents_);
}

TEST_F(Download, GoesOnWhenCutOff) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  // More cuts than tries: each try brings something, so none counts as lost.
  server_.set_faults({.cuts = 6, .cut_after = 1'500});
  EXPECT_EQ(get(dataset_).files[0].bytes, 10'000);
  EXPECT_EQ(ranges(), (Names{"", "bytes=1500-", "bytes=3000-", "bytes=4500-", "bytes=6000-",
                             "bytes=7500-", "bytes=9000-"}));
  EXPECT_EQ(text("a"), contents_);
}

TEST_F(Download, StartsAgainWhenCutOffByAServerWithoutRanges) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  server_.set_faults({.ranges = false, .cuts = 1, .cut_after = 4'000});
  EXPECT_EQ(get(dataset_).files[0].bytes, 14'000);
  EXPECT_EQ(ranges(), (Names{"", "bytes=4000-"}));
  EXPECT_EQ(text("a"), contents_);
}

TEST_F(Download, GivesUpWhenNothingNewComesAndKeepsThePart) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  server_.set_faults({.ranges = false, .cuts = 1'000, .cut_after = 4'000});
  test::expect_error(
      [&] { get(dataset_); },
      {server_.url() + "/a", "cannot download", "3.9 KiB that came are kept", "a.part"},
      ErrorKind::environment);
  EXPECT_EQ(server_.requests().size(), 4U);
  EXPECT_EQ(folder(), Names{"a.part"});
  EXPECT_EQ(text("a.part"), contents_.substr(0, 4'000));
}

TEST_F(Download, DropsAStalledConnection) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  server_.set_faults({.cut_after = 4'000, .stalls = 1});
  GetOptions options = this->options();
  options.stall_seconds = 0.2;
  get(dataset_, options);
  const Names asked = ranges();
  EXPECT_EQ(asked.front(), "");
  EXPECT_EQ(asked.back(), "bytes=4000-");
  EXPECT_EQ(text("a"), contents_);
}

TEST_F(Download, WaitsForAServerInTrouble) {
  dataset_.add_unknown("a");
  served_.write("a", contents_);
  server_.set_faults({.refusals = 3, .refusal_status = 503});
  const auto log = std::make_shared<RecordingLog>();
  get_dataset(Context({.log = log}), dataset_.entry(), options());
  EXPECT_NE(log->text().find("the server answered with status 503; trying again in 1 ms (1 of 3)"),
            std::string::npos)
      << log->text();
  EXPECT_NE(log->text().find("a: no checksum is known for it, so it was not verified"),
            std::string::npos)
      << log->text();
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(server_.requests().size(), 4U);
}

TEST_F(Download, GivesUpOnAServerThatStaysInTrouble) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  server_.set_faults({.refusals = 1'000, .refusal_status = 500});
  test::expect_error([&] { get(dataset_); },
                     {server_.url() + "/a", "the server answered with status 500", "--mirror"},
                     ErrorKind::environment);
  EXPECT_EQ(server_.requests().size(), 4U);
  EXPECT_EQ(folder(), Names{});
}

TEST_F(Download, AnErrorPageIsNeverPartOfTheFile) {
  dataset_.add_unknown("a");
  served_.write("a", contents_);
  data_.write("made_up/a.part", contents_.substr(0, 4'000));
  server_.set_faults({.refusals = 1, .refusal_status = 502});
  get(dataset_);
  EXPECT_EQ(text("a"), contents_);
}

TEST_F(Download, SaysWhenTheFileIsNotThere) {
  dataset_.add("a", contents_);
  test::expect_error([&] { get(dataset_); },
                     {"'made-up': nobody has a", server_.url() + "/a (status 404)", "--mirror"},
                     ErrorKind::environment);
  EXPECT_EQ(server_.requests().size(), 1U);
  server_.set_faults({.refusals = 1, .refusal_status = 403});
  test::expect_error([&] { get(dataset_); }, {"(status 403)"}, ErrorKind::environment);
  EXPECT_EQ(folder(), Names{});
}

TEST_F(Download, SaysWhenNobodyListens) {
  test::MadeUpDataset nowhere(test::refused_url() + "/");
  nowhere.add("a", contents_);
  GetOptions options = this->options();
  // No machine comes online while we wait: a retry would show as a test that never ends.
  options.retry_wait_seconds = 1e6;
  test::expect_error([&] { get(nowhere, options); },
                     {"cannot download", "is this machine online?", "--mirror DIR"},
                     ErrorKind::environment);
  EXPECT_EQ(folder(), Names{});
}

TEST_F(Download, SurvivesAWrongContentLength) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  // Too long: the connection ends early, and then the server has nothing more to give.
  server_.set_faults({.length_error = 100});
  get(dataset_);
  EXPECT_EQ(text("a"), contents_);
  // Too short: what came is not the file.
  std::filesystem::remove(data_ / "made_up/a");
  server_.set_faults({.length_error = -100});
  test::expect_error([&] { get(dataset_); }, {"found 9,900 bytes", "expected 10,000 bytes"},
                     ErrorKind::environment);
  EXPECT_EQ(folder(), Names{});
}

TEST_F(Download, StopsWhenMoreArrivesThanTheCatalogueSays) {
  dataset_.add("a", contents_);
  // Some hundred times as much, at a speed at which all of it would take minutes.
  served_.write("a", test::noise(4'000'000));
  server_.set_faults({.bytes_per_second = 40'000});
  test::expect_error([&] { get(dataset_); },
                     {server_.url() + "/a", "not the bytes of dataset 'made-up'", " bytes and more",
                      "expected 10,000 bytes", "nothing of it was kept"},
                     ErrorKind::environment);
  EXPECT_EQ(server_.requests().size(), 1U);
  EXPECT_EQ(folder(), Names{});
  // So does the rest of a part.
  data_.write("made_up/a.part", contents_.substr(0, 9'000));
  test::expect_error([&] { get(dataset_); }, {"expected 10,000 bytes"}, ErrorKind::environment);
  EXPECT_EQ(folder(), Names{});
}

TEST_F(Download, OfAFileOfUnknownSizeHasAnEndToo) {
  dataset_.add_unknown("a");
  served_.write("a", test::noise(4'000'000));
  server_.set_faults({.bytes_per_second = 40'000});
  GetOptions options = this->options();
  options.most_unknown_bytes = 20'000;
  test::expect_error([&] { get(dataset_, options); },
                     {" bytes and more", "expected at most 20,000 bytes"}, ErrorKind::environment);
  EXPECT_EQ(folder(), Names{});
  EXPECT_EQ(GetOptions{}.most_unknown_bytes, std::int64_t{4} << 30);
}

TEST_F(Download, GivesUpOnAServerThatFallsSilent) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  server_.set_faults({.cut_after = 0, .stalls = 100});
  GetOptions options = this->options();
  options.stall_seconds = 0.1;
  options.retries = 1;
  test::expect_error([&] { get(dataset_, options); }, {"cannot download", "nothing came"},
                     ErrorKind::environment);
  EXPECT_EQ(GetOptions{}.stall_seconds, 60);
}

TEST_F(Download, RefusesAnotherPieceThanItAskedFor) {
  dataset_.add_unknown("a");
  served_.write("a", contents_);
  data_.write("made_up/a.part", contents_.substr(0, 4'000));
  server_.set_faults({.range_shift = 7});
  get(dataset_);
  EXPECT_EQ(ranges(), (Names{"bytes=4000-", ""}));
  EXPECT_EQ(text("a"), contents_);
}

TEST_F(Download, NeverJoinsPiecesOfTwoVersions) {
  dataset_.add_unknown("a");
  served_.write("a", std::string(10'000, 'o'));
  GetOptions once = options();
  once.retries = 0;
  server_.set_faults({.etags = true, .cuts = 1, .cut_after = 4'000});
  test::expect_error([&] { get(dataset_, once); }, {"cannot download"}, ErrorKind::environment);
  EXPECT_EQ(folder(), (Names{"a.part", "a.part.etag"}));
  served_.write("a", contents_);
  EXPECT_EQ(get(dataset_).files[0].outcome, GetOutcome::fetched);
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(folder(), Names{"a"});
}

TEST_F(Download, GoesOnWithTheSameVersion) {
  dataset_.add_unknown("a");
  served_.write("a", contents_);
  server_.set_faults({.etags = true, .cuts = 1, .cut_after = 4'000});
  EXPECT_EQ(get(dataset_).files[0].outcome, GetOutcome::resumed);
  EXPECT_EQ(text("a"), contents_);
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1].status, 206);
  EXPECT_FALSE(requests[1].if_range.empty());
}

TEST_F(Download, StopsAtCtrlCAndGoesOnLater) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  server_.set_faults({.bytes_per_second = 20'000});
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  std::thread user([&] {
    std::error_code ignored;
    const auto part = data_ / "made_up/a.part";
    // Bounded by the slow server: the part is there for half a second.
    while (!std::filesystem::exists(part, ignored) ||
           std::filesystem::file_size(part, ignored) == 0) {
      std::this_thread::yield();
    }
    *stop = true;
  });
  EXPECT_THROW(get_dataset(Context({.stop = stop}), dataset_.entry(), options()), Interrupted);
  user.join();
  EXPECT_EQ(folder(), Names{"a.part"});
  const std::string part = text("a.part");
  EXPECT_LT(part.size(), contents_.size());
  EXPECT_EQ(part, contents_.substr(0, part.size()));
  server_.set_faults({});
  const GetReport report = get(dataset_);
  EXPECT_EQ(report.files[0].outcome, GetOutcome::resumed);
  EXPECT_EQ(report.files[0].bytes, static_cast<std::int64_t>(contents_.size() - part.size()));
  EXPECT_EQ(text("a"), contents_);
}

TEST_F(Download, StopsAtCtrlCWhileAnotherFetches) {
  dataset_.add("a", contents_);
  served_.write("a", contents_);
  server_.set_faults({.bytes_per_second = 20'000});
  std::thread other([&] { get(dataset_); });
  while (server_.requests().empty()) std::this_thread::yield();
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  const auto log = std::make_shared<RecordingLog>();
  EXPECT_THROW(get_dataset(Context({.log = log, .stop = stop}), dataset_.entry(), options()),
               Interrupted);
  EXPECT_NE(log->text().find("another process is working in"), std::string::npos);
  server_.set_faults({});
  other.join();
  EXPECT_EQ(text("a"), contents_);
}

TEST_F(Download, TwoAtOnceFetchOnce) {
  dataset_.add("a", contents_);
  dataset_.add("b", "hello");
  served_.write("a", contents_);
  served_.write("b", "hello");
  server_.set_faults({.bytes_per_second = 50'000});
  std::atomic<int> fetched = 0;
  const auto work = [&] {
    for (const GetFile& file : get(dataset_).files) fetched += file.outcome == GetOutcome::fetched;
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(fetched, 2);
  EXPECT_EQ(server_.requests().size(), 2U);
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(folder(), (Names{"a", "b"}));
}

TEST_F(Download, TakesAMirrorsFolderOrItsBareFiles) {
  test::MadeUpDataset nowhere(test::refused_url() + "/");
  nowhere.add("a", contents_);
  nowhere.add("b", "hello");
  nowhere.add("c", "none");
  served_.write("mirror/made_up/a", contents_);
  served_.write("mirror/b", "hello");
  GetOptions options = this->options();
  options.mirror = server_.url() + "/mirror/";
  test::expect_error([&] { get(nowhere, options); },
                     {"nobody has c", "/mirror/made_up/c (status 404)", "/mirror/c (status 404)"},
                     ErrorKind::environment);
  EXPECT_EQ(text("a"), contents_);
  EXPECT_EQ(text("b"), "hello");
  EXPECT_EQ(folder(), (Names{"a", "b"}));
}

TEST_F(Download, ServesARealDataset) {
  CREG_REQUIRE_REAL_DATA(data);
  test::HttpServer server(data);
  GetOptions options = this->options();
  options.mirror = server.url();
  for (const char* name : {"cora", "cora-npz"}) {
    const CatalogueEntry& entry = dataset_by_name(name);
    server.set_faults({.cuts = 3, .cut_after = 30'000});
    const GetReport report = get_dataset(Context(), entry, options);
    EXPECT_TRUE(std::all_of(report.files.begin(), report.files.end(),
                            [](const GetFile& file) { return file.verified; }));
    verify_dataset(Context(), entry, report.folder);
    EXPECT_EQ(identify(Context(), report.folder), &entry);
  }
  test::expect_error([&] { get_dataset(Context(), dataset_by_name("pubmed"), options); },
                     {"nobody has ind.pubmed.allx"}, ErrorKind::environment);
}

}  // namespace
}  // namespace creg::download_test
