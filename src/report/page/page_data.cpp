#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "creg/core/error.h"
#include "report/page/base64.h"
#include "report/page/packed_names.h"
#include "report/report_page.h"
#include "report/writers.h"

namespace creg {
namespace {

using report::base64_of;
using report::packed_names;

/// Six digits: what a chart shows of a number.
Value short_number(const std::optional<double>& number) {
  if (!number || !std::isfinite(*number)) return {};
  const std::string text = fmt::format("{:.6g}", *number);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

/// Of so many bytes each.
template <class T>
Value numbers(const std::vector<T>& values, int width) {
  if (values.empty()) return {};
  return base64_of(std::vector<std::int64_t>(values.begin(), values.end()), width);
}

/// None negative, each in 1, 2 or 4 bytes: the page sees how many from the length.
Value counts(const std::vector<std::int32_t>& values) {
  if (values.empty()) return {};
  const std::int32_t most = std::ranges::max(values);
  return numbers(values, most < 1 << 8 ? 1 : most < 1 << 16 ? 2 : 4);
}

/// Places in a list of classes, or -1; likewise.
Value classes(const std::vector<std::int32_t>& values) {
  if (values.empty()) return {};
  const std::int32_t most = std::ranges::max(values);
  return numbers(values, most < 1 << 7 ? 1 : most < 1 << 15 ? 2 : 4);
}

/// Chances in 255 steps.
Value chances(const std::vector<float>& values) {
  std::vector<std::int64_t> steps;
  for (const float value : values) {
    steps.push_back(static_cast<std::int64_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255)));
  }
  return numbers(steps, 1);
}

/// Points in 65,535 steps of the longer side of the box around them, which keeps the shape.
Value points(const std::vector<float>& values) {
  if (values.empty()) return {};
  float low_x = values[0];
  float low_y = values[1];
  float high_x = low_x;
  float high_y = low_y;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    low_x = std::min(low_x, values[i]);
    high_x = std::max(high_x, values[i]);
    low_y = std::min(low_y, values[i + 1]);
    high_y = std::max(high_y, values[i + 1]);
  }
  const double side = std::max({double{high_x} - low_x, double{high_y} - low_y, 1e-30});
  std::vector<std::int64_t> steps;
  steps.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double middle = i % 2 == 0 ? (double{low_x} + high_x) / 2 : (double{low_y} + high_y) / 2;
    steps.push_back(std::lround((0.5 + (values[i] - middle) / side) * 65535));
  }
  return base64_of(steps, 2);
}

/// A number for each node whose bits say which of its neighbours an edge leads to.
Value edge_bits(const PageMap& map) {
  if (map.k == 0) return {};
  std::vector<std::int64_t> bits(map.edges.size() / static_cast<std::size_t>(map.k), 0);
  for (std::size_t i = 0; i < map.edges.size(); ++i) {
    const auto k = static_cast<std::size_t>(map.k);
    if (map.edges[i]) bits[i / k] |= std::int64_t{1} << (i % k);
  }
  return numbers(bits, 2);
}

Value map_value(const std::optional<PageMap>& map) {
  if (!map) return {};
  invariant(map->k <= 16, "the neighbours of a map fit into their bits");
  return Record{{"principal", points(map->principal)},
                {"tsne", points(map->tsne)},
                {"predictions", classes(map->predictions)},
                {"confidence", chances(map->confidence)},
                {"k", map->k},
                {"neighbours", counts(map->neighbours)},
                {"sigma", chances(map->sigma)},
                {"edges", edge_bits(*map)}};
}

List bins_list(const std::vector<ReliabilityBin>& bins) {
  List out;
  for (const ReliabilityBin& bin : bins) {
    out.emplace_back(Record{{"low", short_number(bin.low)},
                            {"high", short_number(bin.high)},
                            {"weight", short_number(bin.weight)},
                            {"chance", short_number(bin.mean_chance)},
                            {"frequency", short_number(bin.frequency)}});
  }
  return out;
}

List curves_list(const std::vector<PageCurve>& curves) {
  List out;
  for (const PageCurve& curve : curves) {
    List seeds;
    for (const auto& seed : curve.seeds) {
      List values;
      for (const auto& value : seed) values.push_back(short_number(value));
      seeds.emplace_back(std::move(values));
    }
    out.emplace_back(
        Record{{"key", curve.key}, {"epochs", curve.epochs}, {"seeds", std::move(seeds)}});
  }
  return out;
}

