#include "io/containers/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/files/byte_order.h"

namespace creg {
namespace {

// Every opcode of Python's pickle format has a name, so that an unknown one can be called by it.
struct OpcodeName {
  std::uint8_t code;
  const char* name;
};

constexpr std::array opcode_names = {
    OpcodeName{'(', "MARK"},
    OpcodeName{'.', "STOP"},
    OpcodeName{'0', "POP"},
    OpcodeName{'1', "POP_MARK"},
    OpcodeName{'2', "DUP"},
    OpcodeName{'F', "FLOAT"},
    OpcodeName{'I', "INT"},
    OpcodeName{'J', "BININT"},
    OpcodeName{'K', "BININT1"},
    OpcodeName{'L', "LONG"},
    OpcodeName{'M', "BININT2"},
    OpcodeName{'N', "NONE"},
    OpcodeName{'P', "PERSID"},
    OpcodeName{'Q', "BINPERSID"},
    OpcodeName{'R', "REDUCE"},
    OpcodeName{'S', "STRING"},
    OpcodeName{'T', "BINSTRING"},
    OpcodeName{'U', "SHORT_BINSTRING"},
    OpcodeName{'V', "UNICODE"},
    OpcodeName{'X', "BINUNICODE"},
    OpcodeName{'a', "APPEND"},
    OpcodeName{'b', "BUILD"},
    OpcodeName{'c', "GLOBAL"},
    OpcodeName{'d', "DICT"},
    OpcodeName{'}', "EMPTY_DICT"},
    OpcodeName{'e', "APPENDS"},
    OpcodeName{'g', "GET"},
    OpcodeName{'h', "BINGET"},
    OpcodeName{'i', "INST"},
    OpcodeName{'j', "LONG_BINGET"},
    OpcodeName{'l', "LIST"},
    OpcodeName{']', "EMPTY_LIST"},
    OpcodeName{'o', "OBJ"},
    OpcodeName{'p', "PUT"},
    OpcodeName{'q', "BINPUT"},
    OpcodeName{'r', "LONG_BINPUT"},
    OpcodeName{'s', "SETITEM"},
    OpcodeName{'t', "TUPLE"},
    OpcodeName{')', "EMPTY_TUPLE"},
    OpcodeName{'u', "SETITEMS"},
    OpcodeName{'G', "BINFLOAT"},
    OpcodeName{0x80, "PROTO"},
    OpcodeName{0x81, "NEWOBJ"},
    OpcodeName{0x82, "EXT1"},
    OpcodeName{0x83, "EXT2"},
    OpcodeName{0x84, "EXT4"},
    OpcodeName{0x85, "TUPLE1"},
    OpcodeName{0x86, "TUPLE2"},
    OpcodeName{0x87, "TUPLE3"},
    OpcodeName{0x88, "NEWTRUE"},
    OpcodeName{0x89, "NEWFALSE"},
    OpcodeName{0x8a, "LONG1"},
    OpcodeName{0x8b, "LONG4"},
    OpcodeName{'B', "BINBYTES"},
    OpcodeName{'C', "SHORT_BINBYTES"},
    OpcodeName{0x8c, "SHORT_BINUNICODE"},
    OpcodeName{0x8d, "BINUNICODE8"},
    OpcodeName{0x8e, "BINBYTES8"},
    OpcodeName{0x8f, "EMPTY_SET"},
    OpcodeName{0x90, "ADDITEMS"},
    OpcodeName{0x91, "FROZENSET"},
    OpcodeName{0x92, "NEWOBJ_EX"},
    OpcodeName{0x93, "STACK_GLOBAL"},
    OpcodeName{0x94, "MEMOIZE"},
    OpcodeName{0x95, "FRAME"},
    OpcodeName{0x96, "BYTEARRAY8"},
    OpcodeName{0x97, "NEXT_BUFFER"},
    OpcodeName{0x98, "READONLY_BUFFER"},
};

std::string opcode_text(std::uint8_t code) {
  const auto known = std::find_if(opcode_names.begin(), opcode_names.end(),
                                  [&](const OpcodeName& entry) { return entry.code == code; });
  return fmt::format("{} (0x{:02x})", known == opcode_names.end() ? "no opcode" : known->name,
                     code);
}

using Spelling = std::pair<std::string_view, std::string_view>;

// Old and new spellings of the same things.
constexpr std::array<Spelling, 8> array_globals = {{
    {"scipy.sparse.csr.csr_matrix", "csr_matrix"},
    {"scipy.sparse._csr.csr_matrix", "csr_matrix"},
    {"numpy.core.multiarray._reconstruct", "_reconstruct"},
    {"numpy.ndarray", "ndarray"},
    {"numpy.dtype", "dtype"},
    {"collections.defaultdict", "defaultdict"},
    {"__builtin__.list", "list"},
    {"builtins.list", "list"},
}};

constexpr std::array<Spelling, 7> tensor_globals = {{
    {"torch._utils._rebuild_tensor_v2", "tensor"},
    {"torch.FloatStorage", "FloatStorage"},
    {"torch.DoubleStorage", "DoubleStorage"},
    {"torch.IntStorage", "IntStorage"},
    {"torch.LongStorage", "LongStorage"},
    {"torch.BoolStorage", "BoolStorage"},
    {"collections.OrderedDict", "OrderedDict"},
}};

std::span<const Spelling> known_globals(PickleOf whose) {
  if (whose == PickleOf::tensors) return tensor_globals;
  return array_globals;
}

const char* in_words(PickleOf whose) {
  return whose == PickleOf::tensors ? "dicts of tensors, text and numbers"
                                    : "arrays, sparse matrices or dicts of lists";
}

}  // namespace

class Unpickler {
 public:
  Unpickler(Pickle& pickle, PickleOf whose) : out_(pickle), file_(pickle.file_), whose_(whose) {}

