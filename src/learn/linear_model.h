// A linear classifier, whoever trained it, and the rows it learns from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// Rows of a matrix with a label each: what a classifier learns from. `labels` has one entry per
/// row of `values`; `rows` says which of them count.
struct LabelledRows {
  const DenseMatrix& values;
  std::span<const std::int32_t> rows;
  std::span<const std::int32_t> labels;
};

/// One score per output: weights * x + intercept. With two classes there is one output, positive
/// for the second; with one class there is none, and every answer is that class.
struct LinearModel {
  std::vector<std::int32_t> classes;  ///< the labels met in training, ascending
  std::int64_t features = 0;
  std::vector<double> weights;     ///< outputs x features, row-major
  std::vector<double> intercepts;  ///< one per output

  std::int64_t outputs() const { return static_cast<std::int64_t>(intercepts.size()); }
};

/// The label of each of the rows: that of the highest score, the first of equal ones. A matrix of
/// another width than the model's is an input error.
std::vector<std::int32_t> predict(const Context& context, const LinearModel& model,
                                  const DenseMatrix& values, std::span<const std::int32_t> rows);

/// One number per row and class of a model, row-major, classes as the model has them.
struct ClassTable {
  std::int64_t rows = 0;
  std::int64_t classes = 0;
  std::vector<double> values;

  std::span<const double> row(std::int64_t i) const {
    return std::span(values).subspan(static_cast<std::size_t>(i * classes),
                                     static_cast<std::size_t>(classes));
  }
};

/// Scores whose softmax is the chance of every class, however many there are: with two of them 0
/// and the model's score, with one of them 0. The highest one, the first of equal ones, is
/// `predict`'s. Of a model whose scores are fitted one by one (one-vs-rest) chances are not what
/// they mean.
ClassTable class_scores(const Context& context, const LinearModel& model, const DenseMatrix& values,
                        std::span<const std::int32_t> rows);

/// The fraction of the rows whose label is predicted.
double accuracy(const Context& context, const LinearModel& model, const LabelledRows& data);

}  // namespace creg
