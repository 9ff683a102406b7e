// One run that a store keeps: what it is known by, what is asked of its embedding, and how it is
// carried out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/run/run.h"
#include "io/run_store.h"

namespace creg {

/// What can be asked of a run's embedding.
enum class Question { classify, cluster, link, finetune, calibrate };

/// One question, with all that its answer depends on beside the embedding.
struct RunQuestion {
  Question kind = Question::classify;
  std::string protocol;                ///< of classification; empty: the dataset's own
  int splits = 0;                      ///< of classification; 0: the protocol's own number
  std::optional<double> weight_decay;  ///< of classification by public-probe
  bool l2 = false;                     ///< of clustering: rows of length 1 whatever the recipe says
  bool pca = false;                    ///< of clustering: along the usual components
  int patience = 0;                    ///< of link prediction
  bool fresh = false;                  ///< of fine-tuning: an encoder that starts anew instead

  /// What the store keeps its figures under. `protocol` is the dataset's own.
  std::string name(const std::string& dataset_protocol) const;
};

/// By it the store knows the run of this seed; the plan may be one without its graph unless the
/// dataset is a file that the catalogue does not know.
RunKey run_key(const Context& context, const RunPlan& plan, std::uint64_t seed);

/// The questions that a stored run has no answer to.
std::vector<RunQuestion> open_questions(const StoredRun& run,
                                        const std::vector<RunQuestion>& questions,
                                        const std::string& dataset_protocol);

/// Trains the plan's run of the Context's seed in `folder`, or goes on with what is there, unless
/// `known` has an embedding that serves; then answers the questions.
RunOutcome carry_out(const Context& context, const RunPlan& plan, const StoredRun& known,
                     const std::vector<RunQuestion>& questions, const std::filesystem::path& folder,
                     const RunListener& listener = {});

/// Stores what a claimed run came to, whose folder is then rid of its checkpoint.
void keep_outcome(RunStore& store, const StoredRun& known, const RunOutcome& outcome);

/// The same by way of the store: nothing is done that it has an answer to, what another process
/// does is waited for, and the outcome is stored. A run that fails is stored as such, and the error
/// comes out.
StoredRun run_by_store(const Context& context, RunStore& store, const RunPlan& plan,
                       const std::vector<RunQuestion>& questions, const RunListener& listener = {});

}  // namespace creg
