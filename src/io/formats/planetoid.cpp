#include "io/formats/planetoid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <set>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "io/containers/pickle.h"
#include "io/containers/pickle_numpy.h"
#include "io/formats/graph_arrays.h"

namespace creg {
namespace {

constexpr std::int64_t validation_nodes = 500;

struct FilePart {
  const char* suffix;
  Bytes PlanetoidFiles::*file;
};

constexpr std::array<FilePart, 8> parts = {{
    {"x", &PlanetoidFiles::x},
    {"y", &PlanetoidFiles::y},
    {"tx", &PlanetoidFiles::tx},
    {"ty", &PlanetoidFiles::ty},
    {"allx", &PlanetoidFiles::allx},
    {"ally", &PlanetoidFiles::ally},
    {"graph", &PlanetoidFiles::graph},
    {"test.index", &PlanetoidFiles::test_index},
}};

struct Labels {
  Array<std::int32_t> ids;
  std::int64_t classes = 0;
};

Labels read_labels(const Bytes& file) {
  const Pickle pickle(file);
  const NdArray array = array_from_pickle(pickle, pickle.value(), "");
  Array<std::int32_t> ids = labels_from_one_hot(array);
  return {.ids = std::move(ids), .classes = array.shape()[1]};
}

void require_equal(const Bytes& file, const std::string& what, std::int64_t found,
                   std::int64_t expected, const std::string& as_in) {
  if (found == expected) return;
  fail_input({.what = what + " do not match",
              .file = file.name,
              .found = with_commas(found),
              .expected = with_commas(expected) + ", as in " + as_in});
}

std::vector<std::int32_t> read_test_index(const Bytes& file) {
  std::vector<std::int32_t> ids;
  std::string_view rest = file.text();
  for (std::int64_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (text.ends_with('\r')) text.remove_suffix(1);
    std::int32_t id = -1;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || stop != text.data() + text.size() || id < 0) {
      fail_input({.what = "not a node id",
                  .file = file.name,
                  .place = fmt::format("line {}", line),
                  .found = in_quotes(text),
                  .expected = "a whole number from 0"});
    }
    ids.push_back(id);
  }
  return ids;
}

// The dict of the graph file: each node once, with a list of neighbours.
CsrMatrix read_adjacency(const Context& context, const Bytes& file, std::int64_t nodes) {
  const auto fail = [&](std::string what, std::string found, std::string expected,
                        std::string place = {}) {
    fail_input({.what = std::move(what),
                .file = file.name,
                .place = std::move(place),
                .found = std::move(found),
                .expected = std::move(expected)});
  };
  const auto id_of = [&](const PickleValue& value, const std::string& place) {
    const auto* id = std::get_if<std::int64_t>(&value);
    if (id == nullptr || *id < 0 || *id >= nodes) {
      fail("not a node id", describe(value), fmt::format("a number from 0 to {}", nodes - 1),
           place);
    }
    return static_cast<std::int32_t>(*id);
  };
  const Pickle pickle(file);
  const auto* object = std::get_if<const PickleObject*>(&pickle.value());
  const auto* dict = std::get_if<const PickleDict*>(&pickle.value());
  const bool is_dict = dict != nullptr || (object != nullptr && (*object)->type == "defaultdict");
  if (!is_dict) {
    fail("a pickle of something else", describe(pickle.value()), "a dict of neighbour lists");
  }
  const auto& items = dict != nullptr ? (*dict)->items : (*object)->items;
  require_equal(file, "nodes", static_cast<std::int64_t>(items.size()), nodes,
                "allx and test.index");
  std::vector<char> seen(static_cast<std::size_t>(nodes), 0);
  std::vector<std::int32_t> sources;
  std::vector<std::int32_t> targets;
  for (const auto& [key, value] : items) {
    const std::int32_t node = id_of(key, "a key");
    const std::string place = fmt::format("node {}", node);
    if (seen[static_cast<std::size_t>(node)]++ != 0) fail("a node is listed twice", place, "once");
    const auto* list = std::get_if<const PickleList*>(&value);
    if (list == nullptr) fail("not a list of neighbours", describe(value), "a list", place);
    // One list can stand for many in a pickle; an honest file spends a byte on every entry.
    if (sources.size() + (*list)->items.size() > file.data.size()) {
      fail("more neighbours than the file has bytes", "a list that is used many times",
           "a list per node", place);
    }
    for (const PickleValue& neighbour : (*list)->items) {
      sources.push_back(node);
      targets.push_back(id_of(neighbour, place));
    }
  }
  return csr_from_entries(context, nodes, nodes, sources, targets);
}

// Rows of `allx`, then those of `tx` at the places that `test_ids` gives them.
CsrMatrix stack_features(const CsrMatrix& allx, const CsrMatrix& tx,
                         std::span<const std::int32_t> test_ids, std::int64_t nodes) {
  std::vector<std::int64_t> row_of_tx(static_cast<std::size_t>(nodes - allx.rows), -1);
  for (std::size_t k = 0; k < test_ids.size(); ++k) {
    row_of_tx[static_cast<std::size_t>(test_ids[k] - allx.rows)] = static_cast<std::int64_t>(k);
  }
  const bool plain = allx.values.empty() && tx.values.empty();
  Buffer<std::int64_t> offsets(nodes + 1);
  Buffer<std::int32_t> columns(allx.nonzeros() + tx.nonzeros());
  Buffer<float> values(plain ? 0 : columns.size());
  offsets[0] = 0;
  const auto copy_row = [&](const CsrMatrix& from, std::int64_t row, std::int64_t node) {
    std::int64_t at = offsets[node];
    for (std::int64_t e = from.offsets[row]; e < from.offsets[row + 1]; ++e, ++at) {
      columns[at] = from.columns[e];
      if (!plain) values[at] = from.value(e);
    }
    offsets[node + 1] = at;
  };
  for (std::int64_t r = 0; r < allx.rows; ++r) copy_row(allx, r, r);
  for (std::int64_t node = allx.rows; node < nodes; ++node) {
    const std::int64_t row = row_of_tx[static_cast<std::size_t>(node - allx.rows)];
    offsets[node + 1] = offsets[node];
    if (row >= 0) copy_row(tx, row, node);
  }
  return {.rows = nodes,
          .cols = allx.cols,
          .offsets = std::move(offsets),
          .columns = std::move(columns),
          .values = plain ? Array<float>() : Array<float>(std::move(values))};
}

// Number of nodes, after checking that the test ids are the ones that allx leaves.
std::int64_t count_nodes(const Bytes& file, std::span<const std::int32_t> test_ids,
                         std::int64_t others) {
  std::vector<std::int32_t> sorted(test_ids.begin(), test_ids.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    fail_input({.what = "a test node is listed twice",
                .file = file.name,
                .found = "node " + std::to_string(*twice)});
  }
  if (!sorted.empty() && sorted.front() < others) {
    fail_input({.what = "a test node that allx holds too",
                .file = file.name,
                .found = "node " + std::to_string(sorted.front()),
                .expected = fmt::format("{} or more", others)});
  }
  return sorted.empty() ? others : std::int64_t{sorted.back()} + 1;
}

Array<std::int32_t> range(std::int64_t first, std::int64_t last) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(last - first));
  std::iota(ids.begin(), ids.end(), static_cast<std::int32_t>(first));
  return ids;
}

}  // namespace