  void run() {
    while (true) {
      opcode_at_ = at_;
      const auto code = take<std::uint8_t>();
      if (code == '.') break;
      step(code);
    }
    if (stack_.size() != 1 || !marks_.empty()) {
      fail("a pickle that ends with values left over", fmt::format("{} values", stack_.size()),
           "one");
    }
    if (at_ != file_.size()) {
      fail("something follows the pickle", with_commas(file_.size() - at_) + " bytes", "none");
    }
    out_.value_ = stack_.back();
  }

 private:
  [[noreturn]] void fail(std::string what, std::string found, std::string expected = {}) const {
    fail_input({.what = std::move(what),
                .file = file_.name,
                .place = fmt::format("byte {}", opcode_at_),
                .found = std::move(found),
                .expected = std::move(expected)});
  }

  void need(std::int64_t size) const {
    if (size <= file_.size() - at_) return;
    fail_input({.what = "the pickle ends too early",
                .file = file_.name,
                .place = fmt::format("byte {}", opcode_at_),
                .found = with_commas(file_.size() - at_) + " bytes",
                .expected = "at least " + with_commas(size),
                .hint = "the file is damaged or cut off: get it again"});
  }

  template <class T>
  T take() {
    need(sizeof(T));
    const T value = load_little<T>(file_.data.data() + at_);
    at_ += static_cast<std::int64_t>(sizeof(T));
    return value;
  }

  std::string_view take_bytes(std::int64_t size) {
    if (size < 0) fail("a string of negative length", std::to_string(size), "0 or more");
    need(size);
    const std::string_view bytes =
        file_.text().substr(static_cast<std::size_t>(at_), static_cast<std::size_t>(size));
    at_ += size;
    return bytes;
  }

  std::string_view take_line() {
    const std::string_view rest = file_.text().substr(static_cast<std::size_t>(at_));
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) need(file_.size() - at_ + 1);
    at_ += static_cast<std::int64_t>(end) + 1;
    return rest.substr(0, end);
  }

  void push(PickleValue value) { stack_.push_back(value); }

  // Values above the topmost mark, or all without one.
  std::size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  PickleValue pop() {
    if (available() == 0) fail("a value is missing", "an empty stack");
    const PickleValue value = stack_.back();
    stack_.pop_back();
    return value;
  }

