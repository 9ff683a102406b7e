#include "io/containers/torch_archive.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/torch_builder.h"

namespace creg::torch_archive_test {
namespace {

using test::TorchTensor;

const std::vector<float> six = {1, 2, 3, 4, 5, 6};

TorchTensor matrix() {
  return {.elements = 6, .sizes = {2, 3}, .strides = {3, 1}};
}

StoredTensor read(const TorchTensor& tensor, const std::string& record = test::stored(six)) {
  const TorchArchive archive(Bytes::from_string(
      test::torch_archive(test::pickled_tensor(tensor), {{"0", record}}), "file.pt"));
  return archive.tensor(archive.value(), "weights");
}

void refuse(const TorchTensor& tensor, std::initializer_list<std::string> words,
            const std::string& record = test::stored(six)) {
  test::expect_error([&] { read(tensor, record); }, words);
}

TEST(TorchArchive, ATensorInItsOwnOrderIsASliceOfTheFile) {
  const StoredTensor found = read(matrix());
  EXPECT_EQ(found.type, TensorType::float32);
  EXPECT_EQ(found.sizes, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(found.elements(), 6);
  EXPECT_EQ(found.data.text(), test::stored(six));
}

TEST(TorchArchive, OffsetsAndStridesAreFollowed) {
  TorchTensor columns = matrix();
  columns.sizes = {3, 2};
  columns.strides = {1, 3};
  EXPECT_EQ(read(columns).data.text(), test::stored<float>({1, 4, 2, 5, 3, 6}));
  const TorchTensor part{.elements = 6, .offset = 2, .sizes = {2}, .strides = {2}};
  EXPECT_EQ(read(part).data.text(), test::stored<float>({3, 5}));
  const TorchTensor one{.elements = 6, .offset = 5};
  EXPECT_EQ(read(one).data.text(), test::stored<float>({6}));
  const TorchTensor none{.elements = 6, .sizes = {0, 3}, .strides = {3, 1}};
  EXPECT_EQ(read(none).elements(), 0);
}

TEST(TorchArchive, OtherTypes) {
  const auto type = [](const char* storage, std::int64_t elements) {
    return read(
               {.storage_type = storage, .elements = elements, .sizes = {elements}, .strides = {1}})
        .type;
  };
  EXPECT_EQ(type("DoubleStorage", 3), TensorType::float64);
  EXPECT_EQ(type("LongStorage", 3), TensorType::int64);
  EXPECT_EQ(type("IntStorage", 6), TensorType::int32);
  EXPECT_EQ(type("BoolStorage", 24), TensorType::boolean);
  refuse({.storage_type = "HalfStorage", .elements = 12}, {"torch.HalfStorage", "not allowed"});
  refuse({.storage_type = "DoubleStorage", .elements = 6, .sizes = {6}, .strides = {1}},
         {"size of its storage", "24 bytes", "6 elements of 8"});
}

TEST(TorchArchive, NothingReachesBeyondItsStorage) {
  const std::int64_t huge = std::int64_t{1} << 62;
  const auto changed = [](auto change) {
    TorchTensor tensor = matrix();
    change(tensor);
    return tensor;
  };
  refuse(changed([](auto& t) { t.offset = 1; }), {"weights", "beyond its storage", "6 elements"});
  refuse(changed([](auto& t) { t.offset = 6; }), {"beyond"});
  refuse(changed([=](auto& t) { t.offset = huge; }), {"beyond"});
  refuse(changed([](auto& t) { t.offset = -1; }), {"offset", "-1"});
  refuse(changed([](auto& t) { t.strides = {4, 1}; }), {"beyond"});
  refuse(changed([=](auto& t) { t.strides = {huge, 1}; }), {"beyond"});
  refuse(changed([](auto& t) { t.strides = {-3, 1}; }), {"strides", "-3"});
  refuse(changed([](auto& t) { t.strides = {1}; }), {"1 strides"});
  refuse(changed([](auto& t) { t.sizes = {3, 3}; }), {"beyond"});
  refuse(changed([=](auto& t) { t.sizes = {huge, huge}; }), {"beyond"});
  refuse(changed([](auto& t) { t.sizes = {2, -3}; }), {"sizes", "-3"});
  // Rows shown again and again would make six numbers ask for any amount of memory.
  refuse(changed([](auto& t) { t.sizes = {1 << 30, 3}, t.strides = {0, 1}; }), {"beyond"});
  refuse(changed([](auto& t) { t.sizes.assign(9, 1), t.strides.assign(9, 1); }), {"dimensions"});
  // A record that is shorter or longer than it says.
  refuse(matrix(), {"size of its storage", "20 bytes"}, test::stored<float>({1, 2, 3, 4, 5}));
  refuse(matrix(), {"size of its storage", "25 bytes"}, test::stored(six) + "x");
  refuse(changed([](auto& t) { t.record = "1"; }), {"archive/data/1"});
  refuse(changed([](auto& t) { t.record = "../data.pkl"; }), {"data.pkl"});
}

TEST(TorchArchive, OnlyWhatTensorsNeedIsRead) {
  const auto refuse_pickle = [](const std::string& pickle,
                                std::initializer_list<std::string> words) {
    test::expect_error(
        [&] {
          const TorchArchive archive(
              Bytes::from_string(test::torch_archive(pickle, {}), "file.pt"));
          archive.tensor(archive.value(), "weights");
        },
        words);
  };
  refuse_pickle(test::pickled_global("os", "system") + test::pickled_unicode("true") + "\x85R",
                {"os.system", "not allowed"});
  refuse_pickle("]", {"EMPTY_LIST", "not allowed"});
  refuse_pickle("}}b", {"BUILD", "not allowed"});
  refuse_pickle("\x8a\x09" + std::string(9, '\1'), {"too large"});
  refuse_pickle("K\1", {"weights", "the number 1", "a tensor"});
  refuse_pickle("NQ", {"persistent id", "a tensor"});
  refuse_pickle(std::string(300'000, '('), {"left over"});
  refuse_pickle(std::string(300'000, '}'), {"left over"});
  std::string nested = "N";
  for (int level = 0; level < 300'000; ++level) nested += '\x85';
  refuse_pickle(nested, {"a tuple of 1"});
}

TEST(TorchArchive, DamageIsNoticedEverywhere) {
  const std::string good =
      test::torch_archive(test::pickled_tensor(matrix()), {{"0", test::stored(six)}});
  const auto open = [](const std::string& bytes) {
    return TorchArchive(Bytes::from_string(bytes, "file.pt"));
  };
  for (const std::string_view place : {"archive/data/0", "archive/data.pkl", "archive/version"}) {
    std::string bad = good;
    // A bit of the contents, which follow the name in the local header.
    const std::size_t at = bad.find(place) + place.size();
    bad[at] = static_cast<char>(bad[at] ^ 1);
    test::expect_error([&] { open(bad); }, {std::string(place)});
  }
  test::expect_error([&] { open(good.substr(0, good.size() / 2)); }, {"file.pt"});
  test::expect_error([&] { open(test::build_zip({{.name = "a/b", .contents = "x"}})); },
                     {"no data.pkl"});
  test::expect_error(
      [&] {
        open(test::build_zip(
            {{.name = "a/data.pkl", .contents = "N."}, {.name = "b/data.pkl", .contents = "N."}}));
      },
      {"more than one"});
  test::expect_error(
      [&] {
        open(test::build_zip({{.name = "a/data.pkl", .contents = "N."},
                              {.name = "a/byteorder", .contents = "big"}}));
      },
      {"byte order"});
}

TEST(TorchArchive, WholeNumbersOfEightBytes) {
  const auto number = [](std::int64_t value) {
    const TorchArchive archive(
        Bytes::from_string(test::torch_archive(test::pickled_long(value), {}), "file.pt"));
    return std::get<std::int64_t>(archive.value());
  };
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(number(value), value);
  }
}

}  // namespace
}  // namespace creg::torch_archive_test
