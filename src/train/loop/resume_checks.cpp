#include "train/loop/resume_checks.h"

#include "core/build_info.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "train/loop/graph_identity.h"

namespace creg {

void check_resumable(const Checkpoint& checkpoint, const TextPairs& graph, const TextPairs& config,
                     const std::string& file) {
  const auto refuse = [&](const std::string& what, const std::string& difference) {
    if (difference.empty()) return;
    fail_input({.what = what,
                .file = file,
                .found = difference,
                .hint = "resume with what the run began with, or train anew into another folder"});
  };
  refuse("the checkpoint is of another version",
         differences({{"version", checkpoint.version}}, {{"version", build_info().version}}));
  refuse("the checkpoint is of another graph", differences(checkpoint.graph, graph));
  refuse("the checkpoint is of another configuration", differences(checkpoint.config, config));
}

void check_progress(const Checkpoint& checkpoint, const RunLimits& run) {
  const auto check = [&](const char* key, std::int64_t found, std::int64_t most) {
    if (found >= 0 && found <= most) return;
    fail_input({.what = "the checkpoint is of no run like this",
                .file = run.file,
                .place = key,
                .found = with_commas(found),
                .expected = "at most " + with_commas(most)});
  };
  check("epoch", checkpoint.epoch, run.epochs);
  check("step", checkpoint.step, run.steps_per_epoch - 1);
  if (checkpoint.step % run.steps_per_update != 0) {
    fail_input({.what = "the checkpoint is of no run like this",
                .file = run.file,
                .place = "step",
                .found = with_commas(checkpoint.step),
                .expected = "a multiple of " + with_commas(run.steps_per_update) +
                            ", the batches of an update"});
  }
  // One more than the steps that counted: the last may have had a loss that was not finite.
  check("optimizer.step", checkpoint.optimizer_steps,
        checkpoint.epoch * run.steps_per_epoch + checkpoint.step + 1);
  // A round or a schedule changes the rate, but by no such factor.
  constexpr double most_change = 100;
  if (checkpoint.lr <= most_change * run.lr) return;
  fail_input({.what = "the checkpoint is of no run like this",
              .file = run.file,
              .place = "optimizer.lr",
              .found = std::to_string(checkpoint.lr),
              .expected = "about " + std::to_string(run.lr)});
}

}  // namespace creg
