#include "run/page_map.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "creg/core/error.h"
#include "learn/logistic_regression.h"
#include "learn/nearest_rows.h"
#include "learn/pca.h"
#include "learn/tsne.h"
#include "run/calibrated_run.h"
#include "run/embeddings.h"
#include "tasks/embedding_rows.h"

namespace creg {
namespace {

constexpr std::int64_t map_neighbours = 10;

DenseMatrix rows_of(const DenseMatrix& matrix, std::span<const std::int32_t> rows) {
  if (static_cast<std::int64_t>(rows.size()) == matrix.rows) return matrix;
  Buffer<float> values(static_cast<std::int64_t>(rows.size()) * matrix.cols);
  float* to = values.begin();
  for (const std::int32_t row : rows) to = std::ranges::copy(matrix.row(row), to).out;
  return {.rows = static_cast<std::int64_t>(rows.size()),
          .cols = matrix.cols,
          .values = std::move(values)};
}

/// Two numbers a row, zeros where there are not as many columns or rows.
std::vector<float> principal_points(const Context& context, const DenseMatrix& rows) {
  const std::int64_t components = std::min<std::int64_t>({2, rows.rows, rows.cols});
  std::vector<float> points(static_cast<std::size_t>(2 * rows.rows), 0.0F);
  if (components == 0) return points;
  const DenseMatrix found =
      project(context, fit_pca(context, rows, components, learn::symmetric_eigen), rows);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    std::ranges::copy(found.row(i), points.begin() + 2 * i);
  }
  return points;
}

bool joined(const Graph& graph, std::int32_t a, std::int32_t b) {
  const auto leads = [&](std::int32_t from, std::int32_t to) {
    return std::ranges::find(graph.adjacency.row(from), to) != graph.adjacency.row(from).end();
  };
  return leads(a, b) || (graph.directed && leads(b, a));
}

/// The most similar of the nodes shown by cosine, and how sure the embedding is of each.
void add_neighbours(const Context& context, const JudgedEmbeddings& given, const DenseMatrix& rows,
                    PageMap& map) {
  map.k = std::min(map_neighbours, rows.rows - 1);
  if (map.k < 1) {
    map.k = 0;
    return;
  }
  map.neighbours = nearest_rows(context, tasks::unit_rows(context, rows), map.k).rows;
  for (std::size_t i = 0; i < map.neighbours.size(); ++i) {
    const auto own = static_cast<std::int64_t>(i) / map.k;
    const std::int64_t other = map.neighbours[i];
    double score = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(rows.cols); ++c) {
      score += static_cast<double>(rows.row(own)[c]) * rows.row(other)[c];
    }
    map.sigma.push_back(static_cast<float>(1 / (1 + std::exp(-score))));
    map.edges.push_back(joined(given.graph, given.shown[static_cast<std::size_t>(own)],
                               given.shown[static_cast<std::size_t>(other)]));
  }
}

/// The downstream classifier, as `classify` fits it for the split.
struct Predictions {
  LinearModel model;
  PageConfusion confusion;
};

Predictions predictions_of(const Context& context, const JudgedEmbeddings& given,
                           const DenseMatrix& embedding) {
  const Graph& graph = given.graph;
  Predictions out;
  out.model =
      fit_logistic_regression(
          context, {.values = embedding, .rows = given.split->train, .labels = graph.labels})
          .model;
  const auto classes = static_cast<std::size_t>(graph.classes());
  out.confusion.counts.assign(classes, std::vector<std::int64_t>(classes, 0));
  const std::vector<std::int32_t> found = predict(context, out.model, embedding, given.split->test);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int32_t label = graph.labels[given.split->test[static_cast<std::int64_t>(i)]];
    ++out.confusion.counts[static_cast<std::size_t>(label)][static_cast<std::size_t>(found[i])];
  }
  return out;
}

void add_predictions(const Context& context, const LinearModel& model, const DenseMatrix& embedding,
                     std::span<const std::int32_t> shown, PageMap& map) {
  const ClassTable scores = class_scores(context, model, embedding, shown);
  for (std::int64_t i = 0; i < scores.rows; ++i) {
    const auto row = scores.row(i);
    const auto best = std::ranges::max_element(row);
    double sum = 0;
    for (const double score : row) sum += std::exp(score - *best);
    map.predictions.push_back(model.classes[static_cast<std::size_t>(best - row.begin())]);
    map.confidence.push_back(static_cast<float>(1 / sum));
  }
}

/// Everything but the figures.
void draw_first(const Context& context, const JudgedEmbeddings& given, const DenseMatrix& embedding,
                const CalibratedRun& calibrated, PageRun& run) {
  if (calibrated.embedding.pairs.labelled) {
    run.pair_bins = calibrated.embedding.pairs.labelled->equal_width;
  }
  if (calibrated.classifier) run.classifier_bins = calibrated.classifier->test.bins;
  if (calibrated.embedding.spectrum) run.spectrum = calibrated.embedding.spectrum->classes;
  std::optional<Predictions> predictions;
  if (given.split != nullptr) {
    predictions = predictions_of(context, given, embedding);
    run.confusion = predictions->confusion;
  }
  if (given.shown.empty()) return;
  PageMap& map = run.map.emplace();
  const DenseMatrix rows = rows_of(embedding, given.shown);
  map.principal = principal_points(context, rows);
  if (given.tsne) map.tsne = tsne(context, rows, learn::symmetric_eigen);
  if (predictions) add_predictions(context, predictions->model, embedding, given.shown, map);
  add_neighbours(context, given, rows, map);
}

/// Those of `creg calibrate` that the page has a place for.
constexpr std::array shown_figures = {"ece",           "q_positive",    "mean_sigma_random",
                                      "norm_mean",     "norm_variance", "s_f",
                                      "classifier_ece"};

}  // namespace

void judge_for_page(const Context& context, const JudgedEmbeddings& given, PageRun& run) {
  std::array<Sample, shown_figures.size()> samples;
  for (std::size_t seed = 0; seed < given.files.size(); ++seed) {
    const DenseMatrix embedding = read_embedding(given.files[seed]);
    try {
      tasks::check_rows(given.graph, embedding);
      const CalibratedRun calibrated =
          calibrated_run(context, given.graph, embedding, {}, {.resamples = 0}, given.protocol, 0);
      const CalibrationFigures found = figures_of(calibrated.embedding);
      std::size_t place = 0;
      for (const std::optional<double>& figure :
           {found.ece, found.q_positive, found.mean_sigma_random, found.norm_mean,
            found.norm_variance, found.s_f,
            calibrated.classifier ? std::optional(calibrated.classifier->test.ece)
                                  : std::nullopt}) {
        if (figure) samples[place].values.push_back(*figure);
        ++place;
      }
      if (seed == 0) draw_first(context, given, embedding, calibrated, run);
    } catch (const Error& error) {
      run.notes.emplace_back(error.what());
      context.log().write(LogLevel::warning, run.name + ": " + error.what());
    }
  }
  for (std::size_t i = 0; i < shown_figures.size(); ++i) {
    run.figures.push_back({shown_figures[i], samples[i]});
  }
}

}  // namespace creg
