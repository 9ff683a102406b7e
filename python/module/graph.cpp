#include "graph.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/build.h"
#include "io/catalogue.h"
#include "io/creg_file.h"
#include "io/download.h"
#include "job.h"

namespace creg::python {
namespace {

using SparseParts = std::tuple<py::array, py::array, std::optional<py::array>, std::int64_t>;
using SplitParts = std::tuple<std::string, py::array, py::array, py::array>;

[[noreturn]] void fail_id(std::int64_t row, std::int64_t column, std::int64_t id,
                          std::int64_t nodes) {
  fail_input({.what = "an edge of a node that is not there",
              .file = "edge_index",
              .place = "[" + std::to_string(row) + ", " + std::to_string(column) + "]",
              .found = std::to_string(id),
              .expected = nodes == 0 ? "no edge in a graph without nodes"
                                     : "0 to " + std::to_string(nodes - 1)});
}

template <class T>
void check_ids(std::span<const T> ids, std::int64_t row, std::int64_t nodes) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto id = static_cast<std::int64_t>(ids[i]);
    if (id < 0 || id >= nodes) fail_id(row, static_cast<std::int64_t>(i), id, nodes);
  }
}

/// One end of all edges, with 32 bits each; viewed where it has them already.
Array<std::int32_t> ends(const py::array& given, std::int64_t row, std::int64_t nodes) {
  if (py::isinstance<py::array_t<std::int32_t>>(given)) {
    Array<std::int32_t> ids = viewed<std::int32_t>(given);
    check_ids<std::int32_t>(ids.span(), row, nodes);
    return ids;
  }
  const Array<std::int64_t> wide = viewed<std::int64_t>(given);
  check_ids<std::int64_t>(wide.span(), row, nodes);
  Buffer<std::int32_t> narrow(wide.size());
  for (std::int64_t i = 0; i < wide.size(); ++i) narrow[i] = static_cast<std::int32_t>(wide[i]);
  return narrow;
}

Features features_of(const std::optional<py::array>& dense,
                     const std::optional<SparseParts>& sparse, std::int64_t nodes) {
  if (dense) return viewed_matrix(*dense);
  if (!sparse) return {};
  const auto& [offsets, columns, values, width] = *sparse;
  CsrMatrix matrix{.rows = nodes, .cols = width};
  matrix.offsets = viewed<std::int64_t>(offsets);
  matrix.columns = viewed<std::int32_t>(columns);
  if (values) matrix.values = viewed<float>(*values);
  return matrix;
}

PyGraph from_edges(const Job& job, const py::array& sources, const py::array& targets,
                   const std::optional<py::array>& weights, std::int64_t nodes, bool directed,
                   const std::optional<py::array>& dense, const std::optional<SparseParts>& sparse,
                   const std::optional<py::array>& labels,
                   const std::vector<std::string>& class_names,
                   const std::optional<std::vector<std::string>>& names,
                   const std::vector<SplitParts>& splits, const std::string& name) {
  if (nodes < 0 || nodes > max_nodes) {
    fail_input({.what = "more nodes than there can be",
                .file = "num_nodes",
                .found = std::to_string(nodes),
                .expected = "at most " + std::to_string(max_nodes)});
  }
  const Array<std::int32_t> from = ends(sources, 0, nodes);
  const Array<std::int32_t> to = ends(targets, 1, nodes);
  const Array<float> weighed = weights ? viewed<float>(*weights) : Array<float>();
  Graph graph{.name = name, .directed = directed, .features = features_of(dense, sparse, nodes)};
  if (labels) graph.labels = viewed<std::int32_t>(*labels);
  graph.class_names = class_names;
  if (names) graph.names = NodeNames(*names);
  for (const auto& [title, train, val, test] : splits) {
    graph.splits.push_back({title, viewed<std::int32_t>(train), viewed<std::int32_t>(val),
                            viewed<std::int32_t>(test)});
  }
  PyGraph made;
  job.run([&](const Context& context) {
    graph.adjacency = csr_from_entries(context, nodes, nodes, from, to, weighed);
    made.data = std::make_shared<const Data>(load(context, std::move(graph)));
  });
  return made;
}

PyGraph open(const Job& job, const std::string& dataset, const std::string& data_dir,
             const std::vector<std::string>& transforms, bool allow_empty, bool drop_unknown_ids,
             bool download, const std::string& mirror) {
  DataSpec spec{.dataset = dataset, .transforms = transforms, .data_dir = data_dir};
  spec.reading = {.allow_empty = allow_empty,
                  .unknown_ids = drop_unknown_ids ? UnknownIds::drop : UnknownIds::error};
  PyGraph opened;
  job.run([&](const Context& context) {
    if (download) {
      get_dataset(context, dataset_by_name(dataset), {.data_dir = data_dir, .mirror = mirror});
    }
    opened.data = std::make_shared<const Data>(load(context, spec));
  });
  return opened;
}

