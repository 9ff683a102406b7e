// A reader of Python pickles that runs nothing: it knows the few opcodes and names that the
// pickles we read are made of, and refuses every other by name.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "io/file.h"

namespace creg {

struct PickleTuple;
struct PickleList;
struct PickleDict;
struct PickleObject;

/// A global that may stand in a pickle, such as numpy.ndarray. It is only a name here.
struct PickleGlobal {
  std::string_view name;
};

/// None, bool, int, str (bytes of the file), a global, or a container that the Pickle owns.
using PickleValue =
    std::variant<std::monostate, bool, std::int64_t, std::string_view, PickleGlobal,
                 const PickleTuple*, const PickleList*, const PickleDict*, const PickleObject*>;

struct PickleTuple {
  std::vector<PickleValue> items;
};

struct PickleList {
  std::vector<PickleValue> items;
};

struct PickleDict {
  std::vector<std::pair<PickleValue, PickleValue>> items;
};

/// What calling `type` with `arguments` would have made; the call never happens. A persistent id is
/// one of type "persistent id".
struct PickleObject {
  std::string_view type;
  PickleValue arguments;
  PickleValue state;                                       ///< what the object is built with
  std::vector<std::pair<PickleValue, PickleValue>> items;  ///< of dict subclasses
};

/// Whose pickles: each has opcodes and names of its own, and what is not of one is refused in it.
enum class PickleOf {
  arrays,   ///< matrices and adjacency dicts, as Python 2 wrote them
  tensors,  ///< dicts of PyTorch's tensors, whose storages are persistent ids
};

/// The value of a whole pickle of protocol 2 or below. Values may be shared and may even contain
/// themselves: walk a known number of levels, never recurse without bound.
class Pickle {
 public:
  /// Anything but the known opcodes and globals is an input error that names it and its byte.
  explicit Pickle(Bytes file, PickleOf whose = PickleOf::arrays);
  Pickle(Pickle&&) = default;
  Pickle& operator=(Pickle&&) = default;
  Pickle(const Pickle&) = delete;
  Pickle& operator=(const Pickle&) = delete;

  const PickleValue& value() const { return value_; }
  const Bytes& file() const { return file_; }

 private:
  friend class Unpickler;

  Bytes file_;
  PickleValue value_;
  // Containers live here, at addresses that stay, so that cycles need no counting.
  std::deque<PickleTuple> tuples_;
  std::deque<PickleList> lists_;
  std::deque<PickleDict> dicts_;
  std::deque<PickleObject> objects_;
};

/// "a tuple", "the number 5": for messages.
std::string describe(const PickleValue& value);

}  // namespace creg
