#include "run.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "arrays.h"
#include "comm/communicator.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "encoder.h"
#include "graph.h"
#include "io/file.h"
#include "io/json_text.h"
#include "job.h"
#include "loss.h"
#include "report/classify_report.h"
#include "report/writers.h"
#include "run/claimed_folder.h"
#include "run/embeddings.h"
#include "run/run_folder.h"
#include "run/run_report.h"
#include "train/checkpoint.h"
#include "train/embed_nodes.h"
#include "train/parameters.h"

namespace creg::python {
namespace {

namespace fs = std::filesystem;

std::vector<EpochStatistics> read_metrics(const fs::path& file);

/// Of a folder whose files are a run's: others have another one.
std::string stamp_of(const fs::path& folder) {
  std::string stamp;
  for (const fs::path& file : find_embeddings(folder).files) {
    std::error_code failed;
    const auto time = fs::last_write_time(file, failed).time_since_epoch().count();
    const auto bytes = fs::file_size(file, failed);
    if (failed) return {};
    stamp += file.string() + " " + std::to_string(time) + " " + std::to_string(bytes) + "\n";
  }
  return stamp;
}

/// What a model needs of its folder must be what the run wrote there.
void check_untouched(const PyRun& run) {
  if (run.folder.empty()) return;
  if (!is_there(run.folder)) {
    fail_environment({.what = "the model's folder is gone, and its encoder with it",
                      .file = run.folder.string(),
                      .hint = "save() writes another one while it is there"});
  }
  if (holds_run(run.folder) && stamp_of(run.folder) == run.stamp) return;
  fail_environment({.what = "the model's folder holds another run by now",
                    .file = run.folder.string(),
                    .hint = "load(folder) is that one; this model's embedding_ is as it was"});
}

/// All epochs of a run: one that went on has those before in its folder alone.
std::vector<EpochStatistics> epochs_of(const RunPlan& plan, const SeedResult& seed) {
  const std::vector<EpochStatistics>& here = seed.training.epochs;
  if (!plan.resume || plan.directory.empty()) return here;
  std::vector<EpochStatistics> all = read_metrics(seed_folder(plan, seed.seed) / "metrics.jsonl");
  const int first = here.empty() ? std::numeric_limits<int>::max() : here.front().epoch;
  std::erase_if(all, [&](const EpochStatistics& one) { return one.epoch >= first; });
  all.insert(all.end(), here.begin(), here.end());
  return all;
}

PyRun run_of_result(RunResult made) {
  PyRun run;
  run.result = std::make_shared<const RunResult>(std::move(made));
  const RunPlan& plan = run.result->plan;
  run.config = plan.config;
  run.device = plan.device.name();
  run.precision = name_of(plan.precision);
  run.threads = plan.threads;
  run.recipe = plan.recipe;
  run.folder = plan.directory;
  if (!run.folder.empty()) run.stamp = stamp_of(run.folder);
  for (const SeedResult& one : run.result->seeds) {
    const TrainResult& training = one.training;
    run.seeds.push_back({.seed = one.seed,
                         .embedding = training.embedding,
                         .epochs = epochs_of(plan, one),
                         .epochs_run = training.epochs_run,
                         .best_epoch = training.best_epoch,
                         .seconds = training.seconds,
                         .stopped = training.stopped});
    if (one.classification) {
      run.seeds.back().classification =
          to_json_text(classify_report(*one.classification, plan.graph.name).body);
    }
  }
  return run;
}

double number_in(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : 0.0;
}

std::optional<double> score_in(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// What is told of an epoch: `each` of a key and a member.
template <class Each>
void for_each_column(const Each& each) {
  using S = EpochStatistics;
  each("epoch", &S::epoch);
  each("loss", &S::loss);
  each("contrast", &S::contrast);
  each("regulariser", &S::regulariser);
  each("positive_sigma", &S::positive_sigma);
  each("negative_sigma", &S::negative_sigma);
  each("norm_mean", &S::norm_mean);
  each("norm_variance", &S::norm_variance);
  each("anchors", &S::anchors);
  each("lr", &S::lr);
  each("ratio", &S::ratio);
  each("val_accuracy", &S::val_accuracy);
  each("calibration_score", &S::calibration_score);
  each("seconds", &S::seconds);
}

/// metrics.jsonl; a half line at its end, which a killed run may leave, is none.
std::vector<EpochStatistics> read_metrics(const fs::path& file) {
  std::vector<EpochStatistics> epochs;
  if (!is_there(file)) return epochs;
  const Bytes bytes = map_file(file);
  std::string_view rest = bytes.text();
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const nlohmann::json line = parse_json(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!line.is_object()) continue;
    EpochStatistics s;
    for_each_column([&](const char* key, auto member) {
      using T = std::remove_cvref_t<decltype(s.*member)>;
      if constexpr (std::is_same_v<T, std::optional<double>>) {
        s.*member = score_in(line, key);
      } else {
        s.*member = static_cast<T>(number_in(line, key));
      }
    });
    epochs.push_back(s);
  }
  return epochs;
}

/// Not a view of the file, which is read-only.
DenseMatrix in_memory(const DenseMatrix& mapped) {
  Buffer<float> values(mapped.values.size());
  std::copy(mapped.values.begin(), mapped.values.end(), values.begin());
  return {.rows = mapped.rows, .cols = mapped.cols, .values = std::move(values)};
}

PySeed read_seed(const fs::path& folder) {
  PySeed seed;
  seed.seed = read_record(folder).seed;
  seed.embedding = in_memory(read_embedding(folder / "embedding.npy"));
  seed.epochs = read_metrics(folder / "metrics.jsonl");
  if (!is_there(folder / "result.json")) return seed;
  const std::string text(map_file(folder / "result.json").text());
  const nlohmann::json result = parse_json(text);
  if (!result.is_object()) return seed;
  seed.epochs_run = static_cast<int>(number_in(result, "epochs_run"));
  seed.best_epoch = static_cast<int>(number_in(result, "best_epoch"));
  seed.seconds = number_in(result, "seconds");
  if (result.value("task", nlohmann::json()).is_string()) seed.classification = text;
  return seed;
}

PyRun read_run(const fs::path& folder) {
  if (!holds_run(folder)) {
    fail_input({.what = "no run is kept there",
                .file = folder.string(),
                .expected = "a folder that save() or fit() wrote, or creg train"});
  }
  const RunRecord record = read_record(folder);
  PyRun run;
  run.config = config_of(record);
  run.device = record.on_gpu ? "cuda" : "cpu";
  run.precision = name_of(record.precision);
  run.threads = record.threads;
  run.recipe = record.recipe;
  run.folder = folder;
  run.stamp = stamp_of(folder);
  const EmbeddingSource source = find_embeddings(folder);
  for (const fs::path& file : source.files) run.seeds.push_back(read_seed(file.parent_path()));
  return run;
}

fs::path checkpoint_of(const PyRun& run) {
  const fs::path several = run.folder / ("seed-" + std::to_string(run.seeds.front().seed));
  return (is_there(several) ? several : run.folder) / "checkpoint.pt";
}

/// `nodes`: these rows alone; none: all of them.
py::array embed_graph(const PyRun& run, const Job& job, const PyGraph& graph,
                      const PyEncoder* encoder,
                      const std::optional<std::vector<std::int32_t>>& nodes) {
  const std::shared_ptr<const AddedEncoder> added = encoder ? encoder->added() : nullptr;
  check_untouched(run);
  DenseMatrix embedding;
  job.run([&](const Context& context) {
    const TrainResult* const kept = run.result ? &run.result->seeds.front().training : nullptr;
    const auto rows_by = [&](const Checkpoint& checkpoint, const std::string& name) {
      const Graph& one = graph.data->graph;
      return nodes ? embed_nodes(context, one, checkpoint, name, *nodes, added)
                   : embed(context, one, checkpoint, name, added);
    };
    if (kept != nullptr && kept->checkpoint) {
      embedding = rows_by(*kept->checkpoint, "this model");
    } else if (method_of(run.config).encoders.empty()) {
      fail_input({.what = "this method has no encoder that could embed another graph",
                  .file = "method",
                  .found = run.config.method,
                  .hint = "fit the other graph"});
    } else {
      const fs::path file = checkpoint_of(run);
      embedding = rows_by(read_checkpoint(file), file.string());
    }
  });
  return as_own_numpy(embedding);
}

/// A run with a folder is copied from there; leftovers and locks of other programs are not.
void copy_folder(const Context& context, const fs::path& from, const fs::path& to, bool overwrite) {
  const ClaimedFolder claimed(context, to, overwrite ? Claim::overwrite : Claim::fresh);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path target = to / fs::relative(entry.path(), from);
    if (entry.is_directory()) {
      make_folder(target);
    } else if (entry.path().filename().string().starts_with('.')) {
      continue;
    } else {
      write_file(target, map_file(entry.path()).text());
    }
  }
}

void save_run(const PyRun& run, const Job& job, const std::string& folder, bool overwrite) {
  check_untouched(run);
  job.run([&](const Context& context) {
    if (!run.folder.empty()) {
      copy_folder(context, run.folder, folder, overwrite);
      return;
    }
    RunResult kept = *run.result;
    kept.plan.overwrite = overwrite;
    save(kept, folder);
  });
}

/// Arrays over the epochs; NaN where there is nothing.
py::dict history_of(const PySeed& seed) {
  const std::vector<EpochStatistics>& epochs = seed.epochs;
  py::dict columns;
  for_each_column([&](const char* key, auto member) {
    using T = std::remove_cvref_t<decltype(epochs.front().*member)>;
    constexpr bool may_lack = std::is_same_v<T, std::optional<double>>;
    using Kept = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
    py::array_t<Kept> column(static_cast<py::ssize_t>(epochs.size()));
    Kept* const out = column.mutable_data();
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      if constexpr (may_lack) {
        out[i] = (epochs[i].*member).value_or(std::numeric_limits<double>::quiet_NaN());
      } else {
        out[i] = epochs[i].*member;
      }
    }
    columns[key] = column;
  });
  return columns;
}

