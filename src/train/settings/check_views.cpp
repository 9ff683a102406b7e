#include "train/settings/check_views.h"

#include <string>

#include "creg/core/error.h"
#include "creg/methods/catalogue.h"

namespace creg {
namespace {

/// Below it float32 loses pairs (ops/info_nce.h).
constexpr double lowest_temperature = 0.025;

}  // namespace

void check_views(const TrainConfig& config) {
  if (!describe_method(config.method).views) return;
  if (config.contrast.temperature < lowest_temperature) {
    fail_input({.what = "the contrast of views is not exact at so low a temperature",
                .file = "temperature",
                .found = std::to_string(config.contrast.temperature),
                .expected = "0.025 or more"});
  }
  const Propagation propagation = config.encoder.propagation;
  if (config.method == "digcl" && propagation != Propagation::directed_pagerank) {
    fail_input({.what = "digcl's views are Laplacians by PageRank",
                .file = "propagation",
                .found = name_of(propagation),
                .expected = "--propagation directed-pagerank"});
  }
}

}  // namespace creg
