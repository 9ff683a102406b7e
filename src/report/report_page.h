// The page of `creg report`: what runs came to, as one HTML file that needs nothing else. The page
// itself is built from web/ and shipped inside creg; here its figures are written into it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/class_spectrum.h"
#include "calibration/reliability.h"
#include "report/document.h"

namespace creg {

/// A figure over epochs, a line for each seed.
struct PageCurve {
  std::string key;  ///< loss, mean_sigma_random …: the page knows what people call it
  std::vector<std::int64_t> epochs;
  std::vector<std::vector<std::optional<double>>> seeds;  ///< one value per epoch
};

/// Test nodes by their class and the one predicted.
struct PageConfusion {
  std::vector<std::vector<std::int64_t>> counts;  ///< a row per class
};

/// An embedding as points; in the order of the dataset's shown nodes.
struct PageMap {
  std::vector<float> principal;           ///< x and y of each
  std::vector<float> tsne;                ///< likewise, or empty
  std::vector<std::int32_t> predictions;  ///< a class of each, or empty
  std::vector<float> confidence;          ///< the chance of that class
  std::int64_t k = 0;
  std::vector<std::int32_t> neighbours;  ///< k of each, as places among the nodes shown
  std::vector<float> sigma;              ///< the confidence that they belong together
  std::vector<bool> edges;               ///< whether the graph joins them
};

struct PageRun {
  std::string name;
  std::string method;
  std::string reg;
  std::string recipe;
  std::size_t dataset = 0;  ///< its place in the list
  std::vector<std::uint64_t> seeds;
  std::vector<std::pair<std::string, std::string>> settings;
  std::string apart{};  ///< what tells it from others of its method and regulariser; or empty
  /// Of a run without a regulariser: the place of the one with Contrast-Reg that it is compared
  /// with.
  std::optional<std::size_t> counterpart{};
  std::vector<std::string> differs{};  ///< from that one, in settings that are not Contrast-Reg's
  Record figures;    ///< samples over the seeds, by the keys of result.json and creg calibrate
  Record published;  ///< what the paper prints, by the same keys: mean and std
  std::vector<PageCurve> curves;
  std::vector<ReliabilityBin> pair_bins;        ///< of the first seed, as are those below
  std::vector<ReliabilityBin> classifier_bins;  ///< of the downstream classifier on test nodes
  std::vector<ClassMoments> spectrum;
  std::optional<PageConfusion> confusion;
  std::optional<PageMap> map;
  std::vector<std::string> notes;  ///< what is missing and why
};

/// What learns nothing, by the same classifier on the same splits.
struct PageBaseline {
  std::string key;
  std::string label;
  Sample accuracy;
};

struct PageDataset {
  std::string name;
  std::int64_t nodes = 0;  ///< 0: it is not at hand
  std::int64_t edges = 0;
  std::int64_t features = 0;
  std::string protocol;
  std::vector<std::string> classes;
  std::vector<PageBaseline> baselines;
  std::vector<std::int32_t> shown;    ///< the nodes on the maps, ascending
  std::vector<std::string> names;     ///< of those; empty: they are numbers
  std::vector<std::int32_t> labels;   ///< likewise
  std::vector<std::int32_t> degrees;  ///< likewise, always there
  std::vector<std::int32_t> parts;    ///< 0 none, 1 train, 2 val, 3 test; empty: no split
};

struct ReportPage {
  std::string title;
  std::string version;  ///< of creg
  std::vector<PageDataset> datasets;
  std::vector<PageRun> runs;
  Record paper;      ///< its tables beside ours, of reproduction.h; empty: none
  std::string note;  ///< what is not shown; empty: nothing
};

/// The page without figures; empty where this build has none.
std::string_view page_shell();

/// What web/package.json and CMake need to have it: the words for people.
std::string_view why_no_page();

/// The figures as JSON that may stand inside a script element: whatever names and labels hold, it
/// has no "<". Arrays of numbers are base64 of little-endian ones, of as few bytes as hold the
/// largest; many names of nodes are base64 of their JSON as gzip, cut where even that is too much.
std::string page_data(const ReportPage& page);

/// The shell with these figures.
std::string write_page(std::string_view shell, const ReportPage& page);

}  // namespace creg
