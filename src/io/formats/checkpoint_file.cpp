#include "io/checkpoint_file.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string_view>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {
namespace {

constexpr std::int64_t most_epochs = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_steps = std::numeric_limits<std::uint32_t>::max();

template <class T>
T element(const StoredTensor& tensor, std::int64_t index) {
  T value{};
  std::memcpy(&value, tensor.data.data.data() + index * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

class CheckpointReader {
 public:
  explicit CheckpointReader(const Bytes& file) : archive_(opened(file)), bytes_left_(file.size()) {}

  CheckpointContents run() {
    const PickleDict& top = dict(archive_.value(), "the checkpoint");
    const PickleDict& optimizer = dict(at(top, "optimizer"), "optimizer");
    const PickleDict& progress = dict(at(top, "progress"), "progress");
    CheckpointContents out;
    out.version = text(at(top, "version"), "version");
    out.config = texts(top, "config");
    out.graph = texts(top, "graph");
    out.epoch = integer(top, "epoch", 0, most_epochs);
    out.best_epoch = integer(progress, "best_epoch", -1, out.epoch - 1);
    out.epochs_without_gain = integer(progress, "epochs_without_gain", 0, out.epoch);
    out.optimizer_steps = integer(optimizer, "step", 0, most_steps);
    if (find(progress, "step") != nullptr) {
      out.step = integer(progress, "step", 1, most_steps);
      out.step_sums = reals(at(progress, "step_sums"), "step_sums");
    }
    out.lowest_loss = real(progress, "lowest_loss");
    const bool nothing_low = out.epoch == 0 && out.lowest_loss > 0;  // before the first epoch
    if (!std::isfinite(out.lowest_loss) && !nothing_low) {
      fail("progress.lowest_loss", "a finite number", std::to_string(out.lowest_loss));
    }
    out.best_score = finite(progress, "best_score", std::numeric_limits<double>::lowest());
    out.ratio = finite(progress, "ratio", 0);
    out.seconds = finite(progress, "seconds", 0);
    out.lr = finite(optimizer, "lr", 0);
    out.model = parameters(top, "model");
    out.best_model = parameters(top, "best_model");
    out.moments1 = parameters(optimizer, "moment1");
    out.moments2 = parameters(optimizer, "moment2");
    // The last parameters may have diverged, which the next step says; the best ones are used as
    // they are.
    check_numbers(
        out.best_model, "best_model", [](float x) { return std::isfinite(x); }, "finite numbers");
    check_numbers(
        out.moments2, "moment2", [](float x) { return !(x < 0); }, "no negative number");
    out.method_state = tensors(top, "method");
    return out;
  }

 private:
  static TorchArchive opened(const Bytes& file) {
    try {
      return TorchArchive(file);
    } catch (const Error& error) {
      ErrorDetail detail = error.detail();
      detail.what = "not a checkpoint, or a damaged one: " + detail.what;
      fail_input(std::move(detail));
    }
  }

  [[noreturn]] void fail(const std::string& key, const std::string& expected,
                         std::string found = {}) const {
    fail_input({.what = "not a checkpoint of creg",
                .file = archive_.name(),
                .place = key,
                .found = std::move(found),
                .expected = expected,
                .hint = "the file is damaged or of another program: train anew"});
  }

  const PickleDict& dict(const PickleValue& value, const std::string& key) const {
    const auto* found = std::get_if<const PickleDict*>(&value);
    if (found == nullptr) fail(key, "a dict", describe(value));
    return **found;
  }

  const PickleValue* find(const PickleDict& from, std::string_view key) const {
    const PickleValue* found = nullptr;
    for (const auto& [name, value] : from.items) {
      const auto* text = std::get_if<std::string_view>(&name);
      if (text == nullptr || *text != key) continue;
      if (found != nullptr) fail(std::string(key), "this key once");
      found = &value;
    }
    return found;
  }

  const PickleValue& at(const PickleDict& from, const std::string& key) const {
    const PickleValue* const found = find(from, key);
    if (found == nullptr) fail(key, "this key", "none");
    return *found;
  }

  std::string text(const PickleValue& value, const std::string& key) const {
    const auto* found = std::get_if<std::string_view>(&value);
    if (found == nullptr) fail(key, "text", describe(value));
    return std::string(*found);
  }

  /// The entries of a dict with names, each once: visit(name, value).
  template <class Visit>
  void for_names(const PickleDict& from, const std::string& key, const Visit& visit) const {
    std::set<std::string_view> seen;
    for (const auto& [name, value] : from.items) {
      const auto* text = std::get_if<std::string_view>(&name);
      if (text == nullptr) fail(key, "names", describe(name));
      if (!seen.insert(*text).second) fail(key, "each name once", in_quotes(*text));
      visit(std::string(*text), value);
    }
  }

  TextPairs texts(const PickleDict& from, const std::string& key) const {
    TextPairs out;
    for_names(dict(at(from, key), key), key, [&](std::string name, const PickleValue& value) {
      std::string given = text(value, key + "." + name);
      out.emplace_back(std::move(name), std::move(given));
    });
    return out;
  }

  std::int64_t integer(const PickleDict& from, const std::string& key, std::int64_t least,
                       std::int64_t most) const {
    const PickleValue& value = at(from, key);
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < least || *number > most) {
      fail(key, "a whole number of " + with_commas(least) + " to " + with_commas(most),
           describe(value));
    }
    return *number;
  }

  StoredTensor tensor(const PickleValue& value, const std::string& place) {
    StoredTensor out = archive_.tensor(value, place);
    // Many names for one storage would make a small file ask for much memory.
    bytes_left_ -= out.data.size();
    if (bytes_left_ < 0) fail(place, "tensors that do not share what is stored");
    return out;
  }

  StoredTensors tensors(const PickleDict& from, const std::string& key) {
    StoredTensors out;
    for_names(dict(at(from, key), key), key, [&](std::string name, const PickleValue& value) {
      StoredTensor one = tensor(value, key + "." + in_quotes(name));
      out.items.emplace_back(std::move(name), std::move(one));
    });
    return out;
  }

  /// Tensors of float32, as all that is trained.
  StoredTensors parameters(const PickleDict& from, const std::string& key) {
    StoredTensors out = tensors(from, key);
    for (const auto& [name, value] : out.items) {
      if (value.type != TensorType::float32) fail(key + "." + in_quotes(name), "float32");
    }
    return out;
  }

  template <class Good>
  void check_numbers(const StoredTensors& tensors, const std::string& key, const Good& good,
                     const char* expected) const {
    for (const auto& [name, value] : tensors.items) {
      for (std::int64_t i = 0; i < value.elements(); ++i) {
        const auto number = element<float>(value, i);
        if (!good(number)) {
          fail(key + "." + in_quotes(name), expected,
               std::to_string(number) + " as number " + with_commas(i));
        }
      }
    }
  }

  std::vector<double> reals(const PickleValue& value, const std::string& key) {
    const StoredTensor stored = tensor(value, key);
    if (stored.type != TensorType::float64) fail(key, "float64");
    std::vector<double> out;
    for (std::int64_t i = 0; i < stored.elements(); ++i) out.push_back(element<double>(stored, i));
    return out;
  }

  double real(const PickleDict& from, const std::string& key) {
    const std::vector<double> numbers = reals(at(from, key), key);
    if (numbers.size() != 1) fail(key, "one number", counted(std::ssize(numbers), "number"));
    return numbers.front();
  }

  double finite(const PickleDict& from, const std::string& key, double least) {
    const double number = real(from, key);
    if (!std::isfinite(number) || number < least) {
      fail(key, least == 0 ? "a finite number from 0 on" : "a finite number",
           std::to_string(number));
    }
    return number;
  }

  TorchArchive archive_;
  std::int64_t bytes_left_;  // that tensors may still take
};

}  // namespace

CheckpointContents read_checkpoint_contents(const Bytes& file) {
  return CheckpointReader(file).run();
}

}  // namespace creg
