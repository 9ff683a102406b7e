#include "train/same_ranks.h"

#include <torch/types.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "comm/communicator.h"
#include "core/build_info.h"
#include "creg/core/error.h"
#include "ops/runtime.h"

namespace creg {
namespace {

TextPairs pairs_of(const std::string& text) {
  TextPairs pairs;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t middle = text.find('\n', at);
    const std::size_t end = text.find('\0', middle);
    pairs.emplace_back(text.substr(at, middle - at), text.substr(middle + 1, end - middle - 1));
    at = end + 1;
  }
  return pairs;
}

/// Which of the pairs with this key, of several: the parts of a graph have one key.
struct Place {
  std::string key;
  int number = 0;
  bool operator<(const Place& other) const {
    return std::tie(key, number) < std::tie(other.key, other.number);
  }
};

std::map<Place, std::string> by_key(const TextPairs& pairs) {
  std::map<std::string, int> met;
  std::map<Place, std::string> values;
  for (const auto& [key, value] : pairs) values[{key, met[key]++}] = value;
  return values;
}

/// "lr: 0.1 on rank 0, 0.2 on rank 1 (host)", in the order of rank 0. Of two versions, or two kinds
/// of runs, one has keys that the other has not: these count where no other differs.
std::string differences_between(const TextPairs& first, const TextPairs& other,
                                const std::string& name) {
  const std::map<Place, std::string> there = by_key(other);
  std::string found;
  std::string lacking;
  std::set<Place> known;
  std::map<std::string, int> met;
  for (const auto& [key, value] : first) {
    const Place place{key, met[key]++};
    known.insert(place);
    const auto match = there.find(place);
    if (match == there.end()) {
      lacking += (lacking.empty() ? "" : "; ") + key + ": on rank 0 alone, not on " + name;
    } else if (match->second != value) {
      found += (found.empty() ? "" : "; ") + key + ": " + value + " on rank 0, " + match->second +
               " on " + name;
    }
  }
  for (const auto& [place, value] : there) {
    if (known.contains(place)) continue;
    lacking += (lacking.empty() ? "" : "; ") + place.key + ": on " + name + " alone";
  }
  return found.empty() ? lacking : found;
}

}  // namespace

void check_same(Communicator& world, const TextPairs& own) {
  std::string text;
  for (const auto& [key, value] : own) text += key + '\n' + value + '\0';
  const std::vector<std::string> all = world.all_gather(text);
  for (int rank = 1; rank < world.size(); ++rank) {
    if (all[rank] == all.front()) continue;
    // All ranks have come here and end alike: none of them is lost to the others.
    world.finish();
    fail_input({.what = "the ranks do not do the same",
                .found = differences_between(pairs_of(all.front()), pairs_of(all[rank]),
                                             world.name_of(rank)),
                .hint = "start all ranks by the same command, with the same build and dataset"});
  }
}

TextPairs build_and_machine(const Context& context) {
  const BuildInfo build = build_info();
  const TorchRuntime torch = torch_without_gpus();
  return {{"version", build.version},
          {"compiler", build.compiler},
          {"build", build.build_type},
          {"libtorch", torch.version},
          {"BLAS", torch.blas},
          {"instruction set", build.instruction_set},
          {"device", context.device().type == DeviceType::cpu ? "cpu" : "cuda"},
          {"threads", std::to_string(context.threads())}};
}

double value_of_first(Communicator& world, double value) {
  if (world.alone()) return value;
  at::Tensor shared = at::full({1}, value, at::kDouble);
  world.broadcast(shared, 0);
  return shared.item<double>();
}

}  // namespace creg
