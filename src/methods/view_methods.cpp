#include "methods/view_methods.h"

#include "creg/core/error.h"

namespace creg {

std::vector<std::string> keys_of_views() {
  return {"drop_edges1", "drop_edges2", "drop_features1", "drop_features2", "projection"};
}

void check_views(const MethodOptions& options) {
  constexpr double lowest_temperature = 0.025;
  if (options.contrast.temperature >= lowest_temperature) return;
  fail_input({.what = "the contrast of views is not exact at so low a temperature",
              .file = "temperature",
              .found = std::to_string(options.contrast.temperature),
              .expected = "0.025 or more"});
}

MethodMemory memory_of_views(const MethodOptions& options) {
  const auto d = static_cast<double>(options.dim);
  const auto inside = static_cast<double>(options.views.projection);
  return {.parameters = 2 * options.dim * options.views.projection,
          .passes = 2,
          .views = 2,
          .numbers_per_node = 2 * (2 * inside + d) + 4 * d};
}

}  // namespace creg