py::dict told(const EpochStatistics& s) {
  py::dict out;
  for_each_column([&](const char* key, auto member) { out[key] = s.*member; });
  return out;
}

py::dict config_dict(const TrainConfig& config) {
  py::dict out;
  for (const Parameter& parameter : parameters_of(config)) {
    out[py::str(parameter.key)] = parameter.get(config);
  }
  return out;
}

RunSpec spec_of(Settings settings, const PyLoss* loss, const PyEncoder* encoder,
                const std::string& recipe, int seeds) {
  RunSpec spec;
  spec.settings = std::move(settings);
  spec.recipe = recipe;
  spec.seeds = seeds;
  if (encoder != nullptr) spec.added_encoder = encoder->added();
  if (loss != nullptr) {
    spec.added = loss->entry();
    spec.settings["method"] = loss->name();
  }
  return spec;
}

py::dict plan_dict(const Job& job, const PyGraph& graph, const Settings& settings,
                   const std::string& recipe, int seeds) {
  RunPlan made;
  job.run([&](const Context& context) {
    made = plan(context, *graph.data, spec_of(settings, nullptr, nullptr, recipe, seeds));
  });
  py::dict out;
  out["config"] = config_dict(made.config);
  out["recipe"] = made.recipe;
  out["nodes"] = made.nodes;
  out["edges"] = made.edges;
  out["features"] = made.features;
  out["memory"] = made.memory_bytes;
  out["threads"] = made.threads;
  return out;
}