  std::vector<PickleValue> pop_many(std::size_t count) {
    if (available() < count) fail("values are missing", fmt::format("{}", available()));
    std::vector<PickleValue> values(stack_.end() - static_cast<std::ptrdiff_t>(count),
                                    stack_.end());
    stack_.resize(stack_.size() - count);
    return values;
  }

  std::vector<PickleValue> pop_to_mark() {
    if (marks_.empty()) fail("a mark is missing", opcode_text(code_));
    std::vector<PickleValue> values = pop_many(available());
    marks_.pop_back();
    return values;
  }

  void push_tuple(std::vector<PickleValue> items) {
    push(&out_.tuples_.emplace_back(PickleTuple{std::move(items)}));
  }

  // The container or object on top of the stack, to be changed: the arena owns it, the handed-out
  // values only look at it.
  template <class T>
  T& top(const char* wanted) {
    if (available() == 0) fail("a value is missing", "an empty stack");
    const auto* value = std::get_if<const T*>(&stack_.back());
    if (value == nullptr) {
      fail("a value of the wrong kind", describe(stack_.back()), wanted);
    }
    return const_cast<T&>(**value);
  }

  void step(std::uint8_t code) {
    code_ = code;
    switch (code) {
      case 0x80:
        return proto();
      case 'c':
        return global();
      case 'q':
        return put(take<std::uint8_t>());
      case 'r':
        return put(take<std::uint32_t>());
      case 'h':
        return get(take<std::uint8_t>());
      case 'N':
        return push(std::monostate{});
      case 0x88:
        return push(true);
      case 0x89:
        return push(false);
      case 'J':
        return push(std::int64_t{take<std::int32_t>()});
      case 'K':
        return push(std::int64_t{take<std::uint8_t>()});
      case 'M':
        return push(std::int64_t{take<std::uint16_t>()});
      case '(':
        return marks_.push_back(stack_.size());
      case ')':
        return push_tuple({});
      case 0x85:
        return push_tuple(pop_many(1));
      case 0x86:
        return push_tuple(pop_many(2));
      case 0x87:
        return push_tuple(pop_many(3));
      case 't':
        return push_tuple(pop_to_mark());
      case '}':
        return push(&out_.dicts_.emplace_back());
      case 'u':
        return set_items(pop_to_mark());
      case 'R':
        return call();
      default:
        return whose_ == PickleOf::tensors ? step_of_tensors(code) : step_of_arrays(code);
    }
  }

  void step_of_arrays(std::uint8_t code) {
    switch (code) {
      case 'U':
        return push(take_bytes(take<std::uint8_t>()));
      case 'T':
        return push(take_bytes(take<std::int32_t>()));
      case ']':
        return push(&out_.lists_.emplace_back());
      case 'a':
        return append({pop()});
      case 'e':
        return append(pop_to_mark());
      case 0x81:
        return call();
      case 'b':
        return build();
      default:
        fail_opcode(code);
    }
  }

  void step_of_tensors(std::uint8_t code) {
    switch (code) {
      case 'X':
        return push(take_bytes(take<std::uint32_t>()));
      case 'j':
        return get(take<std::uint32_t>());
      case 's':
        return set_items(pop_many(2));
      case 0x8a:
        return push(take_long());
      case 'Q':
        return push(
            &out_.objects_.emplace_back(PickleObject{.type = "persistent id", .arguments = pop()}));
      default:
        fail_opcode(code);
    }
  }

  [[noreturn]] void fail_opcode(std::uint8_t code) const {
    fail("a pickle with an opcode that is not allowed", opcode_text(code),
         std::string("what ") + in_words(whose_) + " are pickled with");
  }

  /// LONG1: two's complement of up to 8 bytes, little end first.
  std::int64_t take_long() {
    const auto size = take<std::uint8_t>();
    if (size > sizeof(std::int64_t)) {
      fail("a number that is too large", fmt::format("{} bytes", size), "at most 8");
    }
    const std::string_view bytes = take_bytes(size);
    if (bytes.empty()) return 0;
    const bool negative = (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = (value << 8) | static_cast<unsigned char>(bytes[i]);
    }
    return static_cast<std::int64_t>(value);
  }

