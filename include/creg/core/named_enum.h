// Enumerators that users write and read by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace creg {

/// Specialise with `static constexpr std::array<std::string_view, n> names`, in the order of the
/// enumerators, which count from 0.
template <class E>
struct EnumNames;

template <class E>
std::string name_of(E value) {
  return std::string(EnumNames<E>::names.at(static_cast<std::size_t>(value)));
}

template <class E>
std::vector<std::string> names_of() {
  return {EnumNames<E>::names.begin(), EnumNames<E>::names.end()};
}

template <class E>
std::optional<E> from_name(std::string_view name) {
  for (std::size_t i = 0; i < EnumNames<E>::names.size(); ++i) {
    if (EnumNames<E>::names[i] == name) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace creg
