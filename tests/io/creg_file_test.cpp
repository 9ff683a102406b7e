#include "io/creg_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "io/checksum.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/temp_dir.h"

namespace creg::creg_file_test {
namespace {

constexpr std::size_t header_bytes = 64;
constexpr std::size_t entry_bytes = 64;

Graph full_graph() {
  Graph graph = test::two_triangles();
  graph.directed = true;
  graph.adjacency.values = std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9};
  graph.features = DenseMatrix{.rows = 7, .cols = 2, .values = std::vector<float>(14, 0.5F)};
  graph.labels = std::vector<std::int32_t>{0, 1, unlabelled, 0, 1, 1, 0};
  graph.class_names = {"first", "caf\xe9"};
  const std::vector<std::string> names = {"a", "b", "", "d\xff", "e", "f", "g"};
  graph.names = NodeNames(names);
  graph.splits.push_back({.name = "public",
                          .train = std::vector<std::int32_t>{0, 1},
                          .test = std::vector<std::int32_t>{5}});
  return graph;
}

std::string written(const Graph& graph) {
  const test::TempDir dir;
  write_creg(Context(), dir / "g.creg", graph, {.source = "here"});
  EXPECT_EQ(dir.list(), std::vector<std::string>{"g.creg"});
  return test::read_text(dir / "g.creg");
}

Graph read(std::string bytes) {
  return read_creg(Context(), Bytes::from_string(std::move(bytes), "g.creg"));
}

template <class T>
T number_at(const std::string& bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <class T>
void put_number(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

// The table entry of the section with this id.
std::size_t entry_of(const std::string& bytes, std::uint32_t id) {
  for (std::uint32_t i = 0; i < number_at<std::uint32_t>(bytes, 12); ++i) {
    const std::size_t entry = header_bytes + i * entry_bytes;
    if (number_at<std::uint32_t>(bytes, entry) == id) return entry;
  }
  ADD_FAILURE() << "no section " << id;
  return 0;
}

// Makes all checksums right again, so that what a test changed is all that is wrong.
std::string signed_again(std::string bytes) {
  const auto sections = number_at<std::uint32_t>(bytes, 12);
  for (std::uint32_t i = 0; i < sections; ++i) {
    const std::size_t entry = header_bytes + i * entry_bytes;
    const auto offset = number_at<std::uint64_t>(bytes, entry + 16);
    const auto size = number_at<std::uint64_t>(bytes, entry + 24);
    if (offset > bytes.size() || size > bytes.size() - offset) continue;
    put_number(bytes, entry + 40, crc32c(std::as_bytes(std::span(bytes)).subspan(offset, size)));
  }
  put_number<std::uint32_t>(bytes, 60, 0);
  put_number(bytes, 60,
             crc32c(std::as_bytes(std::span(bytes)).first(header_bytes + sections * entry_bytes)));
  return bytes;
}

void expect_refused(std::string bytes, std::initializer_list<std::string> parts) {
  test::expect_error([&] { read(bytes); }, parts);
}

TEST(CregFile, KeepsEverything) {
  const Graph graph = full_graph();
  EXPECT_TRUE(test::same(read(written(graph)), graph));
  Graph sparse = graph;
  sparse.features = to_sparse(std::get<DenseMatrix>(graph.features));
  EXPECT_TRUE(test::same(read(written(sparse)), sparse));
  EXPECT_TRUE(test::same(read(written(test::path_graph(0))), test::path_graph(0)));
}

TEST(CregFile, SaysWhereTheGraphCameFrom) {
  const test::TempDir dir;
  write_creg(Context(), dir / "g.creg", test::path_graph(2),
             {.source = "wiki", .transforms = {"column-max"}});
  CregProvenance provenance;
  read_creg(Context(), map_file(dir / "g.creg"), &provenance);
  EXPECT_EQ(provenance.source, "wiki");
  EXPECT_EQ(provenance.transforms, std::vector<std::string>{"column-max"});
  EXPECT_TRUE(provenance.writer.starts_with("contrast-reg "));
}

TEST(CregFile, IsMappedNotCopiedAndOutlivesItsBytes) {
  const test::TempDir dir;
  const Graph graph = full_graph();
  write_creg(Context(), dir / "g.creg", graph, {});
  Bytes bytes = map_file(dir / "g.creg");
  const auto inside = [&](const void* p) {
    return p >= bytes.data.data() && p < bytes.data.data() + bytes.data.size();
  };
  const Graph mapped = read_creg(Context(), bytes);
  EXPECT_TRUE(inside(mapped.adjacency.offsets.data()));
  EXPECT_TRUE(inside(mapped.adjacency.columns.data()));
  EXPECT_TRUE(inside(mapped.adjacency.values.data()));
  EXPECT_TRUE(inside(std::get<DenseMatrix>(mapped.features).values.data()));
  EXPECT_TRUE(inside(mapped.names.characters().data()));
  EXPECT_TRUE(inside(mapped.splits[0].train.data()));
  bytes = {};
  std::filesystem::remove(dir / "g.creg");
  EXPECT_TRUE(test::same(mapped, graph));
}

TEST(CregFile, ReadsBytesThatAreNotAligned) {
  const Bytes whole = Bytes::from_string("x" + written(full_graph()), "x");
  EXPECT_TRUE(
      test::same(read_creg(Context(), whole.slice(1, whole.size() - 1, "part")), full_graph()));
}

TEST(CregFile, SectionsAreAlignedAndTheMagicIsKnown) {
  const std::string bytes = written(full_graph());
  EXPECT_TRUE(is_creg(Bytes::from_string(bytes, "g")));
  EXPECT_FALSE(is_creg(Bytes::from_string("\x89PNG\r\n\x1a\n", "g")));
  for (std::uint32_t i = 0; i < number_at<std::uint32_t>(bytes, 12); ++i) {
    EXPECT_EQ(number_at<std::uint64_t>(bytes, header_bytes + i * entry_bytes + 16) % 64, 0U);
  }
}

TEST(CregFile, EveryFlippedBitIsNoticed) {
  const std::string bytes = written(full_graph());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    expect_refused(changed, {"g.creg", "byte"});
  }
}

TEST(CregFile, EveryCutIsNoticed) {
  const std::string bytes = written(full_graph());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    expect_refused(bytes.substr(0, size), {"g.creg", "byte"});
  }
  expect_refused(bytes + '\0', {"goes on too long"});
}

TEST(CregFile, NamesTheDamagedSection) {
  std::string bytes = written(full_graph());
  const std::size_t entry = entry_of(bytes, 3);
  const auto offset = number_at<std::uint64_t>(bytes, entry + 16);
  bytes[offset + 5] = static_cast<char>(bytes[offset + 5] ^ 1);
  expect_refused(bytes, {"section 'adjacency columns' at byte " + std::to_string(offset),
                         "checksum is wrong", "damaged"});
}

TEST(CregFile, RefusesANewerFormatByBothVersions) {
  std::string bytes = written(full_graph());
  put_number<std::uint32_t>(bytes, 8, 7);
  expect_refused(bytes, {"newer format", "found version 7", "version 1 at most"});
}

TEST(CregFile, SkipsUnknownSectionsOnlyWhenTheyAreOptional) {
  std::string bytes = written(full_graph());
  const std::size_t entry = entry_of(bytes, 9);
  put_number<std::uint32_t>(bytes, entry, 77);
  expect_refused(signed_again(bytes), {"section 'section 77'", "must not skip", "newer"});
  put_number<std::uint32_t>(bytes, entry + 12, 1);
  const Graph graph = read(signed_again(bytes));
  EXPECT_FALSE(graph.has_labels());
  EXPECT_EQ(graph.nodes(), 7);
}

TEST(CregFile, RefusesSectionsThatDoNotFit) {
  const std::string good = written(full_graph());
  const auto changed = [&](std::uint32_t id,
                           const std::function<void(std::string&, std::size_t)>& change) {
    std::string bytes = good;
    change(bytes, entry_of(bytes, id));
    return signed_again(bytes);
  };
  expect_refused(changed(3, [](auto& b, auto e) { put_number<std::uint64_t>(b, e + 16, 64); }),
                 {"wrong place", "adjacency columns"});
  expect_refused(changed(3, [](auto& b, auto e) { put_number(b, e + 24, ~std::uint64_t{0}); }),
                 {"does not fit into the file", "adjacency columns"});
  expect_refused(changed(3, [](auto& b, auto e) { put_number(b, e + 32, std::uint64_t{1} << 62); }),
                 {"count does not fit", "adjacency columns"});
  expect_refused(changed(3, [](auto& b, auto e) { put_number<std::uint32_t>(b, e + 8, 4); }),
                 {"wrong element type", "found f32, expected i32"});
  expect_refused(changed(3, [](auto& b, auto e) { put_number<std::uint32_t>(b, e + 8, 9); }),
                 {"unknown element type", "type 9"});
  expect_refused(changed(3, [](auto& b, auto e) { put_number<std::uint32_t>(b, e, 2); }),
                 {"twice", "adjacency offsets"});
  expect_refused(changed(14, [](auto& b, auto e) { put_number<std::uint32_t>(b, e + 4, 5); }),
                 {"split 0's train nodes", "missing"});
  expect_refused(changed(15, [](auto& b, auto e) { put_number<std::uint32_t>(b, e, 14); }),
                 {"split 0's train nodes", "twice"});
  std::string bytes = good;
  put_number<std::uint32_t>(bytes, 12, 60000);
  expect_refused(bytes, {"section table does not fit", "60,000"});
}

TEST(CregFile, RefusesContentsThatDoNotFit) {
  const std::string good = written(full_graph());
  const auto changed = [&](std::uint32_t id, std::size_t at, auto value) {
    std::string bytes = good;
    const auto offset = number_at<std::uint64_t>(bytes, entry_of(bytes, id) + 16);
    put_number(bytes, offset + at, value);
    return signed_again(bytes);
  };
  expect_refused(changed(3, 4, std::int32_t{7}),
                 {"adjacency column index out of range", "entry 1"});
  expect_refused(changed(2, 8, std::int64_t{1} << 40), {"adjacency row offsets decrease"});
  expect_refused(changed(5, 0, NAN), {"features", "not finite"});
  expect_refused(changed(9, 0, std::int32_t{-5}), {"label out of range"});
  expect_refused(changed(10, 8, std::int64_t{-1}), {"names name offsets decrease"});
  expect_refused(changed(12, 8, std::int64_t{99}), {"class name offsets"});
  expect_refused(changed(14, 0, std::int32_t{99}), {"split 'public'", "out of range"});
  expect_refused(changed(1, 0, 'x'), {"section 'meta'", "JSON"});
}

TEST(CregFile, RefusesMetaThatMakesNoSense) {
  const std::string good = written(full_graph());
  const auto changed = [&](const std::string& from, const std::string& to) {
    EXPECT_EQ(from.size(), to.size());
    std::string bytes = good;
    bytes.replace(bytes.find(from), to.size(), to);
    return signed_again(bytes);
  };
  expect_refused(changed("\"nodes\":7", "\"nodes\":8"), {"adjacency", "row offsets"});
  expect_refused(changed("\"nodes\":7", "\"nodez\":7"), {"no valid 'nodes'", "nothing"});
  expect_refused(changed("\"directed\":true", "\"directed\":   9"),
                 {"no valid 'directed'", "true or"});
  expect_refused(changed("\"feature_columns\":2", "\"feature_columns\":3"), {"features"});
  expect_refused(changed("[\"public\"]", "        []"), {"do not belong"});
  expect_refused(changed("[\"public\"]", "       [1]"), {"no valid 'splits'"});
}

TEST(CregFile, RefusesMetaNestedDeeperThanAStack) {
  constexpr std::size_t deep = 200'000;
  Graph graph = full_graph();
  graph.name = std::string(2 * deep - 2, 'x');
  std::string bytes = written(graph);
  const std::string name = "\"" + graph.name + "\"";
  bytes.replace(bytes.find(name), name.size(), std::string(deep, '[') + std::string(deep, ']'));
  expect_refused(signed_again(bytes), {"section 'meta'", "JSON"});
}

TEST(CregFile, DoesNotWriteABrokenGraph) {
  const test::TempDir dir;
  Graph graph = test::path_graph(3);
  graph.labels = std::vector<std::int32_t>{1};
  test::expect_error([&] { write_creg(Context(), dir / "g.creg", graph, {}); },
                     {"path", "labels do not match"});
  EXPECT_TRUE(dir.list().empty());
}

/// Paths, which names come from, may be any bytes.
TEST(CregFile, NamesThatAreNotUtf8AreKeptAsTheyAreShown) {
  const test::TempDir dir;
  Graph graph = test::path_graph(3);
  graph.name = "gr\xe4ph";
  write_creg(Context(), dir / "g.creg", graph, {.source = "d\xe9/g.toml"});
  CregProvenance provenance;
  EXPECT_EQ(read_creg(Context(), map_file(dir / "g.creg"), &provenance).name, "gr\\xe4ph");
  EXPECT_EQ(provenance.source, "d\\xe9/g.toml");
}

}  // namespace
}  // namespace creg::creg_file_test
