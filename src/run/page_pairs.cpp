#include "run/page_pairs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace creg {
namespace {

constexpr std::array<std::string_view, 5> keys_of_contrast = {"reg", "ratio", "target_sigma", "r",
                                                              "r_scale"};

/// In their order, those of either run first.
std::vector<std::string> differing_keys(const ComparedRun& a, const ComparedRun& b) {
  std::vector<std::string> keys;
  for (const ComparedRun* run : {&a, &b}) {
    for (const Setting& setting : run->settings) {
      const bool own = std::ranges::find(keys_of_contrast, setting.key) != keys_of_contrast.end();
      const bool known = std::ranges::find(keys, setting.key) != keys.end();
      if (!own && !known && a.value(setting.key) != b.value(setting.key)) {
        keys.push_back(setting.key);
      }
    }
  }
  return keys;
}

/// What people tell methods apart by.
bool same_kind(const ComparedRun& a, const ComparedRun& b) {
  return a.dataset == b.dataset &&
         std::ranges::all_of(std::array{"method", "encoder", "score"},
                             [&](std::string_view key) { return a.value(key) == b.value(key); });
}

std::string words_of(const ComparedRun& run, const std::string& key) {
  if (key == "calibrate") return "calibrate " + std::to_string(run.calibrate);
  const std::string value = run.value(key);
  if (key == "score") return value + " score";
  if (key != "encoder") return key + " " + value;
  std::string capitals;
  for (const char c : value) {
    capitals += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return capitals;
}

/// Words for each of these, by as few settings as tell all of them apart that differ.
std::vector<std::string> apart_in_group(const std::vector<const ComparedRun*>& group) {
  std::vector<std::string> keys = {"encoder", "score"};
  for (const ComparedRun* run : group) {
    for (const Setting& setting : run->settings) {
      if (std::ranges::find(keys, setting.key) == keys.end()) keys.push_back(setting.key);
    }
  }
  keys.emplace_back("calibrate");
  std::vector<std::string> words(group.size());
  const auto kinds = [](const std::vector<std::string>& of) {
    return std::set<std::string>(of.begin(), of.end()).size();
  };
  for (const std::string& key : keys) {
    std::vector<std::string> longer = words;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (std::ranges::count(words, words[i]) == 1) continue;  // told apart already
      longer[i] += (longer[i].empty() ? "" : ", ") + words_of(*group[i], key);
    }
    if (kinds(longer) > kinds(words)) words = std::move(longer);
  }
  return words;
}

}  // namespace

std::string ComparedRun::value(std::string_view key) const {
  const auto found = std::ranges::find(settings, key, &Setting::key);
  return found == settings.end() ? std::string() : found->value;
}

bool differ_by_contrast_alone(const ComparedRun& a, const ComparedRun& b) {
  return a.dataset == b.dataset && differing_keys(a, b).empty();
}

std::vector<std::optional<Counterpart>> counterparts(std::span<const ComparedRun> runs) {
  std::vector<std::optional<Counterpart>> found(runs.size());
  std::vector<bool> taken(runs.size(), false);
  const auto open = [&](std::size_t i, std::string_view reg) {
    return !taken[i] && runs[i].value("reg") == reg;
  };
  const auto pair = [&](std::size_t without, std::size_t with, std::vector<std::string> differs) {
    found[without] = Counterpart{.run = with, .differs = std::move(differs)};
    taken[without] = taken[with] = true;
  };
  for (const bool same_seeds : {true, false}) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t j = 0; j < runs.size() && open(i, "none"); ++j) {
        if (open(j, "contrast") && differ_by_contrast_alone(runs[i], runs[j]) &&
            (!same_seeds || runs[i].seeds == runs[j].seeds)) {
          pair(i, j, {});
        }
      }
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!open(i, "none")) continue;
    std::vector<std::size_t> with;
    std::size_t without = 0;
    for (std::size_t j = 0; j < runs.size(); ++j) {
      if (!same_kind(runs[i], runs[j])) continue;
      if (open(j, "contrast")) with.push_back(j);
      if (open(j, "none")) ++without;
    }
    if (with.size() == 1 && without == 1) pair(i, with[0], differing_keys(runs[i], runs[with[0]]));
  }
  return found;
}

std::vector<std::string> apart_words(std::span<const ComparedRun> runs) {
  std::map<std::array<std::string, 3>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    groups[{runs[i].dataset, runs[i].value("method"), runs[i].value("reg")}].push_back(i);
  }
  std::vector<std::string> words(runs.size());
  for (const auto& [kind, places] : groups) {
    std::vector<const ComparedRun*> group;
    for (const std::size_t i : places) group.push_back(&runs[i]);
    std::vector<std::string> own = apart_in_group(group);
    for (std::size_t i = 0; i < places.size(); ++i) words[places[i]] = std::move(own[i]);
  }
  return words;
}

}  // namespace creg
