#include "io/containers/npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "io/files/byte_order.h"
#include "io/npy.h"

namespace creg {
namespace {

constexpr std::string_view suffix = ".npy";

std::string member_name(std::string_view key) {
  return std::string(key) + std::string(suffix);
}

}  // namespace

NpzFile::NpzFile(Bytes file) : zip_(std::move(file)) {
  for (const ZipMember& member : zip_.members()) {
    if (!member.name.ends_with(suffix)) continue;
    keys_.push_back(member.name.substr(0, member.name.size() - suffix.size()));
  }
}

bool NpzFile::contains(std::string_view key) const {
  return zip_.find(member_name(key)) != nullptr;
}

NdArray NpzFile::read(std::string_view key) const {
  return read_npy(zip_.read(member(key)));
}

std::vector<std::int64_t> NpzFile::shape(std::string_view key) const {
  constexpr std::int64_t longest_header = std::int64_t{1} << 17;
  return read_npy_shape(zip_.read_start(member(key), longest_header));
}

const ZipMember& NpzFile::member(std::string_view key) const {
  const ZipMember* member = zip_.find(member_name(key));
  if (member != nullptr) return *member;
  constexpr std::size_t most_listed = 30;
  std::vector<std::string> there;
  for (const std::string& name : keys_) {
    if (there.size() == most_listed) break;
    there.push_back(in_quotes(name));
  }
  if (keys_.size() > most_listed) {
    there.push_back(fmt::format("{} more", keys_.size() - most_listed));
  }
  fail_input({.what = "the file has no array of this name",
              .file = name(),
              .found = there.empty() ? "no arrays" : join_words(there),
              .expected = in_quotes(key)});
}

std::optional<NdArray> NpzFile::read_if_plain(std::string_view key) const {
  if (!contains(key)) return std::nullopt;
  NdArray array = read(key);
  if (array.is_object()) return std::nullopt;
  return array;
}

NpzWriter::NpzWriter(const std::filesystem::path& path) : path_(path.string()), zip_(path) {}

void NpzWriter::add_raw(std::string_view key, std::string_view descr,
                        std::span<const std::int64_t> shape, std::span<const std::byte> data) {
  const std::string header = npy_header(descr, shape);
  const std::array parts = {std::as_bytes(std::span(header)), data};
  zip_.add(member_name(key), parts);
}

template <class T>
void NpzWriter::add(std::string_view key, std::span<const T> values,
                    std::span<const std::int64_t> shape) {
  add_raw(key, npy_descr<T>(), shape, std::as_bytes(values));
}
template void NpzWriter::add(std::string_view, std::span<const float>,
                             std::span<const std::int64_t>);
template void NpzWriter::add(std::string_view, std::span<const std::int32_t>,
                             std::span<const std::int64_t>);
template void NpzWriter::add(std::string_view, std::span<const std::int64_t>,
                             std::span<const std::int64_t>);

void NpzWriter::add_strings(std::string_view key, std::span<const std::string> values) {
  std::size_t longest = 1;
  for (const std::string& value : values) longest = std::max(longest, value.size());
  const auto count = static_cast<std::int64_t>(values.size());
  const auto width = static_cast<std::int64_t>(longest) * 4;
  const std::int64_t limit = default_read_limit();
  if (width > limit / std::max<std::int64_t>(count, 1)) {
    fail_input({.what = fmt::format("the strings of {} are too long for an array", in_quotes(key)),
                .file = path_,
                .found = fmt::format("{} strings, the longest of {} bytes", with_commas(count),
                                     with_commas(static_cast<std::int64_t>(longest))),
                .expected = "at most " + human_bytes(limit) + " when all take the same room"});
  }
  std::string data;
  data.reserve(static_cast<std::size_t>(count * width));
  for (const std::string& value : values) {
    const auto text = decode_utf8(value);
    if (!text) {
      fail_input({.what = fmt::format("a string of {} is not valid UTF-8", in_quotes(key)),
                  .file = path_,
                  .found = in_quotes(value)});
    }
    for (const char32_t c : *text) append_little(data, static_cast<std::uint32_t>(c));
    data.append((longest - text->size()) * 4, '\0');
  }
  add_raw(key, fmt::format("<U{}", longest), std::span(&count, 1), std::as_bytes(std::span(data)));
}

void NpzWriter::commit() {
  zip_.commit();
}

}  // namespace creg
