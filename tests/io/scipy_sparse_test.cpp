#include "io/formats/scipy_sparse.h"

#include <gtest/gtest.h>

#include "support/damage.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/npy_builder.h"
#include "support/scipy_npz.h"
#include "support/temp_dir.h"
#include "support/zip_builder.h"

namespace creg::scipy_sparse_test {
namespace {

using test::Edges;
using test::expect_error;
using test::npy;
using test::raw;

using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;
using Floats = std::vector<float>;

std::string vector(std::string_view descr, std::size_t size, std::string_view data) {
  return npy(descr, "(" + std::to_string(size) + ",)", data);
}

struct Parts {
  std::string format = npy("|S3", "()", "csr");
  Longs shape = {3, 4};
  Ints indptr = {0, 2, 2, 3};
  Ints indices = {3, 1, 0};
  Floats data = {5, 6, 7};
};

std::string compressed(const Parts& p) {
  return test::build_zip(
      {{.name = "indices.npy", .contents = vector("<i4", p.indices.size(), raw(p.indices))},
       {.name = "indptr.npy", .contents = vector("<i4", p.indptr.size(), raw(p.indptr))},
       {.name = "format.npy", .contents = p.format},
       {.name = "shape.npy", .contents = vector("<i8", p.shape.size(), raw(p.shape))},
       {.name = "data.npy", .contents = vector("<f4", p.data.size(), raw(p.data))}});
}

std::string coo(const Longs& shape, const Longs& rows, const Longs& cols,
                const std::vector<double>& data) {
  return test::build_zip(
      {{.name = "row.npy", .contents = vector("<i8", rows.size(), raw(rows))},
       {.name = "col.npy", .contents = vector("<i8", cols.size(), raw(cols))},
       {.name = "format.npy", .contents = npy("<U3", "()", raw<std::uint32_t>({'c', 'o', 'o'}))},
       {.name = "shape.npy", .contents = vector("<i8", 2, raw(shape))},
       {.name = "data.npy", .contents = vector("<f8", data.size(), raw(data))}});
}

CsrMatrix read(std::string bytes, std::int64_t limit = 1 << 20) {
  return read_scipy_sparse(Context(), Bytes::from_string(std::move(bytes), "a.npz"), limit);
}

Floats values(const CsrMatrix& m) {
  return {m.values.begin(), m.values.end()};
}

TEST(ScipySparse, ReadsCsrAsStored) {
  const CsrMatrix m = read(compressed({}));
  EXPECT_EQ(m.rows, 3);
  EXPECT_EQ(m.cols, 4);
  EXPECT_EQ(test::entries(m), (Edges{{0, 3}, {0, 1}, {2, 0}}));
  EXPECT_EQ(values(m), (Floats{5, 6, 7}));
}

TEST(ScipySparse, ReadsCsc) {
  const CsrMatrix m = read(compressed({.format = npy("|S3", "()", "csc"), .shape = {4, 3}}));
  EXPECT_EQ(m.rows, 4);
  EXPECT_EQ(m.cols, 3);
  EXPECT_EQ(test::entries(m), (Edges{{0, 2}, {1, 0}, {3, 0}}));
  EXPECT_EQ(values(m), (Floats{7, 6, 5}));
}

TEST(ScipySparse, ReadsCooAndKeepsRepeats) {
  const CsrMatrix m = read(coo({3, 2}, {2, 0, 2}, {1, 1, 1}, {4, 5, 6}));
  EXPECT_EQ(test::entries(m), (Edges{{0, 1}, {2, 1}, {2, 1}}));
  EXPECT_EQ(values(m), (Floats{5, 4, 6}));
  EXPECT_TRUE(read(coo({3, 2}, {2, 0}, {1, 1}, {1, 1})).values.empty());
  EXPECT_EQ(read(coo({3, 2}, {}, {}, {})).offsets.size(), 4);
}

TEST(ScipySparse, ListsTheFormatsThatWork) {
  for (const char* format : {"bsr", "dia"}) {
    expect_error([&] { read(compressed({.format = npy("|S3", "()", format)})); },
                 {"a.npz: member 'format.npy'", format, "'csr', 'csc' or 'coo'", "tocsr()"});
  }
  expect_error([] { read(compressed({.format = npy("|S3", "(2,)", "csrcsr")})); }, {"''"});
}

TEST(ScipySparse, RefusesArraysThatDoNotFit) {
  const auto refuse = [](const Parts& parts, std::initializer_list<std::string> words) {
    expect_error([&] { read(compressed(parts)); }, words);
  };
  refuse({.shape = {3}}, {"member 'shape.npy'", "not the shape of a matrix"});
  refuse({.shape = {3, -1}}, {"'shape.npy'", "-1"});
  refuse({.shape = {std::int64_t{1} << 62, 4}}, {"'shape.npy'", "too large"});
  refuse({.shape = {4, 4}}, {"member 'indptr.npy'", "row starts", "found 4", "5 for 4 rows"});
  refuse({.indptr = {1, 2, 2, 3}}, {"'indptr.npy'", "does not start at 0"});
  refuse({.indptr = {0, 2, 1, 3}}, {"'indptr.npy': element 2", "decrease"});
  refuse({.indptr = {0, 2, 2, 2}}, {"'indptr.npy'", "found 2", "expected 3"});
  refuse({.indptr = {0, 2, 2, 99}}, {"'indptr.npy'", "found 99"});
  refuse({.indices = {3, 4, 0}}, {"'indices.npy': element 1", "found 4", "0 to 3"});
  refuse({.indices = {3, -1, 0}}, {"'indices.npy': element 1", "found -1"});
  refuse({.data = {1, 2}}, {"'data.npy'", "found 2", "3, one per column"});
  expect_error([] { read(coo({3, 2}, {3}, {1}, {4})); }, {"'row.npy': element 0", "0 to 2"});
  expect_error([] { read(coo({3, 2}, {0}, {2}, {4})); }, {"'col.npy': element 0", "0 to 1"});
  expect_error([] { read(coo({3, 2}, {0, 1}, {1}, {4, 5})); }, {"'col.npy'", "differ in length"});
  expect_error([] { read(coo({3, 2}, {0}, {1}, {})); }, {"'data.npy'", "differ in length"});
}

TEST(ScipySparse, RowsThatNothingBacksAreBounded) {
  constexpr std::int64_t many = 2147483647;
  expect_error(
      [] {
        read(coo({many, 2}, {0}, {1}, {4}));
      },
      {"a.npz", "more rows than memory", "2147483647 x 2"});
  expect_error(
      [] {
        read(compressed({.format = npy("|S3", "()", "csc"), .shape = {many, 3}}));
      },
      {"more rows than memory"});
}

TEST(ScipySparse, SurvivesDamage) {
  for (const std::string& whole : {compressed({}), coo({3, 2}, {2, 0, 2}, {1, 1, 1}, {4, 5, 6})}) {
    const int refused = test::read_damaged(
        whole, [](std::string bytes) { read(std::move(bytes)); }, 400);
    EXPECT_GT(refused, 16 + 200);
  }
}

TEST(ScipySparse, ReadsPlainAndPackedFiles) {
  const test::TempDir dir;
  const CsrMatrix weighted = test::csr(3, {{0, 1}, {2, 0}, {2, 2}}, {0.5F, 2, 3});
  dir.write("w.npz", test::scipy_npz(weighted));
  const CsrMatrix again = read_scipy_sparse(Context(), map_file(dir / "w.npz"));
  EXPECT_EQ(test::entries(again), test::entries(weighted));
  EXPECT_EQ(values(again), values(weighted));
  EXPECT_TRUE(is_scipy_sparse(NpzFile(map_file(dir / "w.npz"))));

  const CsrMatrix plain = test::csr(3, {{0, 1}, {2, 0}});
  dir.write("p.npz", test::scipy_npz(plain, true));
  const CsrMatrix plain_again = read_scipy_sparse(Context(), map_file(dir / "p.npz"));
  EXPECT_EQ(test::entries(plain_again), test::entries(plain));
  EXPECT_TRUE(plain_again.values.empty());
}

}  // namespace
}  // namespace creg::scipy_sparse_test
