#include "run/stored_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "calibration/embedding_calibration.h"
#include "core/parse_value.h"
#include "creg/core/error.h"
#include "creg/tasks/cluster.h"
#include "creg/tasks/link.h"
#include "io/catalogue.h"
#include "io/file.h"
#include "io/graph_checksum.h"
#include "ops/runtime.h"
#include "run/embeddings.h"
#include "run/run_folder.h"
#include "tasks/finetune.h"
#include "train/parameters.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

std::string graph_text(const Context& context, const RunPlan& plan) {
  std::string text;
  if (plan.dataset.entry != nullptr) {
    text = "of the catalogue";
  } else if (plan.dataset.source.starts_with("synthetic:")) {
    text = "made from a seed";
  } else {
    const Graph& graph = plan.held_out ? plan.held_out->whole : plan.graph;
    text = fmt::format("{} nodes, edges {}, features {}", graph.nodes(),
                       matrix_checksum(context, graph.adjacency),
                       feature_checksum(context, graph.features));
  }
  for (const std::string& transform : plan.data.transforms) text += ", " + transform;
  if (!plan.parts_from.parts.empty()) {
    text += fmt::format(", pretrained {} {}", plan.parts_from.parts, plan.parts_from.share);
  }
  return text;
}

std::string dataset_name(const RunPlan& plan) {
  if (plan.dataset.entry != nullptr) return std::string(plan.dataset.entry->name);
  const std::string& source = plan.dataset.source;
  return source.starts_with("synthetic:") ? source : plan.graph.name;
}

ClassifyOptions classify_options(const RunPlan& plan, const RunQuestion& question) {
  ClassifyOptions options;
  options.protocol = question.protocol.empty() ? plan.dataset.protocol : question.protocol;
  options.splits = question.splits;
  options.weight_decay = question.weight_decay;
  options.normalize = classified_rows(plan.config);
  options.smooth = plan.config.smooth;
  return options;
}

void add_classification(RunFigures& figures, const std::string& name,
                        const ClassifyResult& result) {
  figures[{name, "accuracy"}] = result.accuracy;
  if (!result.val_accuracy.empty()) figures[{name, "val_accuracy"}] = result.val_accuracy;
}

void answer_cluster(const Context& context, const RunPlan& plan, const DenseMatrix& embedding,
                    const RunQuestion& question, const std::string& name, RunFigures& figures) {
  ClusterOptions options;
  options.normalize = question.l2 ? Normalize::l2 : plain_rows(plan.config);
  options.smooth = plan.config.smooth;
  if (question.pca) options.pca = usual_components(embedding);
  const ClusterResult result = cluster(context, plan.graph, embedding, options);
  figures[{name, "accuracy"}] = result.accuracy;
  figures[{name, "nmi"}] = result.nmi;
  figures[{name, "f1"}] = result.f1;
  figures[{name, "ari"}] = result.ari;
}

void answer_link(const Context& context, const RunPlan& plan, const DenseMatrix& embedding,
                 const RunQuestion& question, const std::string& name, RunFigures& figures) {
  invariant(plan.held_out != nullptr, "links are predicted by runs that did not see all of them");
  LinkOptions options;
  options.predictor.patience = question.patience;
  options.normalize = plain_rows(plan.config);
  options.smooth = plan.config.smooth;
  const HeldOutEdges& edges = *plan.held_out;
  const LinkResult result = predict_links(context, edges.split, edges.seed, embedding, options);
  figures[{name, "auc"}] = result.auc;
  figures[{name, "ap"}] = result.average_precision;
  figures[{name, "val_auc"}] = result.val_auc;
}

void answer_calibration(const Context& context, const RunPlan& plan, const DenseMatrix& embedding,
                        const std::string& name, RunFigures& figures) {
  const CalibrationFigures found =
      figures_of(embedding_calibration(context, plan.graph, embedding, {}));
  for (const CalibrationKey& key : calibration_keys()) {
    const std::optional<double>& value = found.*key.member;
    if (value) figures[{name, std::string(key.name)}] = {*value};
  }
}

