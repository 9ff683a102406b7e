// Node classification: how well a linear classifier finds the labels in an embedding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/learn/metrics.h"

namespace creg {

/// What happens to the rows of an embedding before they are judged.
enum class Normalize {
  none,
  l2,      ///< each is brought to length 1
  spread,  ///< less their mean; then all by one number, so that their distance from it is
           ///< 2 (20 / directions)^1.5 for the directions they use (learn/pca.h): the penalty of a
           ///< linear classifier then fits embeddings of any length, with much noise or little
};

/// "none", "l2" or "spread"; anything else is an input error.
Normalize parse_normalize(std::string_view text);
std::string_view normalize_name(Normalize normalize);

struct ClassifyOptions {
  /// A name of split_protocols() or of a stored split; empty: default_protocol(graph).
  std::string protocol;
  /// How many splits; 0: all stored ones, or 20 of a seeded protocol.
  int splits = 0;
  /// This one alone.
  std::optional<int> split;
  /// This split instead of one by protocol; its name stands for the protocol where that is empty.
  std::optional<Split> given;
  /// Nothing: what the protocol does by itself, which is l2 for those with ovr in their
  /// names, none elsewhere.
  std::optional<Normalize> normalize;
  /// n > 0: the rows are first smoothed to H + Â^n H, with Â of the graph (gcn_normalised).
  int smooth = 0;
  /// Of public-probe alone; nothing: of some the best on the val nodes.
  std::optional<double> weight_decay;
  /// Of the splits and of a classifier that draws. Never that of the model: runs are compared on
  /// the same splits.
  std::uint64_t seed = 0;
};

struct ClassifyResult {
  std::string protocol;
  /// "logistic-regression", "softmax-adam", "softmax-adam-decayed", "one-vs-rest",
  /// "softmax-adam-best-on-test", or "own" of a model with a classifier
  std::string classifier;
  Normalize normalize = Normalize::none;
  int smooth = 0;
  std::optional<double> weight_decay;  ///< where one was asked for
  std::uint64_t split_seed = 0;
  std::int64_t splits = 0;  ///< per embedding
  std::int64_t runs = 1;    ///< embeddings pooled
  std::int64_t train = 0;   ///< nodes of the first split
  std::int64_t val = 0;
  std::int64_t test = 0;
  std::vector<double> accuracy;      ///< per run and split, on the test nodes
  std::vector<double> val_accuracy;  ///< the same on the val nodes; empty without them
};

/// public where splits are stored, else per-class-20-30-keep-small: no class is lost.
std::string default_protocol(const Graph& graph);

/// Fits a classifier to the train nodes of every split and measures it on the val and test nodes:
///   random-10-10-80    softmax regression by Adam, 3000 epochs, the best on the val nodes
///   random-10-90-ovr, per-class-20-500-ovr
///                      one-vs-rest logistic regression, its c by 5-fold cross validation
///   public-test-peek   the public split, softmax regression by Adam, the epoch that is best on the
///                      TEST nodes: what GDCL publishes, to show what it is worth; not a result
///   all others         logistic regression as scikit-learn has it, c = 1, 150 iterations
/// A graph without labels, an embedding that has not one row per node or holds numbers that are
/// not finite, and a split that does not fit are input errors. Results do not depend on the number
/// of threads.
ClassifyResult classify(const Context& context, const Graph& graph, const DenseMatrix& embedding,
                        const ClassifyOptions& options = {});

/// The same for a classifier that was trained elsewhere: `scores` [nodes, classes], of which the
/// highest is a node's class, on every split of the options or the one they name.
ClassifyResult classify_scores(const Context& context, const Graph& graph,
                               const DenseMatrix& scores, const ClassifyOptions& options = {});

/// Several embeddings by one protocol as one result: the values one after the other. Results of
/// different protocols, classifiers or splits are an input error.
ClassifyResult pool_results(std::span<const ClassifyResult> results);

}  // namespace creg
