#include "report/history_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace creg {
namespace {

struct MethodName {
  std::string_view method;
  std::string_view name;
};

/// Where capitals alone are not what a method is called by.
constexpr std::array method_names = {
    MethodName{"gcn-neg", "GCN-neg"},   MethodName{"ml-gcn-standin", "ML (GCN stand-in)"},
    MethodName{"digcl", "DiGCL"},       MethodName{"gcn-supervised", "GCN, supervised"},
    MethodName{"graphmae", "GraphMAE"}, MethodName{"node2vec", "node2vec"},
};

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

std::string method_name(const std::string& method) {
  const auto* const found = std::ranges::find(method_names, method, &MethodName::method);
  return found == method_names.end() ? capitals(method) : std::string(found->name);
}

/// "contrast+l2norm" as people write it.
std::string regulariser_name(const std::string& regularisers) {
  std::string text;
  for (std::size_t at = 0; at <= regularisers.size();) {
    const std::size_t end = std::min(regularisers.find('+', at), regularisers.size());
    const std::string one = regularisers.substr(at, end - at);
    at = end + 1;
    if (one.empty() || one == "none") continue;
    text += " + ";
    text += one == "contrast"       ? "Contrast-Reg"
            : one == "l2norm"       ? "L2 norm"
            : one == "weight-decay" ? "weight decay"
                                    : one;
  }
  return text;
}

std::string folder_name(const RunHistory& run) {
  return run.folder.empty() ? run.name : run.folder.filename().string();
}

bool is_seed_of(const HistoryGroup& group, const RunHistory& run) {
  if (!run.folder.empty() && group.runs.front()->folder == run.folder) return true;
  return !run.settings.empty() && group.runs.front()->settings == run.settings &&
         std::ranges::none_of(group.runs,
                              [&](const RunHistory* other) { return other->seed == run.seed; });
}

/// A name, or the last part of a path.
std::string dataset_name(const std::string& dataset) {
  const std::filesystem::path path(dataset);
  return path.is_absolute() ? path.stem().string() : dataset;
}

}  // namespace

std::vector<HistoryGroup> history_groups(std::span<const RunHistory> runs) {
  std::vector<HistoryGroup> groups;
  std::set<std::string> datasets;
  for (const RunHistory& run : runs) {
    datasets.insert(run.dataset);
    const auto same = std::ranges::find_if(
        groups, [&](const HistoryGroup& group) { return is_seed_of(group, run); });
    if (same == groups.end()) {
      groups.push_back({.runs = {&run}});
    } else {
      same->runs.push_back(&run);
    }
  }
  for (HistoryGroup& group : groups) {
    const RunHistory& run = *group.runs.front();
    if (run.method.empty()) {
      group.name = group.runs.size() == 1 ? run.name : folder_name(run);
      continue;
    }
    group.name = method_name(run.method) + regulariser_name(run.regulariser);
    if (datasets.size() > 1) group.name = dataset_name(run.dataset) + ": " + group.name;
  }
  std::multiset<std::string> names;
  for (const HistoryGroup& group : groups) names.insert(group.name);
  for (HistoryGroup& group : groups) {
    if (names.count(group.name) > 1) {
      group.name += " (" + folder_name(*group.runs.front()) + ")";
    }
  }
  return groups;
}

std::vector<HistoryGroup> single_runs(std::span<const RunHistory> runs) {
  std::vector<HistoryGroup> groups;
  for (const RunHistory& run : runs) groups.push_back({.name = run.name, .runs = {&run}});
  return groups;
}

}  // namespace creg