  void proto() {
    const auto version = take<std::uint8_t>();
    if (version > 2) {
      fail("a pickle of a newer protocol", std::to_string(version), "2 or below");
    }
  }

  void global() {
    const std::string_view module = take_line();
    const std::string_view name = take_line();
    const std::string full = std::string(module) + "." + std::string(name);
    for (const auto& [spelling, meaning] : known_globals(whose_)) {
      if (spelling == full) return push(PickleGlobal{meaning});
    }
    fail("a pickle that names something not allowed", in_quotes(full), in_words(whose_));
  }

  // Indices may be anything, so the memo is a map: its size follows the opcodes, not the index,
  // and no choice of them makes it slow.
  void put(std::uint32_t index) {
    if (available() == 0) fail("a value is missing", "an empty stack");
    memo_[index] = stack_.back();
  }

  void get(std::uint32_t index) {
    const auto known = memo_.find(index);
    if (known == memo_.end()) fail("a reference to nothing", fmt::format("memo {}", index));
    push(known->second);
  }

  void append(std::vector<PickleValue> values) {
    auto& items = top<PickleList>("a list").items;
    items.insert(items.end(), values.begin(), values.end());
  }

  void set_items(std::vector<PickleValue> values) {
    if (values.size() % 2 != 0) {
      fail("a key without a value", fmt::format("{} items", values.size()), "an even number");
    }
    const bool is_dict =
        available() > 0 && std::holds_alternative<const PickleDict*>(stack_.back());
    auto& items = is_dict ? top<PickleDict>("a dict").items : top_defaultdict().items;
    for (std::size_t i = 0; i < values.size(); i += 2) items.emplace_back(values[i], values[i + 1]);
  }

  PickleObject& top_defaultdict() {
    auto& object = top<PickleObject>("a dict");
    if (object.type != "defaultdict") fail("not a dict", in_quotes(object.type), "a dict");
    return object;
  }

  // REDUCE and NEWOBJ: what would be called is remembered, with what arguments.
  void call() {
    PickleValue arguments = pop();
    const PickleValue callable = pop();
    if (!std::holds_alternative<const PickleTuple*>(arguments)) {
      fail("arguments of the wrong kind", describe(arguments), "a tuple");
    }
    const auto* global = std::get_if<PickleGlobal>(&callable);
    if (global == nullptr) {
      fail("a call of what cannot be called", describe(callable), "a known name");
    }
    push(&out_.objects_.emplace_back(PickleObject{.type = global->name, .arguments = arguments}));
  }

  void build() {
    const PickleValue state = pop();
    top<PickleObject>("an object").state = state;
  }

  Pickle& out_;
  const Bytes& file_;
  PickleOf whose_;
  std::int64_t at_ = 0;
  std::int64_t opcode_at_ = 0;
  std::uint8_t code_ = 0;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint32_t, PickleValue> memo_;
};

Pickle::Pickle(Bytes file, PickleOf whose) : file_(std::move(file)) {
  Unpickler(*this, whose).run();
}

std::string describe(const PickleValue& value) {
  struct Describe {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool truth) const { return truth ? "True" : "False"; }
    std::string operator()(std::int64_t number) const {
      return fmt::format("the number {}", number);
    }
    std::string operator()(std::string_view text) const { return "the string " + in_quotes(text); }
    std::string operator()(const PickleGlobal& global) const {
      return "the name " + in_quotes(global.name);
    }
    std::string operator()(const PickleTuple* tuple) const {
      return fmt::format("a tuple of {}", tuple->items.size());
    }
    std::string operator()(const PickleList* list) const {
      return fmt::format("a list of {}", list->items.size());
    }
    std::string operator()(const PickleDict* dict) const {
      return fmt::format("a dict of {}", dict->items.size());
    }
    std::string operator()(const PickleObject* object) const {
      return fmt::format("an object of type {}", object->type);
    }
  };
  return std::visit(Describe{}, value);
}

}  // namespace creg
