// An immutable array whose storage is shared: owned memory or part of a mapped file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace creg {

/// Mutable, owned, uninitialised storage that becomes an Array when it is filled.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t size)
      : data_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size))), size_(size) {}

  std::int64_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::int64_t i) { return data_[static_cast<std::size_t>(i)]; }
  const T& operator[](std::int64_t i) const { return data_[static_cast<std::size_t>(i)]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  std::span<T> span() { return {data(), static_cast<std::size_t>(size_)}; }

 private:
  template <class>
  friend class Array;
  std::unique_ptr<T[]> data_;
  std::int64_t size_ = 0;
};

/// Copies share the storage, so passing an Array by value is cheap.
template <class T>
class Array {
 public:
  Array() = default;

  Array(std::vector<T> values) {  // NOLINT(google-explicit-constructor): a vector is an array
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    view_ = std::span<const T>(*owner);
    owner_ = std::move(owner);
  }

  Array(Buffer<T>&& buffer) {  // NOLINT(google-explicit-constructor): a filled buffer is one too
    view_ = buffer.span();
    owner_ = std::shared_ptr<const T[]>(std::move(buffer.data_));
    buffer.size_ = 0;
  }

  /// A view of memory that `owner` keeps alive, such as a mapped file.
  static Array view(std::span<const T> values, std::shared_ptr<const void> owner) {
    return Array(values, std::move(owner));
  }

  /// Its first `count` elements, which share the storage.
  Array first(std::int64_t count) const {
    return Array(view_.first(static_cast<std::size_t>(count)), owner_);
  }

  bool empty() const { return view_.empty(); }
  std::int64_t size() const { return static_cast<std::int64_t>(view_.size()); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(view_.size_bytes()); }
  const T* data() const { return view_.data(); }
  const T& operator[](std::int64_t i) const { return view_[static_cast<std::size_t>(i)]; }
  const T* begin() const { return view_.data(); }
  const T* end() const { return view_.data() + view_.size(); }
  std::span<const T> span() const { return view_; }
  operator std::span<const T>() const { return view_; }  // NOLINT(google-explicit-constructor)

 private:
  Array(std::span<const T> values, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), view_(values) {}

  std::shared_ptr<const void> owner_;
  std::span<const T> view_;
};

}  // namespace creg
