// The moments of the classes by their definitions, for builds without libtorch.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>

#include "calibration/class_spectrum.h"
#include "support/plain_eigen.h"

namespace creg::test {

inline ClassSpectrum spectrum_by_definition(const DenseMatrix& embedding,
                                            std::span<const std::int32_t> labels) {
  const auto dim = static_cast<std::size_t>(embedding.cols);
  std::map<std::int32_t, std::vector<double>> moments;
  std::map<std::int32_t, std::int64_t> counts;
  double labelled = 0;
  ClassSpectrum out;
  for (std::int64_t i = 0; i < embedding.rows; ++i) {
    const std::int32_t label = labels[static_cast<std::size_t>(i)];
    if (label == unlabelled) continue;
    ++labelled;
    ++counts[label];
    moments[label].resize(dim * dim);
    const auto row = embedding.row(i);
    double squares = 0;
    for (std::size_t a = 0; a < dim; ++a) {
      squares += static_cast<double>(row[a]) * row[a];
      for (std::size_t b = 0; b < dim; ++b) {
        moments[label][a * dim + b] += static_cast<double>(row[a]) * row[b];
      }
    }
    out.radius = std::max(out.radius, std::sqrt(squares));
  }
  double squares = 0;
  double bound = 0;
  for (auto& [label, moment] : moments) {
    ClassMoments one{.label = label, .nodes = counts[label]};
    one.share = static_cast<double>(one.nodes) / labelled;
    for (double& value : moment) value /= static_cast<double>(one.nodes);
    for (std::size_t a = 0; a < dim; ++a) one.norm_squared_mean += moment[a * dim + a];
    for (const double value : moment) one.pair_square_mean += value * value;
    one.sigma_max = std::max(0.0, plain_eigen(moment, embedding.cols).values.back());
    squares += one.share * one.pair_square_mean;
    bound += one.share * one.sigma_max * one.norm_squared_mean;
    out.sigma_max_mean += one.share * one.sigma_max;
    out.norm_squared_mean += one.share * one.norm_squared_mean;
    out.tau += one.share * one.share;
    out.classes.push_back(one);
  }
  out.s_f = 4 * std::sqrt(squares);
  out.s_f_bound = 4 * std::sqrt(bound);
  return out;
}

}  // namespace creg::test