Graph read_planetoid(const Context& context, const PlanetoidFiles& files, std::string name) {
  const CsrMatrix allx = csr_from_pickle(Pickle(files.allx));
  const CsrMatrix tx = csr_from_pickle(Pickle(files.tx));
  const CsrMatrix x = csr_from_pickle(Pickle(files.x));
  const Labels ally = read_labels(files.ally);
  const Labels ty = read_labels(files.ty);
  const Labels y = read_labels(files.y);
  const std::vector<std::int32_t> test_ids = read_test_index(files.test_index);
  require_equal(files.tx, "features", tx.cols, allx.cols, "allx");
  require_equal(files.x, "features", x.cols, allx.cols, "allx");
  require_equal(files.ally, "rows", ally.ids.size(), allx.rows, "allx");
  require_equal(files.ty, "rows", ty.ids.size(), tx.rows, "tx");
  require_equal(files.y, "rows", y.ids.size(), x.rows, "x");
  require_equal(files.ty, "classes", ty.classes, ally.classes, "ally");
  require_equal(files.y, "classes", y.classes, ally.classes, "ally");
  require_equal(files.test_index, "lines", static_cast<std::int64_t>(test_ids.size()), tx.rows,
                "tx");
  if (x.rows > allx.rows || !std::equal(y.ids.begin(), y.ids.end(), ally.ids.begin())) {
    fail_input({.what = "the training nodes are not the first ones of ally",
                .file = files.y.name,
                .expected = "the same labels in y and at the start of ally"});
  }

  Graph graph;
  graph.name = std::move(name);
  const std::int64_t nodes = count_nodes(files.test_index, test_ids, allx.rows);
  graph.adjacency = read_adjacency(context, files.graph, nodes);
  graph.features = compact(sort_rows(context, stack_features(allx, tx, test_ids, nodes)));
  std::vector<std::int32_t> labels(static_cast<std::size_t>(nodes), unlabelled);
  std::copy(ally.ids.begin(), ally.ids.end(), labels.begin());
  for (std::size_t k = 0; k < test_ids.size(); ++k) {
    labels[static_cast<std::size_t>(test_ids[k])] = ty.ids[static_cast<std::int64_t>(k)];
  }
  graph.labels = std::move(labels);
  std::vector<std::int32_t> sorted_test = test_ids;
  std::sort(sorted_test.begin(), sorted_test.end());
  graph.splits.push_back({.name = "public",
                          .train = range(0, x.rows),
                          .val = range(x.rows, std::min(x.rows + validation_nodes, allx.rows)),
                          .test = std::move(sorted_test)});
  validate(graph, files.graph.name);
  return graph;
}

