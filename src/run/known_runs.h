// Runs of a store, found by their keys.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "io/run_store.h"

namespace creg {

/// With `any_device` what another device has done counts as well, by a build of the same sources:
/// machines with and without a GPU have libtorch of their own.
class KnownRuns {
 public:
  /// The runs outlive this.
  KnownRuns(const std::vector<StoredRun>& runs, bool any_device) : any_device_(any_device) {
    for (const StoredRun& run : runs) {
      runs_[run.key.text()] = &run;
      if (any_device && run.state == RunState::done) elsewhere_.emplace(anywhere(run.key), &run);
    }
  }

  /// Null: not there.
  const StoredRun* find(const RunKey& key) const {
    const auto found = runs_.find(key.text());
    const bool own = found != runs_.end() && found->second->state == RunState::done;
    if (own || !any_device_) return found == runs_.end() ? nullptr : found->second;
    for (auto [other, end] = elsewhere_.equal_range(anywhere(key)); other != end; ++other) {
      if (other->second->key.device != key.device) return other->second;
    }
    return found == runs_.end() ? nullptr : found->second;
  }

 private:
  static std::string anywhere(RunKey key) {
    key.device.clear();
    key.build.resize(std::min(key.build.size(), key.build.find(", libtorch ")));
    return key.text();
  }

  bool any_device_;
  std::map<std::string, const StoredRun*> runs_;
  std::multimap<std::string, const StoredRun*> elsewhere_;
};

}  // namespace creg
