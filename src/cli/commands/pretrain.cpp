#include <memory>

#include "cli/commands.h"
#include "cli/commands/train_command.h"
#include "cli/options/parts_options.h"
#include "cli/options/short_help.h"

namespace creg::cli {

void add_pretrain(CLI::App& app, GlobalOptions& options) {
  CLI::App* command =
      app.add_subcommand("pretrain", "Train on one part of a graph, for creg finetune on another");
  const auto chosen = std::make_shared<TrainCommand>();
  const auto parts = std::make_shared<PartsSpec>();
  add_dataset_options(*command, chosen->spec.data);
  add_run_options(*command, *chosen);
  add_parts_options(*command, *parts);
  add_train_options(*command, chosen->spec);
  use_short_help(*command, chosen->spec);
  command->footer(
      "Without a recipe or flags that say otherwise the encoder is sage with 3 layers.");
  command->callback([chosen, parts, &options] {
    options.action = [chosen, parts, &options](const Context& context) {
      if (chosen->resume.empty()) {
        chosen->spec.pretrain = *parts;
        // The recipes of whole datasets are for other encoders.
        if (chosen->spec.recipe.empty()) {
          chosen->spec.recipe = "none";
          chosen->spec.settings.try_emplace("encoder", "sage");
          chosen->spec.settings.try_emplace("layers", "3");
        }
      }
      train_command(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
