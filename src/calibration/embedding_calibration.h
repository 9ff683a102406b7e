// What can be said of an embedding's calibration in one go: its pairs, its lengths, and where there
// are labels the moments of its classes.
#pragma once

#include <optional>

#include "calibration/class_spectrum.h"
#include "calibration/pair_calibration.h"
#include "creg/calibration/figures.h"

namespace creg {

struct EmbeddingCalibration {
  PairCalibration pairs;
  double norm_mean = 0;
  double norm_variance = 0;               ///< unbiased
  std::optional<ClassSpectrum> spectrum;  ///< where a node has a label
};

/// The figures that go by name.
CalibrationFigures figures_of(const EmbeddingCalibration& found);

EmbeddingCalibration embedding_calibration(const Context& context, const Graph& graph,
                                           const DenseMatrix& embedding, const PairOptions& pairs,
                                           const PairCalibrationOptions& options = {});

/// Var|h| (1 - E[sigma(h_u·h_v)]) over random pairs: what `--select calibration` goes by, the
/// higher the better. It needs no labels. The variance of the lengths rises while nodes become
/// different from each other and falls when all are pushed apart alike; E[sigma] nears 1 when
/// lengths explode.
double unlabelled_score(const Context& context, const DenseMatrix& embedding);

/// The pair ECE among these nodes alone: what `--select val-ece` goes by, with the validation
/// nodes. Nothing where they make no labelled pairs.
std::optional<double> ece_among(const Context& context, const Graph& graph,
                                const DenseMatrix& embedding, std::span<const std::int32_t> nodes);

}  // namespace creg