PlanetoidFiles open_planetoid(const std::filesystem::path& folder, const std::string& name) {
  PlanetoidFiles files;
  std::vector<std::string> missing;
  for (const FilePart& part : parts) {
    const std::string file = fmt::format("ind.{}.{}", name, part.suffix);
    if (!is_there(folder / file)) {
      missing.push_back(file);
    } else if (missing.empty()) {
      files.*part.file = map_file(folder / file);
    }
  }
  if (!missing.empty()) {
    fail_input(
        {.what = missing.size() == 1 ? "a file of this dataset is missing"
                                     : "files of this dataset are missing",
         .file = (folder / missing.front()).string(),
         .found = missing.size() == 1 ? std::string() : "no " + join_words(missing, " or "),
         .hint = fmt::format("it comes from https://github.com/kimiyoung/planetoid/raw/master/"
                             "data/{}: put it there, or run `creg data get {}`",
                             missing.front(), name)});
  }
  return files;
}

Graph read_planetoid(const Context& context, const std::filesystem::path& folder,
                     std::string name) {
  const PlanetoidFiles files = open_planetoid(folder, name);
  return read_planetoid(context, files, std::move(name));
}

std::vector<std::string> planetoid_names(const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string file = it->path().filename().string();
    if (!file.starts_with("ind.")) continue;
    for (const FilePart& part : parts) {
      const std::string suffix = std::string(".") + part.suffix;
      constexpr std::size_t prefix = 4;
      if (file.ends_with(suffix) && file.size() > prefix + suffix.size()) {
        names.insert(file.substr(prefix, file.size() - prefix - suffix.size()));
      }
    }
  }
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) {
    fail_input({.what = "no such folder", .file = folder.string()});
  }
  if (error) {
    fail_errno(error.value(), "cannot read this folder", folder.string());
  }
  return {names.begin(), names.end()};
}

std::string only_planetoid(const std::filesystem::path& folder) {
  std::vector<std::string> names = planetoid_names(folder);
  if (names.size() != 1) {
    fail_input({.what = "the folder holds several Planetoid datasets",
                .file = folder.string(),
                .found = join_words(names),
                .expected = "the ind.* files of one",
                .hint = "move the files of each into a folder of its own"});
  }
  return std::move(names.front());
}

}  // namespace creg