py::object values_or_none(const Array<float>& values) {
  return values.empty() ? py::object(py::none()) : py::object(as_numpy(values));
}

py::tuple csr_arrays(const CsrMatrix& matrix) {
  return py::make_tuple(as_numpy(matrix.offsets), as_numpy(matrix.columns),
                        values_or_none(matrix.values));
}

std::optional<std::vector<std::string>> names_of_nodes(const Graph& graph) {
  if (graph.names.empty()) return std::nullopt;
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(graph.nodes()));
  for (std::int64_t i = 0; i < graph.nodes(); ++i) names.emplace_back(graph.names[i]);
  return names;
}

}  // namespace

void bind_graph(py::module_& module) {
  const auto graph = [](const PyGraph& self) -> const Graph& { return self.data->graph; };
  py::class_<PyGraph>(module, "Graph")
      .def_static("from_edges", &from_edges, py::arg("job"), py::kw_only(), py::arg("sources"),
                  py::arg("targets"), py::arg("weights"), py::arg("nodes"), py::arg("directed"),
                  py::arg("dense"), py::arg("sparse"), py::arg("labels"), py::arg("class_names"),
                  py::arg("names"), py::arg("splits"), py::arg("name"))
      .def_static("open", &open, py::arg("job"), py::arg("dataset"), py::kw_only(),
                  py::arg("data_dir") = "", py::arg("transforms") = std::vector<std::string>(),
                  py::arg("allow_empty") = false, py::arg("drop_unknown_ids") = false,
                  py::arg("download") = false, py::arg("mirror") = "")
      .def("save",
           [](const PyGraph& self, const Job& job, const std::string& path) {
             job.run([&](const Context& context) {
               write_creg(context, path, self.data->graph, {.source = self.data->graph.name});
             });
           })
      .def_property_readonly("name", [graph](const PyGraph& self) { return graph(self).name; })
      .def_property_readonly("source",
                             [](const PyGraph& self) {
                               const Dataset& dataset = self.data->dataset;
                               return dataset.format == memory_format ? "" : dataset.source;
                             })
      .def_property_readonly("num_nodes",
                             [graph](const PyGraph& self) { return graph(self).nodes(); })
      .def_property_readonly("num_edges",
                             [graph](const PyGraph& self) {
                               const Graph& one = graph(self);
                               return one.adjacency.nonzeros() / (one.directed ? 1 : 2);
                             })
      .def_property_readonly(
          "num_features",
          [graph](const PyGraph& self) { return feature_cols(graph(self).features); })
      .def_property_readonly("num_classes",
                             [graph](const PyGraph& self) { return graph(self).classes(); })
      .def_property_readonly("directed",
                             [graph](const PyGraph& self) { return graph(self).directed; })
      .def("adjacency", [graph](const PyGraph& self) { return csr_arrays(graph(self).adjacency); })
      .def("dense_features",
           [graph](const PyGraph& self) -> py::object {
             const auto* const dense = std::get_if<DenseMatrix>(&graph(self).features);
             return dense == nullptr ? py::object(py::none()) : py::object(as_numpy(*dense));
           })
      .def("sparse_features",
           [graph](const PyGraph& self) -> py::object {
             const auto* const sparse = std::get_if<CsrMatrix>(&graph(self).features);
             return sparse == nullptr ? py::object(py::none()) : py::object(csr_arrays(*sparse));
           })
      .def("labels",
           [graph](const PyGraph& self) -> py::object {
             const Graph& one = graph(self);
             return one.has_labels() ? py::object(as_numpy(one.labels)) : py::object(py::none());
           })
      .def("class_names", [graph](const PyGraph& self) { return graph(self).class_names; })
      .def("names", [graph](const PyGraph& self) { return names_of_nodes(graph(self)); })
      .def("splits",
           [graph](const PyGraph& self) {
             py::list out;
             for (const Split& split : graph(self).splits) {
               out.append(py::make_tuple(split.name, as_numpy(split.train), as_numpy(split.val),
                                         as_numpy(split.test)));
             }
             return out;
           })
      .def("protocol", [](const PyGraph& self) { return self.data->dataset.protocol; });
}

}  // namespace creg::python
