#include "io/containers/torch_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {
namespace {

constexpr std::string_view pickle_name = "data.pkl";
constexpr std::size_t most_tensor_dimensions = 8;

struct StorageKind {
  std::string_view name;
  TensorType type;
};

constexpr std::array storage_kinds = {
    StorageKind{"FloatStorage", TensorType::float32},
    StorageKind{"DoubleStorage", TensorType::float64}, StorageKind{"IntStorage", TensorType::int32},
    StorageKind{"LongStorage", TensorType::int64}, StorageKind{"BoolStorage", TensorType::boolean}};

/// The folder that everything is in: that of the only data.pkl. Damage anywhere is found here, also
/// in members that nobody would read.
std::string checked_folder(const ZipArchive& zip) {
  std::optional<std::string> folder;
  for (const ZipMember& member : zip.members()) {
    zip.read(member);
    if (!member.name.ends_with(pickle_name)) continue;
    const std::string before = member.name.substr(0, member.name.size() - pickle_name.size());
    if (before.empty() || before.find('/') != before.size() - 1) continue;
    if (folder) {
      fail_input({.what = "an archive with more than one data.pkl", .file = zip.name()});
    }
    folder = before;
  }
  if (!folder) {
    fail_input({.what = "not a file of torch.save: it has no data.pkl", .file = zip.name()});
  }
  const ZipMember* const order = zip.find(*folder + "byteorder");
  if (order != nullptr && zip.read(*order).text() != "little") {
    fail_input({.what = "numbers in another byte order than this machine's",
                .file = zip.name(),
                .expected = "little"});
  }
  return *folder;
}

/// One tensor out of its description, which is checked field by field.
class TensorReader {
 public:
  TensorReader(const ZipArchive& zip, const std::string& folder, const std::string& place)
      : zip_(zip), folder_(folder), place_(place) {}

  StoredTensor read(const PickleValue& value) const {
    // The storage, the offset in it, sizes, strides, whether it takes gradients, hooks.
    constexpr std::size_t fields = 6;
    const auto& given = arguments(value, "tensor", fields);
    StoredTensor out;
    const Bytes storage = read_storage(given[0], out.type);
    const std::int64_t offset = count(given[1], "its offset");
    out.sizes = counts(given[2], "its sizes");
    const std::vector<std::int64_t> strides = counts(given[3], "its strides");
    if (strides.size() != out.sizes.size()) {
      fail("a stride for every size", fmt::format("{} strides", strides.size()),
           std::to_string(out.sizes.size()));
    }
    const std::int64_t stored = storage.size() / item_size(out.type);
    const std::int64_t elements = checked_elements(out.sizes, strides, offset, stored);
    out.data = gathered(storage, item_size(out.type), offset, elements, out.sizes, strides);
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& expected, std::string found,
                         std::string range = {}) const {
    fail_input({.what = "a tensor that is not as it should be: " + expected,
                .file = zip_.name(),
                .place = place_,
                .found = std::move(found),
                .expected = std::move(range)});
  }

  const std::vector<PickleValue>& tuple(const PickleValue& value, const char* what) const {
    const auto* items = std::get_if<const PickleTuple*>(&value);
    if (items == nullptr) fail(what, describe(value), "a tuple");
    return (*items)->items;
  }

  /// The arguments of an object of this type.
  const std::vector<PickleValue>& arguments(const PickleValue& value, std::string_view type,
                                            std::size_t number) const {
    const auto* object = std::get_if<const PickleObject*>(&value);
    if (object == nullptr || (*object)->type != type) {
      fail("what it is", describe(value), "a " + std::string(type));
    }
    const auto& given = tuple((*object)->arguments, "what it is made of");
    if (given.size() != number) {
      fail("what it is made of", fmt::format("{} values", given.size()), std::to_string(number));
    }
    return given;
  }

  std::string_view text(const PickleValue& value, const char* what) const {
    const auto* found = std::get_if<std::string_view>(&value);
    if (found == nullptr) fail(what, describe(value), "text");
    return *found;
  }

  std::int64_t count(const PickleValue& value, const char* what) const {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < 0) fail(what, describe(value), "a number from 0 on");
    return *number;
  }

  std::vector<std::int64_t> counts(const PickleValue& value, const char* what) const {
    const auto& items = tuple(value, what);
    if (items.size() > most_tensor_dimensions) {
      fail(what, fmt::format("{} dimensions", items.size()),
           fmt::format("at most {}", most_tensor_dimensions));
    }
    std::vector<std::int64_t> out;
    for (const PickleValue& item : items) out.push_back(count(item, what));
    return out;
  }

