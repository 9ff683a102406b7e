#include "io/embedding_writers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <sstream>

#include "creg/core/random.h"
#include "io/npy.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::embedding_writers_test {
namespace {

class Collector : public LogSink {
 public:
  void write(LogLevel level, std::string_view message) override {
    EXPECT_EQ(level, LogLevel::notice);
    messages.emplace_back(message);
  }
  std::vector<std::string> messages;
};

DenseMatrix embedding(std::int64_t rows, std::int64_t cols, std::vector<float> values) {
  return {.rows = rows, .cols = cols, .values = std::move(values)};
}

NodeNames names(const std::vector<std::string>& list) {
  return NodeNames(list);
}

using Writer = void (*)(const Context&, AtomicFile&, const DenseMatrix&, const NodeNames&);

class EmbeddingWriters : public testing::Test {
 protected:
  void write(Writer writer, const std::filesystem::path& path, const DenseMatrix& embedding,
             const NodeNames& names) const {
    AtomicFile file(path);
    writer(context, file, embedding, names);
    file.commit();
  }

  test::TempDir dir;
  std::shared_ptr<Collector> log = std::make_shared<Collector>();
  Context context{Context::Options{.threads = 3, .log = log}};
  std::filesystem::path out = dir / "out";
};

TEST_F(EmbeddingWriters, TsvHasNamesAndShortFloats) {
  const DenseMatrix e = embedding(2, 3, {0.1F, -2, 1e-20F, 3.4028235e38F, 0, 0.5F});
  write(write_embedding_tsv, out, e, names({"a b", "β"}));
  EXPECT_EQ(test::read_text(out), "a b\t0.1\t-2\t1e-20\nβ\t3.4028235e+38\t0\t0.5\n");
  write(write_embedding_tsv, out, e, {});
  EXPECT_TRUE(test::read_text(out).starts_with("0\t0.1\t"));
  EXPECT_TRUE(log->messages.empty());
}

TEST_F(EmbeddingWriters, TsvNamesCannotBreakLines) {
  write(write_embedding_tsv, out, embedding(3, 1, {1, 2, 3}), names({"a\tb\n", "", "c\r"}));
  EXPECT_EQ(test::read_text(out), "a b \t1\n\t2\nc \t3\n");
  ASSERT_EQ(log->messages.size(), 1U);
  EXPECT_NE(log->messages[0].find("2 names had a tab"), std::string::npos);
}

TEST_F(EmbeddingWriters, CsvHasTitlesAndQuotesNames) {
  const DenseMatrix e = embedding(3, 2, {0.1F, -2, 1e-20F, 3, 0, 0.5F});
  write(write_embedding_csv, out, e, names({"a", "b, \"c\"\n", ""}));
  EXPECT_EQ(test::read_text(out), "node,x1,x2\na,0.1,-2\n\"b, \"\"c\"\"\n\",1e-20,3\n,0,0.5\n");
  write(write_embedding_csv, out, e, {});
  EXPECT_TRUE(test::read_text(out).starts_with("node,x1,x2\n0,0.1,-2\n1,"));
  EXPECT_TRUE(log->messages.empty());
}

TEST_F(EmbeddingWriters, TheProjectorGetsNumbersAndTitlesOnlyForSeveralColumns) {
  const DenseMatrix e = embedding(2, 2, {0.1F, -2, 3, 4});
  const std::filesystem::path vectors = dir / "x.tsv";
  const std::filesystem::path metadata = dir / "x.metadata.tsv";
  EXPECT_EQ(projector_metadata_path(vectors), metadata);
  write_projector_files(context, vectors, e, names({"a\tb", "c"}), {});
  EXPECT_EQ(test::read_text(vectors), "0.1\t-2\n3\t4\n");
  EXPECT_EQ(test::read_text(metadata), "a b\nc\n");
  EXPECT_EQ(log->messages.size(), 1U);
  write_projector_files(context, vectors, e, {}, std::vector<std::string>{"red\n", ""});
  EXPECT_EQ(test::read_text(vectors), "0.1\t-2\n3\t4\n");
  EXPECT_EQ(test::read_text(metadata), "name\tlabel\n0\tred \n1\t\n");
}

TEST_F(EmbeddingWriters, Word2vecHasAHeaderAndNoBlanksInNames) {
  write(write_embedding_word2vec, out, embedding(3, 2, {1, 2, 3, 4, 5, 6}),
        names({"New York", "x", ""}));
  EXPECT_EQ(test::read_text(out), "3 2\nNew_York 1 2\nx 3 4\n_ 5 6\n");
  ASSERT_EQ(log->messages.size(), 1U);
  EXPECT_NE(log->messages[0].find("2 names had white space"), std::string::npos);
}

TEST_F(EmbeddingWriters, EveryFloatReadsBackAndRowsKeepTheirOrder) {
  constexpr std::int64_t rows = 5000;
  constexpr std::int64_t cols = 7;
  RandomStream random(2, Purpose::test);
  std::vector<float> values;
  while (static_cast<std::int64_t>(values.size()) < rows * cols) {
    const auto x = std::bit_cast<float>(random());
    if (std::isfinite(x)) values.push_back(x);
  }
  write(write_embedding_word2vec, out, embedding(rows, cols, values), {});
  std::istringstream text(test::read_text(out));
  std::string word;
  text >> word >> word;
  for (std::int64_t r = 0; r < rows; ++r) {
    text >> word;
    ASSERT_EQ(word, std::to_string(r));
    for (std::int64_t c = 0; c < cols; ++c) {
      text >> word;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(std::strtof(word.c_str(), nullptr)),
                std::bit_cast<std::uint32_t>(values[static_cast<std::size_t>(r * cols + c)]));
    }
  }
  EXPECT_FALSE(text >> word);
}

