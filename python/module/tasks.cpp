#include "tasks.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "encoder.h"
#include "graph.h"
#include "job.h"
#include "loss.h"
#include "names.h"
#include "ops/runtime.h"
#include "report/calibration_report.h"
#include "report/classify_report.h"
#include "report/cluster_report.h"
#include "report/link_report.h"
#include "report/writers.h"
#include "run.h"
#include "run/calibrated_run.h"
#include "run/embeddings.h"
#include "run/link_runs.h"

namespace creg::python {
namespace {

std::vector<DenseMatrix> matrices(const std::vector<py::array>& embeddings) {
  std::vector<DenseMatrix> out;
  for (const py::array& one : embeddings) out.push_back(viewed_matrix(one));
  return out;
}

py::object as_object(const Report& report) {
  return parsed_json(to_json_text(report.body));
}

py::object classify_rows(const Job& job, const PyGraph& graph,
                         const std::vector<py::array>& embeddings, const std::string& protocol,
                         int splits, std::optional<int> split, const std::string& normalize,
                         int smooth, bool baselines) {
  ClassifyOptions options{.protocol = protocol, .splits = splits, .split = split, .smooth = smooth};
  if (options.protocol.empty()) options.protocol = graph.data->dataset.protocol;
  if (!normalize.empty()) options.normalize = parse_normalize(normalize);
  const std::vector<DenseMatrix> rows = matrices(embeddings);
  Report report;
  job.run([&](const Context& context) {
    options.seed = context.seed();
    std::vector<ClassifyResult> results;
    for (const DenseMatrix& one : rows) {
      results.push_back(classify(context, graph.data->graph, one, options));
    }
    const ClassifyResult pooled = pool_results(results);
    report = classify_report(pooled, graph.data->graph.name);
    std::vector<Baseline> beside;
    if (baselines) beside = classify_baselines(context, graph.data->graph, options);
    append(report.body, baselines_record(pooled, beside));
  });
  return as_object(report);
}

template <class T>
py::array matrix_of(std::vector<T> values, std::int64_t width) {
  const auto rows = static_cast<py::ssize_t>(values.size()) / width;
  return over_memory_of(Array<T>(std::move(values)), {rows, width});
}

/// Of all nodes where none are named.
py::dict neighbours_of(const Job& job, const PyGraph* graph, const py::array& embedding,
                       const std::optional<std::vector<std::int32_t>>& nodes, std::int64_t k,
                       const std::string& similarity, const std::string& graph_neighbours,
                       std::optional<bool> approximate) {
  NeighbourOptions options{
      .k = k,
      .similarity = named<Similarity>("similarity", similarity),
      .graph_neighbours = named<GraphNeighbours>("graph_neighbors", graph_neighbours)};
  if (approximate) {
    options.search = *approximate ? NeighbourSearch::approximate : NeighbourSearch::exact;
  }
  const DenseMatrix rows = viewed_matrix(embedding);
  const Graph* const known = graph == nullptr ? nullptr : &graph->data->graph;
  NeighbourLists found;
  NeighbourSummary summary;
  job.run([&](const Context& context) {
    prepare_torch(context);
    if (nodes) {
      found = neighbours(context, known, rows, *nodes, options);
      return;
    }
    summary = all_neighbours(context, known, rows, options, [&](const NeighbourLists& some) {
      const auto take = [](auto& all, const auto& more) {
        all.insert(all.end(), more.begin(), more.end());
      };
      take(found.neighbours, some.neighbours);
      take(found.scores, some.scores);
      take(found.edges, some.edges);
    });
  });
  py::dict out;
  out["neighbours"] = matrix_of(std::move(found.neighbours), k);
  out["scores"] = matrix_of(std::move(found.scores), k);
  out["edges"] =
      known == nullptr ? py::object(py::none()) : py::object(matrix_of(std::move(found.edges), k));
  out["recall"] = summary.recall;
  return out;
}

py::object cluster_rows(const Job& job, const PyGraph& graph,
                        const std::vector<py::array>& embeddings, std::int64_t clusters, int seeds,
                        std::optional<std::int64_t> pca, const std::string& normalize, int smooth) {
  ClusterOptions options{.k = clusters,
                         .seeds = seeds,
                         .normalize = parse_normalize(normalize),
                         .smooth = smooth,
                         .pca = pca};
  const std::vector<DenseMatrix> rows = matrices(embeddings);
  Report report;
  job.run([&](const Context& context) {
    prepare_torch(context);
    options.seed = context.seed();
    std::vector<ClusterResult> results;
    for (const DenseMatrix& one : rows) {
      results.push_back(cluster(context, graph.data->graph, one, options));
    }
    report = cluster_report(
        {.dataset = graph.data->graph.name, .alternatives = {pool_results(results)}});
  });
  return as_object(report);
}

py::object calibrate_rows(const Job& job, const PyGraph& graph,
                          const std::vector<py::array>& embeddings, const std::string& positives,
                          std::int64_t k, const std::string& similarity, bool include_self,
                          std::int64_t anchors, double r_positive, int bins, int resamples,
                          const std::string& protocol, int split) {
  const Graph& whole = graph.data->graph;
  CalibrationOutcome outcome;
  outcome.dataset = whole.name;
  outcome.nodes = whole.nodes();
  outcome.pairs = {.source = named<PairSource>("positives", positives),
                   .k = k,
                   .similarity = named<Similarity>("similarity", similarity),
                   .self = include_self ? SelfPairs::include : SelfPairs::exclude,
                   .anchors = anchors};
  outcome.options = {.r_positive = r_positive, .bins = bins, .resamples = resamples};
  for (const std::int32_t label : whole.labels.span()) outcome.labelled += label != unlabelled;
  outcome.protocol = !protocol.empty()                       ? protocol
                     : !graph.data->dataset.protocol.empty() ? graph.data->dataset.protocol
                                                             : default_protocol(whole);
  const std::vector<DenseMatrix> rows = matrices(embeddings);
  job.run([&](const Context& context) {
    prepare_torch(context);
    for (const DenseMatrix& one : rows) {
      outcome.runs.push_back(calibrated_run(context, whole, one, outcome.pairs, outcome.options,
                                            outcome.protocol, split));
      outcome.runs.back().no_direction = "needs the folder of a run with Contrast-Reg";
    }
  });
  return as_object(calibration_report(outcome));
}

py::object link_graph(const Job& job, const PyGraph& graph, const Settings& settings,
                      const PyLoss* loss, const PyEncoder* encoder, const std::string& recipe,
                      int splits, int seeds) {
  RunSpec spec;
  spec.settings = settings;
  spec.recipe = recipe;
  spec.evaluate = false;
  if (encoder != nullptr) spec.added_encoder = encoder->added();
  if (loss != nullptr) {
    spec.added = loss->entry();
    spec.settings["method"] = loss->name();
  }
  Report report;
  job.run([&](const Context& context) {
    const RunPlan made = plan(context, *graph.data, spec);
    LinkPlan links{.splits = splits, .seeds = seeds};
    links.link.predictor.seed = context.seed();
    links.link.normalize = plain_rows(made.config);
    links.link.smooth = made.config.smooth;
    report =
        link_report(run_links(context, made, links).result, made.graph.name, made.config.method);
  });
  return as_object(report);
}

}  // namespace

void bind_tasks(py::module_& module) {
  module.def("classify", &classify_rows, py::arg("job"), py::arg("graph"), py::arg("embeddings"),
             py::kw_only(), py::arg("protocol") = "", py::arg("splits") = 0,
             py::arg("split") = py::none(), py::arg("normalize") = "", py::arg("smooth") = 0,
             py::arg("baselines") = false);
  module.def("neighbours", &neighbours_of, py::arg("job"), py::arg("graph"), py::arg("embedding"),
             py::arg("nodes"), py::kw_only(), py::arg("k") = 10, py::arg("similarity") = "cosine",
             py::arg("graph_neighbors") = "mark", py::arg("approximate") = py::none());
  module.def("cluster", &cluster_rows, py::arg("job"), py::arg("graph"), py::arg("embeddings"),
             py::kw_only(), py::arg("clusters") = 0, py::arg("seeds") = 5,
             py::arg("pca") = py::none(), py::arg("normalize") = "none", py::arg("smooth") = 0);
  module.def("calibrate", &calibrate_rows, py::arg("job"), py::arg("graph"), py::arg("embeddings"),
             py::kw_only(), py::arg("positives") = "top-k", py::arg("k") = 5,
             py::arg("similarity") = "cosine", py::arg("include_self") = true,
             py::arg("anchors") = 0, py::arg("r_positive") = 0.5, py::arg("bins") = 15,
             py::arg("resamples") = 1000, py::arg("protocol") = "", py::arg("split") = 0);
  module.def("link", &link_graph, py::arg("job"), py::arg("graph"), py::arg("settings"),
             py::kw_only(), py::arg("loss") = py::none(), py::arg("encoder") = py::none(),
             py::arg("recipe") = "", py::arg("splits") = 5, py::arg("seeds") = 5);
}

}  // namespace creg::python
