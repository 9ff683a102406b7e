#include "io/user_files.h"

#include <gtest/gtest.h>

#include "creg/io/dataset.h"
#include "io/npy.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace creg::user_files_test {
namespace {

using test::expect_error;
using test::read_text;
using test::TempDir;

class UserFiles : public testing::Test {
 protected:
  FileRole role(const std::string& name, const std::string& text) {
    return look_at_user_file(dir_.write(name, text)).role;
  }

  TempDir dir_;
};

/// So many rows of an id and what `second` makes of its number.
template <class Second>
std::string rows(int count, const Second& second) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + "," + second(i) + "\n";
  return text;
}

TEST_F(UserFiles, TablesAreToldByTheirRows) {
  EXPECT_EQ(role("a.csv", "0,1\n1,2\n2,0\n"), FileRole::edges);
  EXPECT_EQ(role("b.txt", "# a comment\n0 1\n1 2\n"), FileRole::edges);
  EXPECT_EQ(role("c.tsv", "u\tv\tw\nann\tbob\t0.5\nbob\tann\t2\n"), FileRole::edges);
  // Each node once, and few of what is behind it.
  EXPECT_EQ(role("d.csv", rows(100, [](int i) { return std::to_string(i % 3); })),
            FileRole::labels);
  EXPECT_EQ(role("e.csv", rows(100, [](int i) { return std::to_string(99 - i); })),
            FileRole::edges);
  EXPECT_EQ(role("f.csv", "id,label\n0,cat\n1,dog\n"), FileRole::labels);
  EXPECT_EQ(role("g.csv", "0,0.5,1,2\n1,0.25,1,3\n"), FileRole::features);
  EXPECT_EQ(role("h.csv", "name,age,height,city\nann,30,1.7,rome\n"), FileRole::unknown);
  EXPECT_EQ(role("i.csv", "0\n1\n2\n"), FileRole::unknown);
  EXPECT_EQ(role("j.json", R"({"train": [0], "val": [1], "test": [2]})"), FileRole::splits);
  EXPECT_EQ(role("k.json", R"({"name": "ann"})"), FileRole::unknown);
}

TEST_F(UserFiles, NamesDecideWhereRowsLeaveAChoice) {
  EXPECT_EQ(role("node_labels.csv", "0,1\n1,2\n2,0\n"), FileRole::labels);
  EXPECT_EQ(role("features.csv", "0,1.5\n1,2.5\n"), FileRole::features);
  EXPECT_EQ(role("edges.csv", rows(100, [](int i) { return std::to_string(i % 3); })),
            FileRole::edges);
  EXPECT_EQ(role("edge_list_with_more.csv", "0,1,2020,rome\n"), FileRole::edges);
  // But words are no features.
  EXPECT_EQ(role("features2.csv", "0,rome\n1,bern\n"), FileRole::edges);
}

TEST_F(UserFiles, ArraysAreToldByTheirShapes) {
  const std::vector<std::int32_t> classes = {0, 1, 1};
  write_npy(dir_ / "a.npy", classes);
  EXPECT_EQ(look_at_user_file(dir_ / "a.npy").role, FileRole::labels);
  write_npy(dir_ / "b.npy", DenseMatrix{.rows = 3, .cols = 2, .values = std::vector<float>(6)});
  const UserFile matrix = look_at_user_file(dir_ / "b.npy");
  EXPECT_EQ(matrix.role, FileRole::features);
  EXPECT_EQ(matrix.what, "an array of 3 x 2");
}

TEST_F(UserFiles, OddFilesAreUnknownAndMissingOnesAreErrors) {
  EXPECT_EQ(role("empty.csv", ""), FileRole::unknown);
  EXPECT_EQ(role("comments.csv", "# nothing\n\n"), FileRole::unknown);
  EXPECT_EQ(role("binary.bin", std::string("\0\1\2\3", 4)), FileRole::unknown);
  EXPECT_EQ(role("graph.toml", "edges = \"a.csv\"\n"), FileRole::unknown);
  EXPECT_EQ(role("prose.txt", "This is\na text of several words\n"), FileRole::unknown);
  EXPECT_EQ(role("damaged.npy", "\x93NUMPY\x01"), FileRole::unknown);
  EXPECT_EQ(role("damaged.npz", "PK\x03\x04 and no more"), FileRole::unknown);
  expect_error([&] { look_at_user_file(dir_ / "missing.csv"); }, {"missing.csv"});
}

TEST_F(UserFiles, TheDescriptionOpensAsTheFilesDo) {
  dir_.write("data/my \"edges\".csv", "a,b\nb,c\n");
  dir_.write("data/labels.csv", "a,x\nb,y\nc,x\n");
  UserDatasetSpec spec;
  spec.edges = dir_ / "data/my \"edges\".csv";
  spec.labels = dir_ / "data/labels.csv";
  spec.directed = true;
  const std::string text = describe_user_dataset(spec, {}, dir_.path());
  EXPECT_NE(text.find(R"(edges = "data/my \"edges\".csv")"), std::string::npos) << text;
  dir_.write("graph.toml", text);
  const Dataset dataset = open_dataset(Context(), (dir_ / "graph.toml").string(), "");
  EXPECT_EQ(dataset.raw.nodes(), 3);
  EXPECT_TRUE(dataset.raw.directed);
  EXPECT_EQ(dataset.raw.class_names, (std::vector<std::string>{"x", "y"}));
  // What is commented out is written as it would be read.
  std::string all = text;
  for (std::size_t at = 0; (at = all.find("\n# ", at)) != std::string::npos;) {
    if (all.find(" = ", at) < all.find('\n', at + 1)) all.erase(at + 1, 2);
    ++at;
  }
  EXPECT_NE(all, text);
  dir_.write("all.toml", all);
  dir_.write("features.npy", "no array");
  expect_error([&] { open_dataset(Context(), (dir_ / "all.toml").string(), ""); },
               {"features.npy"});
}

TEST_F(UserFiles, ANameThatIsNotUtf8IsAnError) {
  UserDatasetSpec spec;
  spec.edges = "\xff.csv";
  expect_error([&] { describe_user_dataset(spec, {}, ""); }, {"UTF-8"});
}

}  // namespace
}  // namespace creg::user_files_test
