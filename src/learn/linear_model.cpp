#include "learn/linear_model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/learn/metrics.h"
#include "learn/linear/class_targets.h"
#include "learn/row_blocks.h"

namespace creg {
namespace learn {

std::int64_t ClassTargets::outputs() const {
  const auto count = static_cast<std::int64_t>(classes.size());
  return count <= 2 ? count - 1 : count;
}

ClassTargets class_targets(const LabelledRows& data) {
  if (data.rows.empty()) {
    fail_input({.what = "there is no row to learn from",
                .found = "an empty training part",
                .expected = "at least one labelled row"});
  }
  if (static_cast<std::int64_t>(data.labels.size()) != data.values.rows) {
    fail_input({.what = "the labels do not fit the matrix",
                .found = std::to_string(data.labels.size()) + " labels",
                .expected = std::to_string(data.values.rows) + ", one per row"});
  }
  check_rows(data.values, data.rows);
  ClassTargets found;
  for (const std::int32_t row : data.rows) {
    const std::int32_t label = data.labels[static_cast<std::size_t>(row)];
    if (label < 0) {
      fail_input(
          {.what = "a row to learn from has no label", .place = "row " + std::to_string(row)});
    }
    found.classes.push_back(label);
  }
  std::sort(found.classes.begin(), found.classes.end());
  found.classes.erase(std::unique(found.classes.begin(), found.classes.end()), found.classes.end());
  for (const std::int32_t row : data.rows) {
    const auto place = std::lower_bound(found.classes.begin(), found.classes.end(),
                                        data.labels[static_cast<std::size_t>(row)]);
    found.targets.push_back(static_cast<std::int32_t>(place - found.classes.begin()));
  }
  return found;
}

LinearModel to_model(std::vector<std::int32_t> classes, std::int64_t features, std::int64_t outputs,
                     std::int64_t cols, const double* coefficients) {
  LinearModel model{.classes = std::move(classes), .features = features};
  for (std::int64_t j = 0; j < outputs; ++j) {
    for (std::int64_t k = 0; k < features; ++k) {
      model.weights.push_back(coefficients[k * cols + j]);
    }
    model.intercepts.push_back(coefficients[features * cols + j]);
  }
  return model;
}

AlignedVector from_model(const LinearModel& model) {
  const std::int64_t cols = padded_columns(model.outputs());
  AlignedVector coefficients(static_cast<std::size_t>((model.features + 1) * cols), 0.0);
  for (std::int64_t j = 0; j < model.outputs(); ++j) {
    for (std::int64_t k = 0; k < model.features; ++k) {
      coefficients[static_cast<std::size_t>(k * cols + j)] =
          model.weights[static_cast<std::size_t>(j * model.features + k)];
    }
    coefficients[static_cast<std::size_t>(model.features * cols + j)] =
        model.intercepts[static_cast<std::size_t>(j)];
  }
  return coefficients;
}

}  // namespace learn

namespace {

void check_fit(const LinearModel& model, const DenseMatrix& values,
               std::span<const std::int32_t> rows) {
  invariant(!model.classes.empty(), "a model knows a class");
  if (values.cols != model.features) {
    fail_input({.what = "the matrix does not fit the classifier",
                .found = std::to_string(values.cols) + " columns",
                .expected = std::to_string(model.features)});
  }
  learn::check_rows(values, rows);
}

}  // namespace

std::vector<std::int32_t> predict(const Context& context, const LinearModel& model,
                                  const DenseMatrix& values, std::span<const std::int32_t> rows) {
  check_fit(model, values, rows);
  std::vector<std::int32_t> labels(rows.size(), model.classes.front());
  const std::int64_t outputs = model.outputs();
  if (outputs == 0) return labels;
  learn::RowBlocks blocks(context, values, rows, outputs);
  const learn::AlignedVector coefficients = learn::from_model(model);
  blocks.scores(coefficients, [&](std::int64_t, std::int64_t first, std::int64_t count,
                                  const double* scores) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double* const row = scores + i * blocks.cols();
      const std::int64_t best =
          outputs == 1 ? (row[0] > 0 ? 1 : 0) : std::max_element(row, row + outputs) - row;
      labels[static_cast<std::size_t>(first + i)] = model.classes[static_cast<std::size_t>(best)];
    }
  });
  return labels;
}

ClassTable class_scores(const Context& context, const LinearModel& model, const DenseMatrix& values,
                        std::span<const std::int32_t> rows) {
  check_fit(model, values, rows);
  const auto classes = static_cast<std::int64_t>(model.classes.size());
  const auto count = static_cast<std::int64_t>(rows.size());
  ClassTable table{.rows = count,
                   .classes = classes,
                   .values = std::vector<double>(static_cast<std::size_t>(count * classes))};
  const std::int64_t outputs = model.outputs();
  if (outputs == 0) return table;
  invariant(outputs == classes || (outputs == 1 && classes == 2), "an output per class, or one");
  learn::RowBlocks blocks(context, values, rows, outputs);
  const learn::AlignedVector coefficients = learn::from_model(model);
  blocks.scores(coefficients,
                [&](std::int64_t, std::int64_t first, std::int64_t size, const double* scores) {
                  for (std::int64_t i = 0; i < size; ++i) {
                    const double* const from = scores + i * blocks.cols();
                    double* const to = table.values.data() + (first + i + 1) * classes - outputs;
                    std::copy(from, from + outputs, to);
                  }
                });
  return table;
}

double accuracy(const Context& context, const LinearModel& model, const LabelledRows& data) {
  std::vector<std::int32_t> truth;
  truth.reserve(data.rows.size());
  const std::vector<std::int32_t> predicted = predict(context, model, data.values, data.rows);
  for (const std::int32_t row : data.rows) {
    truth.push_back(data.labels[static_cast<std::size_t>(row)]);
  }
  return accuracy(predicted, truth);
}

}  // namespace creg
