// What torch.save writes: a zip of a pickle, data.pkl, and of the storages that it names. Nothing
// of it is run, and no tensor is handed out whose elements do not lie inside its storage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/containers/pickle.h"
#include "io/containers/zip.h"
#include "io/file.h"

namespace creg {

enum class TensorType { float32, float64, int32, int64, boolean };

/// Bytes of one element.
std::int64_t item_size(TensorType type);

struct StoredTensor {
  TensorType type = TensorType::float32;
  std::vector<std::int64_t> sizes;
  Bytes data;  ///< its elements in C order; a slice of the file where they lie so

  std::int64_t elements() const { return data.size() / item_size(type); }
};

class TorchArchive {
 public:
  /// Checks every member's length and CRC-32, then reads the pickle.
  explicit TorchArchive(Bytes file);

  const std::string& name() const { return zip_.name(); }
  const PickleValue& value() const { return pickle_.value(); }

  /// The tensor that `value` stands for; `place` is for messages. What is none, or would reach
  /// beyond its storage, is an input error.
  StoredTensor tensor(const PickleValue& value, const std::string& place) const;

 private:
  ZipArchive zip_;
  std::string folder_;  // in the archive, with its slash
  Pickle pickle_;
};

}  // namespace creg
