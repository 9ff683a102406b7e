#include "cli/options/parts_options.h"

namespace creg::cli {

void add_parts_options(CLI::App& command, PartsSpec& parts) {
  command
      .add_option("--parts", parts.parts,
                  "Which nodes are for pretraining: the first ones, those of the stored training "
                  "part (the rest in thirds: train, val, test), or all that a split file leaves "
                  "out [by-number; stored-train for reddit]")
      ->type_name("by-number|stored-train|FILE");
  command
      .add_option("--pretrain-share", parts.share,
                  "by-number: the share of the nodes for pretraining [0.7]")
      ->type_name("0..1");
}

}  // namespace creg::cli
