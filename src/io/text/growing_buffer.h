// Storage for results whose size a reader learns only on the way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/text.h"
#include "creg/core/array.h"
#include "creg/core/error.h"
#include "io/containers/inflate.h"

namespace creg {

/// Uninitialised, so that new memory is first touched by the thread that fills it. Refuses to
/// outgrow this machine's memory: a compressed file may claim to hold anything.
template <class T>
class GrowingBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit GrowingBuffer(std::string file) : file_(std::move(file)) {}

  std::int64_t size() const { return size_; }
  T* data() { return data_.get(); }

  /// Room for `count` in all, a hint: memory that is never touched costs nothing.
  void reserve(std::int64_t count) {
    if (count > capacity_ && count <= limit()) reallocate(count);
  }

  /// `count` more, uninitialised; returns the first of them.
  T* extend(std::int64_t count) {
    if (count > limit() - size_) {
      fail_input({.what = "holds more than this machine's memory",
                  .file = file_,
                  .found = "over " + human_bytes(limit() * std::int64_t{sizeof(T)}),
                  .expected = "at most " + human_bytes(default_read_limit())});
    }
    if (size_ + count > capacity_) {
      reallocate(std::max(size_ + count, std::min(limit(), capacity_ + capacity_ / 2)));
    }
    T* first = data_.get() + size_;
    size_ += count;
    return first;
  }

  Array<T> take() {
    std::shared_ptr<T[]> owner(std::move(data_));
    const std::span<const T> view(owner.get(), static_cast<std::size_t>(size_));
    size_ = capacity_ = 0;
    return Array<T>::view(view, std::move(owner));
  }

 private:
  std::int64_t limit() const { return default_read_limit() / static_cast<std::int64_t>(sizeof(T)); }
  void reallocate(std::int64_t capacity) {
    auto larger = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(capacity));
    if (size_ > 0) {
      std::memcpy(larger.get(), data_.get(), static_cast<std::size_t>(size_) * sizeof(T));
    }
    data_ = std::move(larger);
    capacity_ = capacity;
  }

  std::string file_;
  std::unique_ptr<T[]> data_;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
};

}  // namespace creg