Value run_value(const PageRun& run) {
  Record settings;
  for (const auto& [key, value] : run.settings) settings.push_back({key, value});
  List spectrum;
  for (const ClassMoments& one : run.spectrum) {
    spectrum.emplace_back(Record{{"label", one.label},
                                 {"share", short_number(one.share)},
                                 {"sigma_max", short_number(one.sigma_max)},
                                 {"norm_squared_mean", short_number(one.norm_squared_mean)}});
  }
  Value confusion;
  if (run.confusion) {
    List rows;
    for (const auto& row : run.confusion->counts) rows.emplace_back(row);
    confusion = std::move(rows);
  }
  return Record{{"name", run.name},
                {"method", run.method},
                {"reg", run.reg},
                {"recipe", run.recipe},
                {"dataset", run.dataset},
                {"seeds", run.seeds},
                {"settings", std::move(settings)},
                {"apart", run.apart},
                {"counterpart", run.counterpart ? Value(*run.counterpart) : Value()},
                {"differs", run.differs},
                {"figures", run.figures},
                {"published", run.published},
                {"curves", curves_list(run.curves)},
                {"pair_bins", bins_list(run.pair_bins)},
                {"classifier_bins", bins_list(run.classifier_bins)},
                {"spectrum", std::move(spectrum)},
                {"confusion", std::move(confusion)},
                {"map", map_value(run.map)},
                {"notes", run.notes}};
}

// Names.

/// All of them together in base64: with it and 20,000 nodes on a map a page stays below 3 MB.
constexpr std::size_t most_name_bytes = 800'000;
/// Fewer are written as they are.
constexpr std::size_t plain_name_bytes = 100'000;

/// At most so many bytes and an ellipsis; a character is not cut in two.
std::string cut(const std::string& name, std::size_t most) {
  if (name.size() <= most) return name;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end) + "\u2026";
}

struct PageNames {
  Value value;
  Value cut_at;  ///< bytes of the longest; null: they are whole
};

PageNames page_names(const std::vector<std::string>& names, std::size_t room) {
  std::size_t all = 0;
  for (const std::string& name : names) all += name.size();
  if (all <= plain_name_bytes) return {.value = names, .cut_at = {}};
  std::string packed = packed_names(names);
  Value cut_at;
  for (const std::size_t most : {160, 80, 56, 40, 28, 20, 12}) {
    if (packed.size() <= room) break;
    std::vector<std::string> shorter;
    for (const std::string& name : names) shorter.push_back(cut(name, most));
    packed = packed_names(shorter);
    cut_at = most;
  }
  return {.value = Record{{"gzip", std::move(packed)}}, .cut_at = std::move(cut_at)};
}

/// Nothing where they are all nodes, in order.
Value shown_value(const PageDataset& data) {
  const bool all = static_cast<std::int64_t>(data.shown.size()) == data.nodes;
  return all ? Value() : counts(data.shown);
}

Value dataset_value(const PageDataset& data, std::size_t room_for_names) {
  List baselines;
  for (const PageBaseline& one : data.baselines) {
    baselines.emplace_back(
        Record{{"key", one.key}, {"label", one.label}, {"accuracy", one.accuracy}});
  }
  PageNames names = page_names(data.names, room_for_names);
  return Record{{"name", data.name},
                {"nodes", data.nodes},
                {"edges", data.edges},
                {"features", data.features},
                {"protocol", data.protocol},
                {"classes", data.classes},
                {"baselines", std::move(baselines)},
                {"shown_count", data.shown.size()},
                {"shown", shown_value(data)},
                {"names", std::move(names.value)},
                {"names_cut", std::move(names.cut_at)},
                {"labels", classes(data.labels)},
                {"degrees", counts(data.degrees)},
                {"parts", numbers(data.parts, 1)}};
}

}  // namespace

std::string page_data(const ReportPage& page) {
  List datasets;
  const std::size_t room = most_name_bytes / std::max<std::size_t>(1, page.datasets.size());
  for (const PageDataset& data : page.datasets) datasets.push_back(dataset_value(data, room));
  List runs;
  for (const PageRun& run : page.runs) runs.push_back(run_value(run));
  const std::string json = to_json_line({{"title", page.title},
                                         {"version", page.version},
                                         {"datasets", std::move(datasets)},
                                         {"runs", std::move(runs)},
                                         {"paper", page.paper},
                                         {"note", page.note}});
  // "<" stands in strings alone, where JSON has another way to write it: no name ends the element
  // or begins a comment.
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string write_page(std::string_view shell, const ReportPage& page) {
  constexpr std::string_view place = R"({"creg":"data"})";
  const std::size_t found = shell.find(place);
  invariant(found != std::string_view::npos, "the page has a place for its figures");
  return std::string(shell.substr(0, found)) + page_data(page) +
         std::string(shell.substr(found + place.size()));
}

}  // namespace creg
