#include "io/containers/pickle_numpy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/formats/graph_arrays.h"

namespace creg {
namespace {

// Reads a value tree of one file, naming the part that is not as it should be.
class Interpreter {
 public:
  Interpreter(const Pickle& pickle, std::string what) : pickle_(pickle), what_(std::move(what)) {}

  template <class T>
  const T& as(const PickleValue& value, const std::string& expected) const {
    const T* typed = std::get_if<T>(&value);
    if (typed == nullptr) fail(describe(value), expected);
    return *typed;
  }

  const PickleObject& object(const PickleValue& value, std::string_view type) const {
    const std::string expected = fmt::format("an object of type {}", type);
    const PickleObject& found = *as<const PickleObject*>(value, expected);
    if (found.type != type) fail(describe(value), expected);
    return found;
  }

  const std::vector<PickleValue>& tuple(const PickleValue& value, std::size_t size) const {
    const std::string expected = fmt::format("a tuple of {}", size);
    const auto& items = as<const PickleTuple*>(value, expected)->items;
    if (items.size() != size) fail(describe(value), expected);
    return items;
  }

  std::vector<std::int64_t> numbers(const PickleValue& value) const {
    std::vector<std::int64_t> out;
    for (const PickleValue& item : as<const PickleTuple*>(value, "a tuple of sizes")->items) {
      out.push_back(as<std::int64_t>(item, "a size"));
    }
    return out;
  }

  DType dtype(const PickleValue& value) const {
    const PickleObject& found = object(value, "dtype");
    const auto& arguments = tuple(found.arguments, 3);
    const auto& name = as<std::string_view>(arguments[0], "the name of a number type");
    // State: version, byte order, and what only record and object types have.
    const auto& state = as<const PickleTuple*>(found.state, "a type's byte order")->items;
    if (state.size() < 2) fail(describe(found.state), "a type's byte order");
    const auto& order = as<std::string_view>(state[1], "a byte order");
    return DType::parse(std::string(order) + std::string(name), source());
  }

  NdArray array(const PickleValue& value) const {
    const PickleObject& found = object(value, "_reconstruct");
    const auto& arguments = as<const PickleTuple*>(found.arguments, "a tuple")->items;
    if (arguments.empty() || !std::holds_alternative<PickleGlobal>(arguments[0]) ||
        std::get<PickleGlobal>(arguments[0]).name != "ndarray") {
      fail(describe(found.arguments), "an array");
    }
    // State: version, shape, type, Fortran order, bytes.
    const auto& state = tuple(found.state, 5);
    const std::string_view data = as<std::string_view>(state[4], "the array's bytes");
    return NdArray(dtype(state[2]), numbers(state[1]), as<bool>(state[3], "True or False"),
                   Bytes{.name = source(),
                         .data = std::as_bytes(std::span(data)),
                         .owner = pickle_.file().owner});
  }

 private:
  std::string source() const {
    return what_.empty() ? pickle_.file().name : pickle_.file().name + ": " + what_;
  }

  [[noreturn]] void fail(std::string found, std::string expected) const {
    fail_input({.what = "a pickle of something else",
                .file = source(),
                .found = std::move(found),
                .expected = std::move(expected)});
  }

  const Pickle& pickle_;
  std::string what_;
};

}  // namespace

NdArray array_from_pickle(const Pickle& pickle, const PickleValue& value, const std::string& what) {
  return Interpreter(pickle, what).array(value);
}

CsrMatrix csr_from_pickle(const Pickle& pickle) {
  const Interpreter whole(pickle, "");
  const PickleObject& matrix = whole.object(pickle.value(), "csr_matrix");
  const auto& state = whole.as<const PickleDict*>(matrix.state, "a matrix's parts")->items;
  const auto part = [&](std::string_view key) -> const PickleValue& {
    const auto found = std::find_if(state.begin(), state.end(), [&](const auto& item) {
      const auto* name = std::get_if<std::string_view>(&item.first);
      return name != nullptr && *name == key;
    });
    if (found != state.end()) return found->second;
    fail_input({.what = "a sparse matrix that lacks a part",
                .file = pickle.file().name,
                .expected = in_quotes(key)});
  };
  const std::vector<std::int64_t> extents = Interpreter(pickle, "_shape").numbers(part("_shape"));
  const bool fits = extents.size() == 2 && std::all_of(extents.begin(), extents.end(), [](auto n) {
                      return n >= 0 && n <= max_nodes;
                    });
  if (!fits) {
    fail_input({.what = "not the shape of a matrix",
                .file = pickle.file().name,
                .place = "_shape",
                .found = fmt::format("{}", fmt::join(extents, " x ")),
                .expected = "two numbers up to " + with_commas(max_nodes)});
  }
  const NdArray offsets = array_from_pickle(pickle, part("indptr"), "indptr");
  const NdArray columns = array_from_pickle(pickle, part("indices"), "indices");
  const NdArray values = array_from_pickle(pickle, part("data"), "data");
  return csr_from_arrays({.rows = extents[0], .cols = extents[1]}, offsets, columns, &values);
}

}  // namespace creg