void answer_finetune(const Context& context, const RunPlan& plan, const fs::path& folder,
                     const RunQuestion& question, const std::string& name, RunFigures& figures) {
  invariant(plan.parts != nullptr, "a run that is fine-tuned has left nodes for it");
  const auto from = question.fresh ? std::optional<fs::path>() : folder / "checkpoint.pt";
  const FinetuneResult result =
      finetune(context, *plan.whole, *plan.parts, plan.config, from, FinetuneOptions{});
  figures[{name, "accuracy"}] = {result.accuracy};
  figures[{name, "val_accuracy"}] = {result.val_accuracy};
}

/// Whether an embedding that is there is enough to answer by.
bool needs_training(const RunPlan& plan, const std::vector<RunQuestion>& questions) {
  // A classifier of the model's own, and an encoder, are not in an embedding.
  return method_of(plan.config).labels ||
         std::any_of(questions.begin(), questions.end(),
                     [](const RunQuestion& q) { return q.kind == Question::finetune; });
}

RunPlan plan_in(const Context& context, const RunPlan& plan, const RunQuestion* classify,
                const fs::path& folder) {
  RunPlan own = plan;
  own.seeds = {context.seed()};
  own.several = false;
  own.directory = folder;
  own.all_threads = context.threads();
  own.threads = context.threads();
  const bool begun = holds_run(folder);
  own.resume = begun && is_there(folder / "checkpoint.pt");
  own.overwrite = begun && !own.resume;
  own.evaluate = classify != nullptr;
  if (classify != nullptr) {
    if (!classify->protocol.empty()) own.dataset.protocol = classify->protocol;
    own.eval_splits = classify->splits;
  }
  return own;
}

}  // namespace

std::string RunQuestion::name(const std::string& dataset_protocol) const {
  switch (kind) {
    case Question::classify: {
      std::string text = "classify ";
      text += !protocol.empty() ? protocol : !dataset_protocol.empty() ? dataset_protocol : "own";
      if (splits > 0) text += " splits " + std::to_string(splits);
      if (weight_decay) text += " decay " + number_text(*weight_decay);
      return text;
    }
    case Question::cluster:
      return std::string("cluster") + (l2 ? " l2" : "") + (pca ? " pca" : "");
    case Question::link:
      return "link linear patience " + std::to_string(patience);
    case Question::finetune:
      return fresh ? "finetune fresh" : "finetune";
    case Question::calibrate:
      break;
  }
  return "calibrate";
}

RunKey run_key(const Context& context, const RunPlan& plan, std::uint64_t seed) {
  RunKey key;
  key.dataset = dataset_name(plan);
  key.graph = graph_text(context, plan);
  key.method = plan.config.method;
  const std::vector<Parameter> parameters = parameters_of(plan.config);
  for (const Parameter& parameter : parameters) {
    if (parameter.key == "reg") key.regulariser = parameter.get(plan.config);
    if (parameter.key == "encoder") key.encoder = parameter.get(plan.config);
  }
  key.config = config_toml(plan.config);
  if (plan.calibrate > 0) key.config += "calibrate = " + std::to_string(plan.calibrate) + "\n";
  if (method_of(plan.config).labels) key.config += "labels = " + plan.dataset.protocol + "\n";
  key.build = build_name();
  key.device = (plan.device.type == DeviceType::cpu ? "cpu " : "cuda ") + name_of(plan.precision);
  key.seed = seed;
  if (plan.held_out) key.edge_split = plan.held_out->seed;
  return key;
}

std::vector<RunQuestion> open_questions(const StoredRun& run,
                                        const std::vector<RunQuestion>& questions,
                                        const std::string& dataset_protocol) {
  std::vector<RunQuestion> open;
  const RunFigures& figures = run.outcome.figures;
  for (const RunQuestion& question : questions) {
    const std::string name = question.name(dataset_protocol);
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&](const auto& figure) { return figure.first.first == name; });
    if (run.state != RunState::done || found == figures.end()) open.push_back(question);
  }
  return open;
}

