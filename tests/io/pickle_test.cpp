#include "io/containers/pickle.h"

#include <gtest/gtest.h>

#include "io/containers/pickle_numpy.h"
#include "support/damage.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/pickle_builder.h"

namespace creg::pickle_test {
namespace {

using test::expect_error;
using test::pickle_file;
using test::pickled;
using test::pickled_global;
using test::raw;

Pickle load(std::string bytes) {
  return Pickle(Bytes::from_string(std::move(bytes), "a.pkl"));
}

void refuse(const std::string& value, std::initializer_list<std::string> words) {
  expect_error([&] { load(pickle_file(value)); }, words);
}

TEST(Pickle, ReadsScalars) {
  EXPECT_TRUE(std::holds_alternative<std::monostate>(load(pickle_file("N")).value()));
  EXPECT_EQ(std::get<bool>(load(pickle_file("\x88")).value()), true);
  EXPECT_EQ(std::get<bool>(load(pickle_file("\x89")).value()), false);
  for (const std::int64_t n : {0, 255, 256, 65535, 65536, -1, -2147483647 - 1, 2147483647}) {
    EXPECT_EQ(std::get<std::int64_t>(load(pickle_file(pickled(n))).value()), n);
  }
  const std::string longer(300, 'x');
  const Pickle short_text = load(pickle_file(pickled("hello")));
  EXPECT_EQ(std::get<std::string_view>(short_text.value()), "hello");
  const Pickle long_text = load(pickle_file(pickled(longer)));
  EXPECT_EQ(std::get<std::string_view>(long_text.value()), longer);
}

TEST(Pickle, ReadsContainersAndReferences) {
  // A dict of two keys whose values are the same list.
  const Pickle pickle =
      load(pickle_file("}(K\x01]q\x07(K\x05K\x06"
                       "eK\x02h\x07u"));
  const auto& items = std::get<const PickleDict*>(pickle.value())->items;
  ASSERT_EQ(items.size(), 2U);
  const auto* first = std::get<const PickleList*>(items[0].second);
  EXPECT_EQ(first, std::get<const PickleList*>(items[1].second));
  ASSERT_EQ(first->items.size(), 2U);
  EXPECT_EQ(std::get<std::int64_t>(first->items[1]), 6);
  for (const std::string tuple : {")", "K\x01\x85", "K\x01K\x02\x86", "K\x01K\x02K\x03\x87"}) {
    const Pickle one = load(pickle_file(tuple));
    EXPECT_EQ(std::get<const PickleTuple*>(one.value())->items.size(), tuple.size() / 2);
  }
}

TEST(Pickle, AListMayContainItself) {
  const Pickle pickle =
      load(pickle_file("]q\x01h\x01"
                       "a"));
  const auto* list = std::get<const PickleList*>(pickle.value());
  EXPECT_EQ(std::get<const PickleList*>(list->items[0]), list);
}

TEST(Pickle, NamesWhatIsNotAllowed) {
  refuse("cos\nsystem\n(U\x02lstR", {"a.pkl: byte 2", "'os.system'"});
  refuse("c__builtin__\neval\n", {"'__builtin__.eval'"});
  refuse("cnumpy\nload\n", {"'numpy.load'"});
  refuse("I1\n", {"byte 2", "INT (0x49)"});
  refuse("}X\x01", {"byte 3", "BINUNICODE (0x58)"});
  refuse("\x8c\x01x", {"SHORT_BINUNICODE (0x8c)"});
  refuse("\x93", {"STACK_GLOBAL (0x93)"});
  refuse("i", {"INST (0x69)"});
  refuse("\xff", {"no opcode (0xff)"});
  for (int code = 0; code < 256; ++code) {
    // Whatever a lone opcode does, it is not a value.
    const std::string one(1, static_cast<char>(code));
    if (std::string("N\x88\x89)]}").find(one) != std::string::npos) continue;
    expect_error([&] { load(one); }, {"a.pkl: byte"});
  }
  expect_error([] { load("\x80\x04."); }, {"newer protocol", "4", "2 or below"});
}

TEST(Pickle, RefusesBrokenStreams) {
  expect_error([] { load(""); }, {"byte 0", "ends too early"});
  expect_error([] { load("N"); }, {"ends too early"});
  expect_error([] { load("."); }, {"values left over", "0 values"});
  expect_error([] { load("NN."); }, {"2 values"});
  expect_error([] { load("(N."); }, {"values left over"});
  expect_error([] { load("N.x"); }, {"something follows"});
  refuse("a", {"a value is missing"});
  refuse("NNa", {"wrong kind", "None", "a list"});
  refuse("Ne", {"a mark is missing"});
  refuse("(Na", {"a value is missing"});
  refuse("}(Nu", {"a key without a value"});
  refuse("N(NNu", {"wrong kind"});
  refuse("N\x86", {"values are missing"});
  refuse("q\x01", {"a value is missing"});
  refuse("h\x05", {"a reference to nothing", "memo 5"});
  refuse("N)R", {"cannot be called", "None"});
  refuse("cnumpy\ndtype\nNR", {"arguments of the wrong kind"});
  refuse("NNb", {"wrong kind", "an object"});
  refuse("cnumpy\ndtype\n)R(NNu", {"not a dict"});
  refuse("cnumpy", {"ends too early"});
  refuse("T\xff\xff\xff\xff", {"negative length"});
  refuse(std::string("T\xff\xff\xff\x7f", 5) + "abc", {"ends too early", "2,147,483,647"});
}

TEST(Pickle, AnyMemoIndexTakesNoMoreThanItsEntry) {
  EXPECT_EQ(std::get<bool>(load(pickle_file("\x88r\xff\xff\xff\xff")).value()), true);
}

TEST(PickleNumpy, ReadsArrays) {
  const Pickle pickle =
      load(pickle_file(test::pickled_array("i4", {2, 3}, raw<std::int32_t>({1, 2, 3, 4, 5, 6}))));
  const NdArray array = array_from_pickle(pickle, pickle.value(), "y");
  EXPECT_EQ(array.shape(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(array.to_int32()[5], 6);
}

TEST(PickleNumpy, RefusesArraysThatAreNot) {
  const auto wrong = [](const std::string& value, std::initializer_list<std::string> words) {
    expect_error(
        [&] {
          const Pickle pickle = load(pickle_file(value));
          array_from_pickle(pickle, pickle.value(), "y");
        },
        words);
  };
  wrong("N", {"a.pkl: y", "None", "an object of type _reconstruct"});
  wrong("cnumpy\ndtype\n)R", {"an object of type dtype", "_reconstruct"});
  wrong("cnumpy.core.multiarray\n_reconstruct\n)R", {"a.pkl: y", "an array"});
  wrong("cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n\x85R", {"a tuple of 5"});
  wrong(test::pickled_array("i4", {2}, "123"), {"does not match its shape"});
  wrong(test::pickled_array("c8", {1}, "12345678"), {"type that is not supported"});
  wrong(test::pickled_array("i4", {-1}, ""), {"absurd"});
}

TEST(PickleNumpy, ObjectArraysAreNeverRead) {
  const Pickle pickle = load(pickle_file(test::pickled_array("O8", {1}, "123")));
  const NdArray array = array_from_pickle(pickle, pickle.value(), "y");
  expect_error([&] { array.to_float(); }, {"a.pkl: y", "pickled Python objects"});
}

TEST(PickleNumpy, ReadsSparseMatrices) {
  const Pickle pickle =
      load(pickle_file(test::pickled_csr(2, 3, {0, 2, 3}, {0, 2, 1}, {1, 0.5F, 2})));
  const CsrMatrix m = csr_from_pickle(pickle);
  EXPECT_EQ(m.rows, 2);
  EXPECT_EQ(m.cols, 3);
  EXPECT_EQ(test::entries(m), (test::Edges{{0, 0}, {0, 2}, {1, 1}}));
  EXPECT_EQ(m.values[1], 0.5F);
}

TEST(PickleNumpy, RefusesSparseMatricesThatAreNot) {
  const auto wrong = [](const std::string& value, std::initializer_list<std::string> words) {
    expect_error([&] { csr_from_pickle(load(pickle_file(value))); }, words);
  };
  const std::string start = pickled_global("scipy.sparse._csr", "csr_matrix") + ")\x81";
  wrong("]", {"a list of 0", "csr_matrix"});
  wrong(start, {"None", "a matrix's parts"});
  wrong(start + "}b", {"lacks a part", "'_shape'"});
  wrong(start + "}(" + pickled("_shape") + test::pickled_tuple({1, 2, 3}) + "ub",
        {"_shape", "1 x 2 x 3"});
  wrong(start + "}(" + pickled("_shape") + test::pickled_tuple({-1, 2}) + "ub", {"-1 x 2"});
  wrong(test::pickled_csr(3, 3, {0, 2, 3}, {0, 2, 1}, {1, 1, 2}), {"a.pkl: indptr", "4 for 3"});
  wrong(test::pickled_csr(2, 2, {0, 2, 3}, {0, 2, 1}, {1, 1, 2}), {"a.pkl: indices", "0 to 1"});
}

TEST(PickleNumpy, SurvivesDamage) {
  const std::string whole =
      pickle_file(test::pickled_csr(2, 3, {0, 2, 3}, {0, 2, 1}, {1, 0.5F, 2}));
  const int refused = test::read_damaged(
      whole,
      [](std::string bytes) {
        csr_from_pickle(Pickle(Bytes::from_string(std::move(bytes), "a.pkl")));
      },
      2000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace creg::pickle_test
