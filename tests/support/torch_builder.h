// What torch.save writes, put together by hand, with every field open to be wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/pickle_builder.h"
#include "support/zip_builder.h"

namespace creg::test {

/// Numbers as they lie in a storage.
template <class T>
std::string stored(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

inline std::string pickled_unicode(std::string_view text) {
  std::string out = "X";
  append_little(out, static_cast<std::uint32_t>(text.size()));
  return out + std::string(text);
}

inline std::string pickled_long(std::int64_t number) {
  std::string out = "\x8a\x08";
  append_little(out, number);
  return out;
}

struct TorchTensor {
  std::string storage_type = "FloatStorage";
  std::string record = "0";
  std::int64_t elements = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

inline std::string pickled_longs(const std::vector<std::int64_t>& numbers) {
  std::string out = "(";
  for (const std::int64_t number : numbers) out += pickled_long(number);
  return out + "t";
}

inline std::string pickled_tensor(const TorchTensor& tensor) {
  return pickled_global("torch._utils", "_rebuild_tensor_v2") + "((" + pickled_unicode("storage") +
         pickled_global("torch", tensor.storage_type) + pickled_unicode(tensor.record) +
         pickled_unicode("cpu") + pickled_long(tensor.elements) + "tQ" +
         pickled_long(tensor.offset) + pickled_longs(tensor.sizes) + pickled_longs(tensor.strides) +
         "\x89" + pickled_global("collections", "OrderedDict") + ")RtR";
}

using PickledItems = std::vector<std::pair<std::string, std::string>>;

/// Keys as they are, values already pickled.
inline std::string pickled_dict(const PickledItems& items) {
  std::string out = "}(";
  for (const auto& [key, value] : items) out += pickled_unicode(key) + value;
  return out + "u";
}

/// The archive of a pickled value and its storages by name.
inline std::string torch_archive(const std::string& value,
                                 const std::vector<std::pair<std::string, std::string>>& records) {
  std::vector<ZipPart> parts;
  for (const auto& [name, contents] : records) {
    parts.push_back({.name = "archive/data/" + name, .contents = contents});
  }
  parts.push_back({.name = "archive/data.pkl", .contents = "\x80\x02" + value + "."});
  parts.push_back({.name = "archive/version", .contents = "3\n"});
  return build_zip(parts);
}

}  // namespace creg::test
