// How honest the downstream classifier is: its confidence against its accuracy, as it comes and
// after its scores are divided by a temperature.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/reliability.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "learn/linear_model.h"

namespace creg {

/// In place of a target: the node's class was not met in training.
inline constexpr std::int32_t unseen_class = -1;

/// The chance that counts for a class not met in training, whose own is 0: its log must exist.
inline constexpr double unseen_chance = 1e-15;

struct ConfidenceFigures {
  std::int64_t nodes = 0;
  std::int64_t unseen = 0;  ///< nodes of classes not met in training: always wrong
  double accuracy = 0;
  double mean_confidence = 0;  ///< the mean of the highest chance
  double ece = 0;              ///< over bins of equal width
  double ece_equal_mass = 0;
  double mce = 0;                    ///< over bins of equal width
  double brier = 0;                  ///< of the highest chance against whether it is right
  double nll = 0;                    ///< mean of -log(chance of the true class)
  std::vector<ReliabilityBin> bins;  ///< of equal width
  std::vector<ReliabilityBin> equal_mass_bins;  ///< of equal mass
};

/// Figures of the softmax of scores / temperature. `targets`: the column of each row's true class,
/// or unseen_class. At least one row; the temperature is above 0.
ConfidenceFigures confidence_figures(const Context& context, const ClassTable& scores,
                                     std::span<const std::int32_t> targets, double temperature = 1,
                                     int bins = 15);

inline constexpr double least_temperature = 1e-2;
inline constexpr double largest_temperature = 1e2;

struct TemperatureFit {
  double temperature = 1;
  bool at_limit = false;  ///< the loss still falls there: rows all right, or hopelessly wrong
};

/// The temperature within the limits that minimises the mean of -log(chance of the true class),
/// which is convex in 1 / temperature; 1 where none makes a difference. Rows of unseen classes do
/// not count.
TemperatureFit fit_temperature(const Context& context, const ClassTable& scores,
                               std::span<const std::int32_t> targets);

struct ScaledCalibration {
  TemperatureFit fit;  ///< on the val nodes
  ConfidenceFigures test;
  ConfidenceFigures val;
};

struct ClassifierCalibration {
  std::int64_t train = 0;    ///< nodes
  std::int64_t classes = 0;  ///< met in training
  ConfidenceFigures test;
  std::optional<ConfidenceFigures> val;  ///< nothing without val nodes
  std::optional<ScaledCalibration> after;
  std::string no_after;  ///< why there is no `after`
};

/// Logistic regression on the train nodes as `classify` fits it (c = 1, 150 iterations, rows as
/// they are). A graph without labels, an embedding or a split that does not fit, and numbers that
/// are not finite are input errors. Results do not depend on the number of threads.
ClassifierCalibration classifier_calibration(const Context& context, const Graph& graph,
                                             const DenseMatrix& embedding, const Split& split,
                                             int bins = 15);

}  // namespace creg