RunOutcome carry_out(const Context& context, const RunPlan& plan, const StoredRun& known,
                     const std::vector<RunQuestion>& questions, const fs::path& folder,
                     const RunListener& listener) {
  const auto start = std::chrono::steady_clock::now();
  RunOutcome outcome = known.outcome;
  outcome.figures.clear();
  const fs::path kept = known.folder.empty() ? folder : fs::path(known.folder);
  const RunQuestion* classify_one = nullptr;
  for (const RunQuestion& question : questions) {
    if (question.kind == Question::classify && !question.weight_decay) classify_one = &question;
  }
  DenseMatrix embedding;
  const bool there = known.state == RunState::done && is_there(kept / "embedding.npy");
  if (there && !needs_training(plan, questions)) {
    embedding = read_embedding(kept / "embedding.npy");
    prepare_torch(context);
    classify_one = nullptr;
  } else {
    RunResult result = execute(context, plan_in(context, plan, classify_one, folder), listener);
    SeedResult& seed = result.seeds.front();
    outcome.seconds = seed.training.seconds;
    outcome.epochs = seed.training.epochs_run;
    outcome.threads = context.threads();
    outcome.memory_bytes = result.plan.memory_bytes;
    embedding = std::move(seed.training.embedding);
    if (classify_one != nullptr && seed.classification) {
      add_classification(outcome.figures, classify_one->name(plan.dataset.protocol),
                         *seed.classification);
    }
  }
  for (const RunQuestion& question : questions) {
    context.throw_if_stopped();
    const std::string name = question.name(plan.dataset.protocol);
    switch (question.kind) {
      case Question::classify:
        if (&question == classify_one) break;
        add_classification(
            outcome.figures, name,
            classify(context, plan.graph, embedding, classify_options(plan, question)));
        break;
      case Question::cluster:
        answer_cluster(context, plan, embedding, question, name, outcome.figures);
        break;
      case Question::link:
        answer_link(context, plan, embedding, question, name, outcome.figures);
        break;
      case Question::calibrate:
        answer_calibration(context, plan, embedding, name, outcome.figures);
        break;
      case Question::finetune:
        answer_finetune(context, plan, folder, question, name, outcome.figures);
        break;
    }
  }
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
  if (!there) outcome.figures[{"time", "seconds"}] = {whole.count()};
  return outcome;
}

void keep_outcome(RunStore& store, const StoredRun& known, const RunOutcome& outcome) {
  const fs::path folder = store.folder_of(known.id);
  store.finish(known.id, outcome, known.folder.empty() ? folder.filename().string() : "");
  // What a finished run is asked later its embedding answers, which is a third as large.
  remove_file(folder / "checkpoint.pt");
}

StoredRun run_by_store(const Context& context, RunStore& store, const RunPlan& plan,
                       const std::vector<RunQuestion>& questions, const RunListener& listener) {
  const RunKey key = run_key(context, plan, context.seed());
  const std::string& protocol = plan.dataset.protocol;
  constexpr std::chrono::milliseconds pause{200};
  while (true) {
    std::optional<StoredRun> known = store.find(key);
    if (known && open_questions(*known, questions, protocol).empty()) return *known;
    known = store.claim(key);
    if (!known) {
      std::this_thread::sleep_for(pause);
      context.throw_if_stopped();
      continue;
    }
    try {
      const auto open = open_questions(*known, questions, protocol);
      const RunOutcome outcome =
          carry_out(context, plan, *known, open, store.folder_of(known->id), listener);
      keep_outcome(store, *known, outcome);
    } catch (const Interrupted&) {
      store.release(known->id);
      throw;
    } catch (const Error& error) {
      store.fail(known->id, error.what());
      throw;
    }
  }
}

}  // namespace creg
