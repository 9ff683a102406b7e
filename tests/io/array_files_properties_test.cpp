// What is written as zip, npz, SciPy matrix or gnn-benchmark graph is what is read again.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "io/containers/zip.h"
#include "io/formats/gnn_benchmark.h"
#include "io/formats/scipy_sparse.h"
#include "io/npy.h"
#include "support/graphs.h"
#include "support/npy_builder.h"
#include "support/scipy_npz.h"
#include "support/temp_dir.h"

namespace creg::array_files_properties_test {
namespace {

template <class T>
std::vector<T> list(const Array<T>& array) {
  return {array.begin(), array.end()};
}

rc::Gen<CsrMatrix> any_matrix() {
  return rc::gen::exec([] {
    const auto rows = *rc::gen::inRange<std::int32_t>(0, 12);
    const auto cols = *rc::gen::inRange<std::int32_t>(1, 12);
    const auto count = rows == 0 ? 0 : *rc::gen::inRange<std::size_t>(0, 30);
    const auto row_ids = *rc::gen::container<std::vector<std::int32_t>>(
        count, rc::gen::inRange(0, std::max(rows, 1)));
    const auto column_ids =
        *rc::gen::container<std::vector<std::int32_t>>(count, rc::gen::inRange(0, cols));
    std::vector<float> values;
    if (*rc::gen::arbitrary<bool>()) {
      for (const int value : *rc::gen::container<std::vector<int>>(count, rc::gen::inRange(2, 9))) {
        values.push_back(static_cast<float>(value) / 4);
      }
    }
    return csr_from_entries(Context(), rows, cols, row_ids, column_ids, values);
  });
}

void expect_same(const CsrMatrix& a, const CsrMatrix& b) {
  RC_ASSERT(a.rows == b.rows);
  RC_ASSERT(a.cols == b.cols);
  RC_ASSERT(list(a.offsets) == list(b.offsets));
  RC_ASSERT(list(a.columns) == list(b.columns));
  for (std::int64_t e = 0; e < a.nonzeros(); ++e) RC_ASSERT(a.value(e) == b.value(e));
}

TEST(ArrayFiles, AZipGivesBackItsMembers) {
  const test::TempDir dir;
  EXPECT_TRUE(rc::check([&](const std::map<std::uint16_t, std::string>& contents, bool zip64) {
    ZipWriter writer(dir / "a.zip", {.always_zip64 = zip64});
    for (const auto& [name, text] : contents) writer.add(std::to_string(name), text);
    writer.commit();
    const ZipArchive zip(map_file(dir / "a.zip"));
    RC_ASSERT(zip.members().size() == contents.size());
    for (const auto& [name, text] : contents) {
      RC_ASSERT(zip.read(std::to_string(name)).text() == text);
    }
  }));
}

TEST(ArrayFiles, AFortranArrayIsTheTransposeOfItsBytes) {
  EXPECT_TRUE(rc::check([] {
    const auto rows = *rc::gen::inRange<std::int64_t>(0, 9);
    const auto cols = *rc::gen::inRange<std::int64_t>(0, 9);
    const auto values = *rc::gen::container<std::vector<std::int64_t>>(
        static_cast<std::size_t>(rows * cols), rc::gen::arbitrary<std::int64_t>());
    const std::string shape = "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
    const NdArray array =
        read_npy(Bytes::from_string(test::npy(">i8", shape, test::raw_big(values), true), "a.npy"));
    const Array<std::int64_t> read = array.to_int64();
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        RC_ASSERT(read[r * cols + c] == values[static_cast<std::size_t>(c * rows + r)]);
      }
    }
  }));
}

TEST(ArrayFiles, ASciPyFileGivesBackItsMatrix) {
  const test::TempDir dir;
  EXPECT_TRUE(rc::check([&](bool deflate) {
    const CsrMatrix matrix = *any_matrix();
    dir.write("a.npz", test::scipy_npz(matrix, deflate));
    expect_same(read_scipy_sparse(Context(), map_file(dir / "a.npz")), matrix);
  }));
}

TEST(ArrayFiles, AnExportedGraphIsTheGraph) {
  const test::TempDir dir;
  EXPECT_TRUE(rc::check([&] {
    Graph graph;
    const CsrMatrix features = *any_matrix();
    const std::int64_t nodes = features.rows;
    const auto size = static_cast<std::size_t>(nodes);
    graph.adjacency = test::csr(nodes, {});
    if (nodes > 0) {
      const auto last = static_cast<std::int32_t>(nodes - 1);
      graph.adjacency = test::csr(nodes, {{0, last}, {last, 0}, {0, 0}});
    }
    graph.directed = true;
    graph.features = compact(features);
    graph.labels = *rc::gen::container<std::vector<std::int32_t>>(size, rc::gen::inRange(-1, 3));
    graph.class_names = {"first", "\xc3\xa9", "third"};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < size; ++i) names.push_back("node " + std::to_string(i * i));
    graph.names = NodeNames(names);
    write_gnn_benchmark(dir / "a.npz", graph);
    const Graph again = read_gnn_benchmark(Context(), map_file(dir / "a.npz"));
    expect_same(again.adjacency, graph.adjacency);
    RC_ASSERT(list(to_dense(again.features).values) == list(to_dense(graph.features).values));
    RC_ASSERT(list(again.labels) == list(graph.labels));
    for (std::int64_t i = 0; i < nodes; ++i) RC_ASSERT(again.node_name(i) == graph.node_name(i));
    if (nodes > 0) RC_ASSERT(again.class_names == graph.class_names);
  }));
}

}  // namespace
}  // namespace creg::array_files_properties_test
