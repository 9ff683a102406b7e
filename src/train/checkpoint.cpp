#include "train/checkpoint.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickler.h>
#include <torch/types.h>

#include <memory>
#include <new>
#include <span>

#include "io/file.h"
#include "ops/tensors.h"

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
    dict.insert(tensor.name, tensor.value.detach().to(at::kCPU).contiguous());
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

at::ScalarType scalar_type(TensorType type) {
  switch (type) {
    case TensorType::float32:
      return at::kFloat;
    case TensorType::float64:
      return at::kDouble;
    case TensorType::int32:
      return at::kInt;
    case TensorType::int64:
      return at::kLong;
    case TensorType::boolean:
      break;
  }
  return at::kBool;
}

std::vector<NamedTensor> as_tensors(const StoredTensors& stored) {
  std::vector<NamedTensor> out;
  for (const auto& [name, tensor] : stored.items) {
    out.push_back({name, tensor_of(tensor.data.data, tensor.sizes, scalar_type(tensor.type))});
  }
  return out;
}

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
  return read_checkpoint(map_file(path));
}

Checkpoint read_checkpoint(const Bytes& file) {
  const CheckpointContents kept = read_checkpoint_contents(file);
  Checkpoint out;
  out.model = as_tensors(kept.model);
  out.moments1 = as_tensors(kept.moments1);
  out.moments2 = as_tensors(kept.moments2);
  out.optimizer_steps = kept.optimizer_steps;
  out.best_model = as_tensors(kept.best_model);
  out.method_state = as_tensors(kept.method_state);
  out.epoch = kept.epoch;
  out.step = kept.step;
  if (kept.step > 0) out.step_sums = at::tensor(kept.step_sums, at::dtype(at::kDouble));
  out.best_epoch = kept.best_epoch;
  out.epochs_without_gain = kept.epochs_without_gain;
  out.lowest_loss = kept.lowest_loss;
  out.best_score = kept.best_score;
  out.ratio = kept.ratio;
  out.lr = kept.lr;
  out.seconds = kept.seconds;
  out.config = kept.config;
  out.graph = kept.graph;
  out.version = kept.version;
  return out;
}

}  // namespace creg
