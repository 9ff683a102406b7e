#include "io/text/id_field.h"

namespace creg {

void number_names(const Context& context, NodeIndex& index, bool known_only,
                  std::span<const TextBlock> blocks, std::span<LocalNames> names,
                  const std::string& file) {
  if (!known_only) {
    index.add(context, names, file);
    return;
  }
  index.find(context, names);
  for_blocks(context, blocks, [&](std::size_t b) {
    for (const LocalNames::Name& name : names[b].names()) {
      if (name.id >= 0) continue;
      blocks[b].fail(name.at, {.what = "unknown node id",
                               .found = in_quotes(name.text()),
                               .expected = "one of the " + with_commas(index.size()) +
                                           " ids that have features",
                               .hint = nearest_name_hint(index.names(context), name.text())});
    }
  });
}

}  // namespace creg
