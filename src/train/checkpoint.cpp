#include "train/checkpoint.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/csrc/jit/serialization/pickler.h>
#include <torch/types.h>

#include <memory>
#include <new>
#include <span>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"

namespace creg {
namespace {

using c10::IValue;
using c10::impl::GenericDict;

GenericDict new_dict() {
  return GenericDict(c10::StringType::get(), c10::AnyType::get());
}

GenericDict tensor_dict(const std::vector<NamedTensor>& tensors) {
  GenericDict dict = new_dict();
  for (const NamedTensor& tensor : tensors)
    dict.insert(tensor.name, tensor.value.detach().to(at::kCPU));
  return dict;
}

GenericDict text_dict(const TextPairs& pairs) {
  GenericDict dict = new_dict();
  for (const auto& [key, value] : pairs) dict.insert(key, value);
  return dict;
}

/// Plain dicts without type tags, which the safe loaders of torch refuse.
std::vector<char> archive(const GenericDict& dict) {
  std::vector<char> pickled;
  torch::jit::Pickler pickler(
      [&](const char* bytes, std::size_t size) {
        pickled.insert(pickled.end(), bytes, bytes + size);
      },
      nullptr, nullptr, nullptr, nullptr, /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(dict);
  pickler.stop();
  std::vector<char> out;
  bool short_of_memory = false;
  // The writer's destructor writes on after an exception, and ends the process when it cannot: it
  // sees none of ours, and is left undestroyed after one of its own.
  auto writer = std::make_unique<caffe2::serialize::PyTorchStreamWriter>(
      [&](const void* bytes, std::size_t size) {
        const char* const first = static_cast<const char*>(bytes);
        try {
          if (!short_of_memory) out.insert(out.end(), first, first + size);
        } catch (const std::bad_alloc&) {
          short_of_memory = true;
        }
        return size;
      });
  try {
    std::size_t record = 0;
    for (const at::Tensor& tensor : pickler.tensorData()) {
      const torch::jit::WriteableTensorData data = torch::jit::getWriteableTensorData(tensor);
      writer->writeRecord("data/" + std::to_string(record++), data.data(), data.sizeInBytes());
    }
    writer->writeRecord("data.pkl", pickled.data(), pickled.size());
    writer->writeEndOfFile();
  } catch (...) {
    (void)writer.release();
    throw;
  }
  if (short_of_memory) throw std::bad_alloc();
  return out;
}

class CheckpointReader {
 public:
  explicit CheckpointReader(const std::filesystem::path& path) : file_(path.string()) {}

  Checkpoint run(const IValue& value) {
    const GenericDict top = dict(value, "the checkpoint");
    Checkpoint out;
    out.model = tensors(top, "model");
    const GenericDict optimizer = dict(at(top, "optimizer"), "optimizer");
    out.moments1 = tensors(optimizer, "moment1");
    out.moments2 = tensors(optimizer, "moment2");
    out.optimizer_steps = integer(optimizer, "step");
    out.best_model = tensors(top, "best_model");
    out.method_state = tensors(top, "method");
    out.epoch = integer(top, "epoch");
    const GenericDict progress = dict(at(top, "progress"), "progress");
    out.best_epoch = integer(progress, "best_epoch");
    if (progress.contains("step")) {
      out.step = integer(progress, "step");
      const IValue sums = at(progress, "step_sums");
      if (!sums.isTensor()) fail("step_sums", "a tensor");
      out.step_sums = sums.toTensor().contiguous();
    }
    out.epochs_without_gain = integer(progress, "epochs_without_gain");
    out.lowest_loss = real(progress, "lowest_loss");
    out.best_score = real(progress, "best_score");
    out.ratio = real(progress, "ratio");
    out.lr = real(optimizer, "lr");
    out.seconds = real(progress, "seconds");
    out.config = texts(top, "config");
    out.graph = texts(top, "graph");
    const IValue version = at(top, "version");
    if (!version.isString()) fail("version", "a string");
    out.version = version.toStringRef();
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    fail_input(
        {.what = "not a checkpoint of creg", .file = file_, .place = key, .expected = expected});
  }
  GenericDict dict(const IValue& value, const std::string& key) const {
    if (!value.isGenericDict()) fail(key, "a dict");
    return value.toGenericDict();
  }
  IValue at(const GenericDict& from, const std::string& key) const {
    if (!from.contains(key)) fail(key, "this key");
    return from.at(key);
  }
  std::vector<NamedTensor> tensors(const GenericDict& from, const std::string& key) const {
    std::vector<NamedTensor> out;
    for (const auto& entry : dict(at(from, key), key)) {
      if (!entry.key().isString() || !entry.value().isTensor()) fail(key, "tensors by name");
      out.push_back({entry.key().toStringRef(), entry.value().toTensor().contiguous()});
    }
    return out;
  }
  TextPairs texts(const GenericDict& from, const std::string& key) const {
    TextPairs out;
    for (const auto& entry : dict(at(from, key), key)) {
      if (!entry.key().isString() || !entry.value().isString()) fail(key, "strings by name");
      out.emplace_back(entry.key().toStringRef(), entry.value().toStringRef());
    }
    return out;
  }
  std::int64_t integer(const GenericDict& from, const std::string& key) const {
    const IValue value = at(from, key);
    if (!value.isInt()) fail(key, "a whole number");
    return value.toInt();
  }
  double real(const GenericDict& from, const std::string& key) const {
    const IValue value = at(from, key);
    if (!value.isTensor() || value.toTensor().numel() != 1) fail(key, "a tensor of one number");
    return value.toTensor().item<double>();
  }

  std::string file_;
};

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  GenericDict optimizer = new_dict();
  optimizer.insert("moment1", tensor_dict(checkpoint.moments1));
  optimizer.insert("moment2", tensor_dict(checkpoint.moments2));
  optimizer.insert("step", checkpoint.optimizer_steps);
  optimizer.insert("lr", at::full({}, checkpoint.lr, at::kDouble));
  GenericDict progress = new_dict();
  progress.insert("best_epoch", checkpoint.best_epoch);
  progress.insert("epochs_without_gain", checkpoint.epochs_without_gain);
  if (checkpoint.step > 0) {
    progress.insert("step", checkpoint.step);
    progress.insert("step_sums", checkpoint.step_sums);
  }
  // Floating-point numbers as tensors: older safe loaders know no others.
  progress.insert("lowest_loss", at::full({}, checkpoint.lowest_loss, at::kDouble));
  progress.insert("best_score", at::full({}, checkpoint.best_score, at::kDouble));
  progress.insert("ratio", at::full({}, checkpoint.ratio, at::kDouble));
  progress.insert("seconds", at::full({}, checkpoint.seconds, at::kDouble));
  GenericDict top = new_dict();
  top.insert("version", checkpoint.version);
  top.insert("config", text_dict(checkpoint.config));
  top.insert("graph", text_dict(checkpoint.graph));
  top.insert("epoch", checkpoint.epoch);
  top.insert("progress", progress);
  top.insert("model", tensor_dict(checkpoint.model));
  top.insert("best_model", tensor_dict(checkpoint.best_model));
  top.insert("optimizer", optimizer);
  top.insert("method", tensor_dict(checkpoint.method_state));
  const std::vector<char> bytes = archive(top);
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(bytes)));
  file.commit();
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const Bytes file = map_file(path);
  const std::string_view text = file.text();
  IValue value;
  try {
    value = torch::jit::pickle_load(std::vector<char>(text.begin(), text.end()));
  } catch (const c10::Error& error) {
    fail_input({.what = "not a checkpoint: libtorch cannot read it",
                .file = path.string(),
                .found = in_quotes(error.what_without_backtrace(), 200)});
  }
  return CheckpointReader(path).run(value);
}

}  // namespace creg