TEST_F(EmbeddingWriters, SafetensorsIsHeaderAndBytes) {
  write(write_embedding_safetensors, out, embedding(2, 2, {1, 2, 3, 4}), names({"a", "\"b\""}));
  const std::string text = test::read_text(out);
  std::uint64_t length = 0;
  std::memcpy(&length, text.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  std::string header = text.substr(8, length);
  header.erase(header.find_last_not_of(' ') + 1);
  EXPECT_EQ(header, R"({"__metadata__":{"names":"[\"a\",\"\\\"b\\\"\"]"},)"
                    R"("embedding":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})");
  const std::vector<float> expected = {1, 2, 3, 4};
  ASSERT_EQ(text.size(), 8 + length + 16);
  EXPECT_EQ(std::memcmp(text.data() + 8 + length, expected.data(), 16), 0);
}

TEST_F(EmbeddingWriters, SafetensorsWithoutNamesHasNoMetadata) {
  write(write_embedding_safetensors, out, embedding(0, 3, {}), {});
  EXPECT_EQ(test::read_text(out).find("__metadata__"), std::string::npos);
  EXPECT_TRUE(log->messages.empty());
}

TEST_F(EmbeddingWriters, SafetensorsNoticesNamesThatAreNotText) {
  write(write_embedding_safetensors, out, embedding(1, 1, {1}), names({"a\xff"}));
  EXPECT_NE(test::read_text(out).find("a\xef\xbf\xbd"), std::string::npos);
  ASSERT_EQ(log->messages.size(), 1U);
  EXPECT_NE(log->messages[0].find("1 name had bytes that are not UTF-8"), std::string::npos);
}

TEST_F(EmbeddingWriters, TheEndingOfTheNameIsTheForm) {
  const DenseMatrix e = embedding(1, 2, {1, 2});
  write(write_embedding, dir / "a.tsv", e, names({"n"}));
  EXPECT_EQ(test::read_text(dir / "a.tsv"), "n\t1\t2\n");
  write(write_embedding, dir / "a.csv", e, names({"n"}));
  EXPECT_EQ(test::read_text(dir / "a.csv"), "node,x1,x2\nn,1,2\n");
  for (const char* name : {"a.txt", "a.w2v"}) {
    write(write_embedding, dir / name, e, names({"n"}));
    EXPECT_EQ(test::read_text(dir / name), "1 2\nn 1 2\n");
  }
  write(write_embedding, dir / "a.safetensors", e, {});
  EXPECT_NE(test::read_text(dir / "a.safetensors").find("\"F32\""), std::string::npos);
  write(write_embedding, dir / "a.npy", e, names({"n"}));
  EXPECT_EQ(read_npy(map_file(dir / "a.npy")).to_matrix().row(0)[1], 2);
  test::expect_error([&] { write(write_embedding, dir / "a.xls", e, {}); },
                     {"a.xls", "unknown form of an embedding file", ".safetensors"});
}

/// The metadata of other files of that name are nobody's to take.
TEST_F(EmbeddingWriters, TheProjectorsMetadataStandBesideTheirVectorsAlone) {
  const DenseMatrix e = embedding(1, 1, {1});
  dir.write("x.metadata.tsv", "mine\n");
  test::expect_error([&] { write_projector_files(context, dir / "x.tsv", e, names({"n"}), {}); },
                     {"x.metadata.tsv", "would be replaced"});
  EXPECT_EQ(test::read_text(dir / "x.metadata.tsv"), "mine\n");
  EXPECT_EQ(dir.list().size(), 1U);
}

TEST_F(EmbeddingWriters, LeaveNothingWhereTheyCannotWrite) {
  test::expect_error(
      [&] { write(write_embedding_tsv, dir / "no" / "out", embedding(1, 1, {1}), {}); },
      {"no/out", "cannot create"}, ErrorKind::environment);
  EXPECT_TRUE(dir.list().empty());
}

}  // namespace
}  // namespace creg::embedding_writers_test