struct TrainRequest {
  std::string out;
  bool overwrite = false;
  bool resume = false;
  bool evaluate = false;
  int calibrate = 0;
  std::string calibration_folder;  ///< of a run that is not kept
  bool tensorboard = false;
  bool distributed = false;
  HeldObject callback;  ///< null: nobody listens
};

RunResult train_on(const Context& context, const Data& data, RunSpec spec,
                   const TrainRequest& request) {
  spec.out = request.out;
  spec.overwrite = request.overwrite;
  spec.evaluate = request.evaluate;
  spec.calibrate = request.calibrate;
  spec.tensorboard = request.tensorboard;
  RunPlan made = plan(context, data, spec);
  made.calibration_folder = request.calibration_folder;
  if (request.resume && holds_run(spec.out)) {
    made.resume = true;
    check_same_run(made);
  }
  RunListener listener;
  // Ranks stop alike, though rank 0 alone has a folder.
  listener.return_stopped = !spec.world || request.out.empty();
  if (request.callback) {
    listener.epoch_done = [&](std::uint64_t seed, const EpochStatistics& statistics) {
      with_python([&] { (*request.callback)(seed, told(statistics)); });
    };
  }
  RunResult result = execute(context, made, listener);
  // What rank 0 writes there the others do not wait for.
  if (spec.world && spec.world->rank() > 0) result.plan.directory.clear();
  return result;
}

/// As one of the processes that a launcher started, together with the others.
RunResult train_as_rank(const Context& context, const Data& data, RunSpec spec,
                        const TrainRequest& request, bool own_threads) {
  const std::optional<RankLaunch> launch = find_launch(process_variables());
  if (!launch) {
    fail_input({.what = "this process is none of several: no launcher has set its variables",
                .file = "distributed",
                .hint = "torchrun --nproc_per_node 2 program.py; docs/distributed.md"});
  }
  Context::Options options = context.options();
  if (!own_threads) options.threads = std::max(1, available_cores() / launch->local_size);
  if (options.device.type != DeviceType::cpu) options.device.index = launch->local_rank;
  if (launch->rank > 0) options.progress = make_silent_progress();
  const Context own(options);
  spec.ranks = launch->size;
  std::optional<RunResult> result;
  with_ranks(*launch, {.stopped = [&] { return context.stopped(); }},
             [&](const std::shared_ptr<Communicator>& world) {
               spec.world = world;
               result = train_on(own, data, spec, request);
             });
  result->plan.world = nullptr;
  return std::move(*result);
}

