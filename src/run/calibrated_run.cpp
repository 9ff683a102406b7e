#include "run/calibrated_run.h"

#include "creg/core/error.h"
#include "creg/graph/splits.h"

namespace creg {

CalibratedRun calibrated_run(const Context& context, const Graph& graph,
                             const DenseMatrix& embedding, const PairOptions& pairs,
                             const PairCalibrationOptions& options, const std::string& protocol,
                             int split) {
  CalibratedRun run;
  run.embedding = embedding_calibration(context, graph, embedding, pairs, options);
  if (!run.embedding.spectrum) {
    run.no_classifier = "no labels";
    return run;
  }
  run.bound =
      generalisation_bound(context, embedding, graph.labels.span(), *run.embedding.spectrum);
  try {
    const Split nodes = make_split(context, graph, protocol, 0, split);
    run.classifier = classifier_calibration(context, graph, embedding, nodes, options.bins);
  } catch (const Error& error) {
    // The pairs are what was asked for first: labels that make no split do not spoil them.
    run.no_classifier = error.what();
  }
  return run;
}

}  // namespace creg
