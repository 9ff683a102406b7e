#include "report.h"

#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "graph.h"
#include "job.h"
#include "learn/symmetric_eigen.h"
#include "learn/tsne.h"
#include "ops/runtime.h"
#include "report/writers.h"
#include "run.h"
#include "run/run_page.h"

namespace creg::python {
namespace {

/// A folder, its name on the page, and the graph where the folder names none.
using Source = std::tuple<std::string, std::string, const PyGraph*>;

py::object write_page_of(const Job& job, const std::vector<Source>& runs, const std::string& out,
                         const std::string& title, bool maps, bool tsne_too, std::int64_t map_nodes,
                         bool baselines, const std::string& data_dir,
                         const std::vector<std::string>& methods,
                         const std::vector<std::string>& datasets, std::size_t most_runs) {
  std::vector<PageSource> sources;
  for (const auto& [folder, name, graph] : runs) {
    sources.push_back(
        {.path = folder, .name = name, .data = graph == nullptr ? nullptr : graph->data});
  }
  const PageOptions options{
      .title = title,
      .data_dir = data_dir,
      .maps = maps,
      .tsne = tsne_too,
      .map_nodes = map_nodes,
      .baselines = baselines,
      .choice = {.methods = methods, .datasets = datasets, .most = most_runs}};
  Report report;
  job.run([&](const Context& context) { report = write_run_page(context, sources, out, options); });
  return parsed_json(to_json_text(report.body));
}

py::array tsne_of(const Job& job, const py::array& rows, double perplexity) {
  const DenseMatrix values = viewed_matrix(rows);
  std::vector<float> points;
  job.run([&](const Context& context) {
    prepare_torch(context);
    points = tsne(context, values, learn::symmetric_eigen, {.perplexity = perplexity});
  });
  return over_memory_of(Array<float>(std::move(points)), {values.rows, 2});
}

}  // namespace

void bind_report(py::module_& module) {
  module.def("report", &write_page_of, py::arg("job"), py::arg("runs"), py::arg("out"),
             py::kw_only(), py::arg("title") = "", py::arg("maps") = true, py::arg("tsne") = true,
             py::arg("map_nodes") = PageOptions().map_nodes, py::arg("baselines") = true,
             py::arg("data_dir") = "", py::arg("methods") = std::vector<std::string>(),
             py::arg("datasets") = std::vector<std::string>(),
             py::arg("most_runs") = PageChoice().most);
  module.def("tsne", &tsne_of, py::arg("job"), py::arg("rows"), py::kw_only(),
             py::arg("perplexity") = TsneOptions().perplexity);
}

}  // namespace creg::python