PyRun train_graph(const Job& job, const PyGraph& graph, const Settings& settings,
                  const PyLoss* loss, const PyEncoder* encoder, const std::string& recipe,
                  int seeds, const std::string& out, bool overwrite, bool resume, bool evaluate,
                  int calibrate, const std::string& calibration_folder, bool tensorboard,
                  bool distributed, const py::object& callback) {
  const TrainRequest request{.out = out,
                             .overwrite = overwrite,
                             .resume = resume,
                             .evaluate = evaluate,
                             .calibrate = calibrate,
                             .calibration_folder = calibration_folder,
                             .tensorboard = tensorboard,
                             .distributed = distributed,
                             .callback = callback.is_none() ? nullptr : held(callback)};
  const RunSpec spec = spec_of(settings, loss, encoder, recipe, seeds);
  std::optional<RunResult> made;
  try {
    job.run([&](const Context& context) {
      made = request.distributed
                 ? train_as_rank(context, *graph.data, spec, request, job.has_own_threads())
                 : train_on(context, *graph.data, spec, request);
    });
  } catch (const PythonRaised& raised) {
    // After Ctrl-C what was trained so far goes along with KeyboardInterrupt.
    if (made) raised.value().attr("run") = run_of_result(std::move(*made));
    throw;
  }
  return run_of_result(std::move(*made));
}

}  // namespace

py::object parsed_json(const std::string& text) {
  return py::module_::import("json").attr("loads")(text);
}

void bind_run(py::module_& module) {
  py::class_<PySeed>(module, "SeedRun")
      .def_readonly("seed", &PySeed::seed)
      .def_property_readonly("embedding",
                             [](const PySeed& self) { return as_own_numpy(self.embedding); })
      .def_property_readonly("history", history_of)
      .def_readonly("epochs_run", &PySeed::epochs_run)
      .def_readonly("best_epoch", &PySeed::best_epoch)
      .def_readonly("seconds", &PySeed::seconds)
      .def_readonly("stopped", &PySeed::stopped)
      .def("classification", [](const PySeed& self) -> py::object {
        if (self.classification.empty()) return py::none();
        return parsed_json(self.classification);
      });
  py::class_<PyRun>(module, "Run")
      .def_readonly("seeds", &PyRun::seeds)
      .def_property_readonly("config", [](const PyRun& self) { return config_dict(self.config); })
      .def_readonly("device", &PyRun::device)
      .def_readonly("precision", &PyRun::precision)
      .def_readonly("threads", &PyRun::threads)
      .def_readonly("recipe", &PyRun::recipe)
      .def_property_readonly(
          "classified_rows",
          [](const PyRun& self) {
            return normalize_name(classified_rows(self.config).value_or(Normalize::none));
          })
      .def_property_readonly(
          "plain_rows", [](const PyRun& self) { return normalize_name(plain_rows(self.config)); })
      .def_property_readonly("smooth", [](const PyRun& self) { return self.config.smooth; })
      .def_property_readonly("folder", [](const PyRun& self) { return self.folder.string(); })
      .def("result",
           [](const PyRun& self) {
             if (self.result) return parsed_json(to_json_text(run_report(*self.result).body));
             return parsed_json(std::string(map_file(self.folder / "result.json").text()));
           })
      .def("save", &save_run, py::arg("job"), py::arg("folder"), py::arg("overwrite"))
      .def("embed", &embed_graph, py::arg("job"), py::arg("graph"), py::arg("encoder") = py::none(),
           py::arg("nodes") = py::none());
  module.def("plan", &plan_dict, py::arg("job"), py::arg("graph"), py::arg("settings"),
             py::kw_only(), py::arg("recipe") = "", py::arg("seeds") = 0);
  module.def("train", &train_graph, py::arg("job"), py::arg("graph"), py::arg("settings"),
             py::kw_only(), py::arg("loss") = py::none(), py::arg("encoder") = py::none(),
             py::arg("recipe") = "", py::arg("seeds") = 0, py::arg("out") = "",
             py::arg("overwrite") = false, py::arg("resume") = false, py::arg("evaluate") = false,
             py::arg("calibrate") = 0, py::arg("calibration_folder") = "",
             py::arg("tensorboard") = false, py::arg("distributed") = false,
             py::arg("callback") = py::none());
  module.def(
      "load_run",
      [](const Job& job, const std::string& folder) {
        PyRun run;
        job.run([&](const Context& /*context*/) { run = read_run(folder); });
        return run;
      },
      py::arg("job"), py::arg("folder"));
}

}  // namespace creg::python