  Bytes read_storage(const PickleValue& value, TensorType& type) const {
    // "storage", its type, the name of its member, the device it was on, its elements.
    constexpr std::size_t fields = 5;
    const auto& given = arguments(value, "persistent id", fields);
    if (text(given[0], "its storage") != "storage") {
      fail("its storage", describe(given[0]), "storage");
    }
    const auto* global = std::get_if<PickleGlobal>(&given[1]);
    const auto* const kind = std::find_if(
        storage_kinds.begin(), storage_kinds.end(),
        [&](const StorageKind& known) { return global != nullptr && known.name == global->name; });
    if (kind == storage_kinds.end()) {
      fail("the type of its storage", describe(given[1]), "a storage of numbers");
    }
    type = kind->type;
    const std::string member = folder_ + "data/" + std::string(text(given[2], "its storage"));
    const std::int64_t elements = count(given[4], "the elements of its storage");
    Bytes storage = zip_.read(member);
    const std::int64_t there = storage.size() / item_size(type);
    if (elements != there || there * item_size(type) != storage.size()) {
      fail("the size of its storage", with_commas(storage.size()) + " bytes in " + member,
           with_commas(elements) + " elements of " + std::to_string(item_size(type)));
    }
    return storage;
  }

  /// How many elements the tensor has, once all of them are known to lie inside the storage. One
  /// that shows elements more than once has more of them than its storage, and is refused: a few
  /// bytes could ask for any amount of memory.
  std::int64_t checked_elements(const std::vector<std::int64_t>& sizes,
                                const std::vector<std::int64_t>& strides, std::int64_t offset,
                                std::int64_t stored) const {
    std::int64_t elements = 1;
    std::int64_t last = offset;  // the place of the last element
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] > stored || elements > stored / sizes[d]) fail_outside(stored);
      elements *= sizes[d];
      const std::int64_t steps = sizes[d] - 1;
      if (steps > 0 && strides[d] > stored / steps) fail_outside(stored);
      last += steps * strides[d];
      if (last >= stored) fail_outside(stored);
    }
    if (last >= stored) fail_outside(stored);
    return elements;
  }

  [[noreturn]] void fail_outside(std::int64_t stored) const {
    fail("it reaches beyond its storage", with_commas(stored) + " elements are stored");
  }

  static bool in_c_order(const std::vector<std::int64_t>& sizes,
                         const std::vector<std::int64_t>& strides) {
    std::int64_t expected = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (sizes[d] > 1 && strides[d] != expected) return false;
      expected *= sizes[d];
    }
    return true;
  }

  Bytes gathered(const Bytes& storage, std::int64_t item, std::int64_t offset,
                 std::int64_t elements, const std::vector<std::int64_t>& sizes,
                 const std::vector<std::int64_t>& strides) const {
    const std::string name = zip_.name() + ": " + place_;
    if (elements == 0) return Bytes::from_string("", name);
    if (in_c_order(sizes, strides)) return storage.slice(offset * item, elements * item, name);
    const std::string_view from = storage.text();
    std::string out;
    out.reserve(static_cast<std::size_t>(elements * item));
    std::vector<std::int64_t> at(sizes.size(), 0);
    for (std::int64_t done = 0; done < elements; ++done) {
      std::int64_t place = offset;
      for (std::size_t d = 0; d < at.size(); ++d) place += at[d] * strides[d];
      out += from.substr(static_cast<std::size_t>(place * item), static_cast<std::size_t>(item));
      for (std::size_t d = at.size(); d-- > 0;) {
        if (++at[d] < sizes[d]) break;
        at[d] = 0;
      }
    }
    return Bytes::from_string(std::move(out), name);
  }

  const ZipArchive& zip_;
  const std::string& folder_;
  const std::string& place_;
};

}  // namespace

std::int64_t item_size(TensorType type) {
  switch (type) {
    case TensorType::float32:
    case TensorType::int32:
      return 4;
    case TensorType::float64:
    case TensorType::int64:
      return 8;
    case TensorType::boolean:
      break;
  }
  return 1;
}

TorchArchive::TorchArchive(Bytes file)
    : zip_(std::move(file)),
      folder_(checked_folder(zip_)),
      pickle_(zip_.read(folder_ + std::string(pickle_name)), PickleOf::tensors) {}

StoredTensor TorchArchive::tensor(const PickleValue& value, const std::string& place) const {
  return TensorReader(zip_, folder_, place).read(value);
}

}  // namespace creg
