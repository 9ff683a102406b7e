#include "run/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "core/build_info.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "creg/graph/splits.h"
#include "graph/normalise.h"
#include "io/file.h"
#include "io/graph_checksum.h"
#include "io/json_text.h"
#include "io/run_files.h"
#include "learn/sparse_product.h"
#include "ops/runtime.h"
#include "report/paper.h"
#include "report/reproduction.h"
#include "report/run_history.h"
#include "run/embeddings.h"
#include "run/open_data.h"
#include "run/page_map.h"
#include "run/result_file.h"
#include "run/run_record.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

/// A stream of its own among those of the pairs that calibration draws.
constexpr std::uint32_t map_draw = 1U << 20U;

/// Beyond these the baselines would take longer than anything else on the page.
constexpr std::int64_t most_baseline_numbers = 100'000'000;

constexpr std::int64_t least_map_nodes = 500;

/// A dataset that is open.
struct OpenData {
  Dataset dataset;
  Graph graph;
  std::string protocol;        ///< of the downstream classifier; empty: there is no split
  std::optional<Split> split;  ///< the first one
};

std::string setting_of(const RunRecord& record, std::string_view key) {
  const auto found = std::ranges::find(record.settings, key, &Setting::key);
  return found == record.settings.end() ? std::string() : found->value;
}

// What the files of a run say of its epochs.

struct CurveSource {
  std::string_view key;
  std::string_view file;
  std::string_view field;
};

constexpr std::array curve_sources = {
    CurveSource{"loss", "metrics.jsonl", "loss"},
    CurveSource{"contrast", "metrics.jsonl", "contrast"},
    CurveSource{"regulariser", "metrics.jsonl", "regulariser"},
    CurveSource{"positive_sigma", "metrics.jsonl", "positive_sigma"},
    CurveSource{"negative_sigma", "metrics.jsonl", "negative_sigma"},
    CurveSource{"norm_mean", "metrics.jsonl", "norm_mean"},
    CurveSource{"norm_variance", "metrics.jsonl", "norm_variance"},
    CurveSource{"mean_sigma_random", "calibration.jsonl", "mean_sigma_random"},
    CurveSource{"ece", "calibration.jsonl", "ece"},
    CurveSource{"q_positive", "calibration.jsonl", "q_positive"},
    CurveSource{"sigma_max_mean", "calibration.jsonl", "sigma_max_mean"},
    CurveSource{"norm_squared_mean", "calibration.jsonl", "norm_squared_mean"},
};

/// The objects of a log, up to the first line that is not whole.
std::vector<nlohmann::json> lines_of(const fs::path& file) {
  std::vector<nlohmann::json> lines;
  if (!is_there(file)) return lines;
  const Bytes bytes = map_file(file);
  std::string_view rest = bytes.text();
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    nlohmann::json line = parse_json(rest.substr(0, end));
    if (!line.is_object() || !line.contains("epoch") || !line["epoch"].is_number_integer()) break;
    lines.push_back(std::move(line));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return lines;
}

std::optional<double> number_in(const nlohmann::json& object, std::string_view key) {
  const auto found = object.find(std::string(key));
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// 400 are more than a chart is wide; of many seeds fewer, so that the page stays small.
std::size_t points_of_curves(std::size_t seeds) {
  constexpr std::size_t all = 6000;
  return std::clamp<std::size_t>(all / std::max<std::size_t>(seeds, 1), 100, 400);
}

/// Each of so many epochs at most in equal steps, and the last.
std::vector<std::int64_t> thinned(const std::set<std::int64_t>& epochs, std::size_t most) {
  const std::vector<std::int64_t> all(epochs.begin(), epochs.end());
  const std::size_t step = (all.size() + most - 1) / most;
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(step, 1)) {
    kept.push_back(all[i]);
  }
  if (!all.empty() && kept.back() != all.back()) kept.push_back(all.back());
  return kept;
}

