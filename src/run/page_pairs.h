// Which runs of a page are compared with each other, and what tells runs of one method apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/settings_file.h"

namespace creg {

/// What a run is, as far as comparisons go.
struct ComparedRun {
  std::string dataset;
  std::vector<Setting> settings;  ///< every parameter
  int calibrate = 0;              ///< epochs between two looks at the calibration
  std::vector<std::uint64_t> seeds{};

  /// Empty: not set.
  std::string value(std::string_view key) const;
};

struct Counterpart {
  std::size_t run = 0;                 ///< its place
  std::vector<std::string> differs{};  ///< in settings that are not Contrast-Reg's
};

/// For each run without a regulariser the one with Contrast-Reg that it is compared with: equal in
/// all settings but those of Contrast-Reg, of equal seeds where there are several. Where one
/// of either is left of a method, encoder and score on a dataset, these two, with what else
/// differs. No run is compared twice.
std::vector<std::optional<Counterpart>> counterparts(std::span<const ComparedRun> runs);

/// Equal in all settings but those of Contrast-Reg.
bool differ_by_contrast_alone(const ComparedRun& a, const ComparedRun& b);

/// What tells each run from others of its method and regulariser on its dataset, such as "GAT" or
/// "bilinear score, lr 0.01"; empty where there are none, or none that differ.
std::vector<std::string> apart_words(std::span<const ComparedRun> runs);

}  // namespace creg