std::vector<PageCurve> curves_of(const PageRow& run, std::size_t most_points) {
  // By file and seed.
  std::map<std::string_view, std::vector<std::vector<nlohmann::json>>> logs;
  for (const CurveSource& source : curve_sources) {
    std::vector<std::vector<nlohmann::json>>& seeds = logs[source.file];
    if (!seeds.empty()) continue;
    for (const fs::path& file : run.source.files) {
      seeds.push_back(lines_of(file.parent_path() / source.file));
    }
  }
  std::vector<PageCurve> curves;
  for (const CurveSource& source : curve_sources) {
    std::vector<std::map<std::int64_t, double>> values;
    std::set<std::int64_t> epochs;
    bool zero = true;
    for (const auto& lines : logs[source.file]) {
      std::map<std::int64_t, double>& seed = values.emplace_back();
      for (const nlohmann::json& line : lines) {
        const std::optional<double> value = number_in(line, source.field);
        if (!value) continue;
        const auto epoch = line["epoch"].get<std::int64_t>();
        seed[epoch] = *value;
        epochs.insert(epoch);
        zero = zero && *value == 0;
      }
    }
    // A regulariser that is not there is 0 throughout.
    if (epochs.empty() || zero) continue;
    PageCurve curve{.key = std::string(source.key), .epochs = thinned(epochs, most_points)};
    for (const auto& seed : values) {
      std::vector<std::optional<double>>& line = curve.seeds.emplace_back();
      for (const std::int64_t epoch : curve.epochs) {
        const auto found = seed.find(epoch);
        line.push_back(found == seed.end() ? std::nullopt : std::optional(found->second));
      }
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

/// The accuracies of the folders' result.json; none where one has none.
Sample recorded_sample(const PageRow& row, const std::string& metric) {
  Sample sample;
  for (const fs::path& folder : row.folders) {
    const fs::path file = folder / "result.json";
    if (!is_there(file)) return {};
    const std::optional<ResultFile> result = ResultFile::read(map_file(file));
    if (!result) return {};
    const std::vector<double> values = result->values(metric);
    if (values.empty()) return {};
    sample.values.insert(sample.values.end(), values.begin(), values.end());
  }
  return sample;
}

/// What the paper prints of this method on this dataset, where the names tell that it does.
Record published(const PageRow& row) {
  Record out;
  for (const auto& [task, key] :
       {std::pair{PaperTask::classify, "accuracy"}, std::pair{PaperTask::calibrate, "ece"}}) {
    const auto cell = paper_cell({.task = task,
                                  .method = setting_of(row.record, "method"),
                                  .dataset = row.record.dataset,
                                  .regulariser = setting_of(row.record, "reg"),
                                  .encoder = setting_of(row.record, "encoder")});
    if (!cell) continue;
    out.push_back({key, Record{{"mean", cell->mean}, {"std", cell->std}}});
  }
  return out;
}

// What the dataset tells.

/// Opens a dataset that is not `given`, or says why it is not at hand.
std::optional<OpenData> open_for_page(const Context& context, const Data* given,
                                      const DataSpec& spec, std::string& reason) {
  try {
    OpenData data;
    if (given != nullptr) {
      data.dataset = given->dataset;
      data.graph = given->graph;
    } else {
      data.dataset = open_data(context, spec);
      data.graph = prepare_graph(context, data.dataset, spec.transforms);
    }
    if (!data.graph.has_labels()) return data;
    data.protocol =
        data.dataset.protocol.empty() ? default_protocol(data.graph) : data.dataset.protocol;
    try {
      data.split = make_split(context, data.graph, data.protocol, 0, 0);
    } catch (const Error&) {
      // Labels that make no split still colour the map.
      data.protocol.clear();
    }
    return data;
  } catch (const Error& error) {
    reason = error.what();
    return std::nullopt;
  }
}

/// The most of each, `least` or more, so that all have no more than `all` together.
std::int64_t fair_share(std::vector<std::int64_t> wanted, std::int64_t all, std::int64_t least) {
  std::ranges::sort(wanted);
  auto left = static_cast<std::int64_t>(wanted.size());
  for (const std::int64_t one : wanted) {
    if (one * left > all) return std::max(least, all / left);
    all -= one;
    --left;
  }
  return std::max(least, wanted.empty() ? 0 : wanted.back());
}

std::vector<std::int32_t> shown_nodes(const Context& context, std::int64_t nodes,
                                      std::int64_t most) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> drawn;
  for (std::int64_t i = 0; i < nodes; ++i) {
    RandomStream stream(context.seed(), Purpose::calibration_pairs, map_draw,
                        static_cast<std::uint64_t>(i));
    drawn.emplace_back(nodes > most ? stream.bits64() : 0, static_cast<std::int32_t>(i));
  }
  if (nodes > most) {
    std::nth_element(drawn.begin(), drawn.begin() + most, drawn.end());
    drawn.resize(static_cast<std::size_t>(most));
  }
  std::vector<std::int32_t> shown;
  for (const auto& [key, node] : drawn) shown.push_back(node);
  std::sort(shown.begin(), shown.end());
  return shown;
}

PageDataset page_dataset(const OpenData& data) {
  const Graph& graph = data.graph;
  PageDataset out{
      .name = graph.name,
      .nodes = graph.nodes(),
      .edges = graph.directed ? graph.adjacency.nonzeros() : graph.adjacency.nonzeros() / 2,
      .features = feature_cols(graph.features),
      .protocol = data.protocol};
  for (std::int32_t label = 0; graph.has_labels() && label < graph.classes(); ++label) {
    const auto place = static_cast<std::size_t>(label);
    out.classes.push_back(place < graph.class_names.size() ? graph.class_names[place]
                                                           : std::to_string(label));
  }
  return out;
}

/// What is told of the nodes on the maps.
void add_nodes(PageDataset& out, const OpenData& data, std::vector<std::int32_t> shown) {
  const Graph& graph = data.graph;
  out.shown = std::move(shown);
  std::vector<std::int32_t> parts(static_cast<std::size_t>(graph.nodes()), 0);
  if (data.split) {
    std::int32_t number = 0;
    for (const Array<std::int32_t>* part :
         {&data.split->train, &data.split->val, &data.split->test}) {
      ++number;
      for (const std::int32_t node : *part) parts[static_cast<std::size_t>(node)] = number;
    }
  }
  for (const std::int32_t node : out.shown) {
    if (!graph.names.empty()) out.names.push_back(graph.node_name(node));
    if (graph.has_labels()) out.labels.push_back(graph.labels[node]);
    out.degrees.push_back(static_cast<std::int32_t>(graph.adjacency.row(node).size()));
    if (data.split) out.parts.push_back(parts[static_cast<std::size_t>(node)]);
  }
}

/// The same classifier on the same splits, on what is there without learning.
std::vector<PageBaseline> baselines_of(const Context& context, const OpenData& data) {
  std::vector<PageBaseline> out;
  const Graph& graph = data.graph;
  const std::int64_t numbers = graph.nodes() * feature_cols(graph.features);
  if (data.protocol.empty() || !has_features(graph.features)) return out;
  if (numbers > most_baseline_numbers) {
    context.log().write(LogLevel::notice,
                        fmt::format("{}: features of {} numbers are too many for a baseline",
                                    graph.name, with_commas(numbers)));
    return out;
  }
  const ClassifyOptions options{.protocol = data.protocol};
  DenseMatrix rows = to_dense(graph.features);
  out.push_back(
      {"features", "Features X alone", Sample{classify(context, graph, rows, options).accuracy}});
  const CsrMatrix propagation = gcn_normalised(context, graph.adjacency);
  for (int step = 0; step < 2; ++step) rows = sparse_product(context, propagation, rows);
  out.push_back({"smoothed_features", "Smoothed features Â²X",
                 Sample{classify(context, graph, rows, options).accuracy}});
  return out;
}

/// The accuracy of a run that was not judged when it was made.
Sample measured_accuracy(const Context& context, const OpenData& data, const PageRow& run) {
  Sample sample;
  if (data.protocol.empty()) return sample;
  const ClassifyOptions options{.protocol = data.protocol,
                                .normalize = normalize_of(run.source, {}),
                                .smooth = run.source.smooth};
  for (const fs::path& file : run.source.files) {
    const DenseMatrix rows = read_embedding(file);
    if (rows.rows != data.graph.nodes()) return {};  // the page says so with the figures
    const ClassifyResult found = classify(context, data.graph, rows, options);
    sample.values.insert(sample.values.end(), found.accuracy.begin(), found.accuracy.end());
  }
  return sample;
}

/// The datasets of the page, each opened once whatever the runs call it.
class PageDatasets {
 public:
  PageDatasets(const Context& context, const PageOptions& options)
      : context_(context), options_(options) {}

  /// Its place in the list.
  std::size_t place_of(const PageRow& run) {
    const DataSpec spec = dataset_of(run.source, {.data_dir = options_.data_dir});
    const auto [known, is_new] =
        known_.emplace(std::tuple(run.data.get(), spec.dataset, spec.transforms), 0);
    if (is_new) known->second = add(run.data.get(), spec);
    return known->second;
  }

  /// The nodes on the maps of runs on these places: as many as all of them have together, of more
  /// each map has equally many, and what a smaller one leaves the larger ones take.
  void choose_nodes(const std::vector<std::size_t>& places) {
    if (!options_.maps) return;
    std::vector<std::int64_t> wanted;
    for (const std::size_t place : places) {
      wanted.push_back(open_[place] ? open_[place]->graph.nodes() : 0);
    }
    const std::int64_t most = fair_share(wanted, options_.map_nodes, least_map_nodes);
    for (const std::size_t place : std::set<std::size_t>(places.begin(), places.end())) {
      if (!open_[place]) continue;
      add_nodes(pages_[place], *open_[place],
                shown_nodes(context_, open_[place]->graph.nodes(), most));
    }
  }

  /// Null where it is not at hand.
  const OpenData* open(std::size_t place) const { return open_[place] ? &*open_[place] : nullptr; }
  const std::string& reason(std::size_t place) const { return reasons_[place]; }
  const PageDataset& shown(std::size_t place) const { return pages_[place]; }
  std::vector<PageDataset> take() { return std::move(pages_); }

 private:
  std::size_t add(const Data* given, const DataSpec& spec) {
    std::string reason;
    std::optional<OpenData> data = open_for_page(context_, given, spec, reason);
    // Every folder of a run on a user's own files has a description of its own.
    const std::string identity = data
                                     ? fmt::format("{} {} {}", data->graph.name,
                                                   matrix_checksum(context_, data->graph.adjacency),
                                                   feature_checksum(context_, data->graph.features))
                                     : "not at hand: " + spec.dataset;
    const auto same = std::ranges::find(identities_, identity);
    if (same != identities_.end()) return static_cast<std::size_t>(same - identities_.begin());
    if (data) {
      pages_.push_back(page_dataset(*data));
      if (options_.baselines) pages_.back().baselines = baselines_of(context_, *data);
    } else {
      pages_.push_back({.name = spec.dataset});
      context_.log().write(
          LogLevel::warning,
          fmt::format("{}: no maps, calibration and baselines\n{}", spec.dataset, reason));
    }
    open_.push_back(std::move(data));
    reasons_.push_back(std::move(reason));
    identities_.push_back(identity);
    return pages_.size() - 1;
  }

  const Context& context_;
  const PageOptions& options_;
  std::map<std::tuple<const Data*, std::string, std::vector<std::string>>, std::size_t> known_;
  std::vector<std::optional<OpenData>> open_;
  std::vector<std::string> reasons_;
  std::vector<std::string> identities_;
  std::vector<PageDataset> pages_;
};

}  // namespace

ReportPage run_page(const Context& context, std::span<const PageSource> sources,
                    const PageOptions& options) {
  const PageRows given = page_rows(context, sources, options.choice);
  std::size_t seeds = 0;
  for (const PageRow& row : given.rows) seeds += row.seeds.size();
  const std::size_t most_points = points_of_curves(seeds);
  prepare_torch(context);
  ReportPage page{.title = options.title, .version = build_info().version};
  PageDatasets datasets(context, options);
  std::vector<ComparedRun> compared = compared_rows(given.rows);
  for (const PageRow& row : given.rows) {
    compared[page.runs.size()].dataset = std::to_string(datasets.place_of(row));
    page.runs.push_back({.dataset = datasets.place_of(row)});
  }
  const std::vector<std::string> apart = apart_words(compared);
  const std::vector<std::optional<Counterpart>> pairs = counterparts(compared);
  std::vector<std::size_t> places;
  for (const PageRun& run : page.runs) places.push_back(run.dataset);
  datasets.choose_nodes(places);
  for (std::size_t i = 0; i < given.rows.size(); ++i) {
    const PageRow& row = given.rows[i];
    PageRun run{.name = row.name,
                .method = setting_of(row.record, "method"),
                .reg = setting_of(row.record, "reg"),
                .recipe = row.record.recipe,
                .dataset = places[i],
                .seeds = row.seeds,
                .apart = apart[i],
                .published = published(row),
                .curves = curves_of(row, most_points)};
    if (pairs[i]) {
      run.counterpart = pairs[i]->run;
      run.differs = pairs[i]->differs;
    }
    for (const Setting& setting : row.record.settings) {
      run.settings.emplace_back(setting.key, setting.value);
    }
    const OpenData* const data = datasets.open(run.dataset);
    Sample accuracy = recorded_sample(row, "accuracy");
    if (accuracy.values.empty() && data != nullptr) {
      accuracy = measured_accuracy(context, *data, row);
    }
    run.figures = {{"accuracy", std::move(accuracy)},
                   {"val_accuracy", recorded_sample(row, "val_accuracy")}};
    if (data != nullptr) {
      judge_for_page(context,
                     {.graph = data->graph,
                      .split = data->split ? &*data->split : nullptr,
                      .protocol = data->protocol,
                      .files = row.source.files,
                      .shown = datasets.shown(run.dataset).shown,
                      .tsne = options.tsne},
                     run);
    } else {
      run.notes.push_back("The dataset is not at hand: " + datasets.reason(run.dataset));
    }
    page.runs[i] = std::move(run);
  }
  page.datasets = datasets.take();
  page.paper = paper_page(given.cells);
  if (given.left > 0) {
    page.note = fmt::format(
        "{} of {} settings are shown in full; --methods, --datasets and --most-runs choose others.",
        given.rows.size(), given.rows.size() + given.left);
  }
  if (page.title.empty()) {
    std::vector<std::string> of;
    for (const PageDataset& data : page.datasets) of.push_back(data.name);
    page.title = of.empty() ? "The paper's tables" : "Embeddings of " + join_words(of);
  }
  return page;
}

Report write_run_page(const Context& context, std::span<const PageSource> sources,
                      const fs::path& file, const PageOptions& options) {
  if (page_shell().empty()) {
    fail_environment({.what = "this build has no page to write",
                      .found = std::string(why_no_page()),
                      .hint = "install nodejs and npm, then ./bootstrap build; creg history and "
                              "creg calibrate draw figures without it"});
  }
  check_output_file(file);
  AtomicFile written(file);
  const ReportPage page = run_page(context, sources, options);
  const std::string html = write_page(page_shell(), page);
  written.write(html);
  written.commit();
  List runs;
  for (const PageRun& run : page.runs) {
    runs.emplace_back(
        Record{{"run", run.name},
               {"method", run.method},
               {"reg", run.reg},
               {"dataset", page.datasets[run.dataset].name},
               {"seeds", run.seeds},
               {"map_nodes", run.map ? Value(run.map->principal.size() / 2) : Value()},
               {"notes", run.notes}});
  }
  return {.body = {words(fmt::format("{}: {} of {}; open it in a browser", file.string(),
                                     human_bytes(static_cast<std::int64_t>(html.size())),
                                     counted(static_cast<std::int64_t>(page.runs.size()), "run"))),
                   words(page.note),
                   {"out", file.string()},
                   {"bytes", html.size()},
                   {"title", page.title},
                   {"runs", std::move(runs)}}};
}

}  // namespace creg
