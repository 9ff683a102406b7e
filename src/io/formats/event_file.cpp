// A record is its length, a checksum of that, its bytes, a checksum of these; the bytes are an
// Event message of protocol buffers:
//   Event:   1 wall_time double, 2 step varint, 3 file_version string, 5 summary message
//   Summary: 1 value, repeated message
//   Value:   1 tag string, 2 simple_value float
#include "io/event_file.h"

#include <bit>
#include <cstddef>
#include <optional>
#include <span>

#include "io/checksum.h"
#include "io/files/byte_order.h"

namespace creg {
namespace {

// A key is the field's number and how its value is stored.
constexpr char wall_time_key = 0x09;     // 8 bytes
constexpr char step_key = 0x10;          // varint
constexpr char file_version_key = 0x1a;  // length and bytes, as the next two
constexpr char summary_key = 0x2a;
constexpr char value_key = 0x0a;
constexpr char tag_key = 0x0a;
constexpr char simple_value_key = 0x15;  // 4 bytes

constexpr std::size_t frame_head = 12;
constexpr std::size_t frame_tail = 4;
constexpr std::size_t wall_time_size = 9;

/// Checksums of data that holds checksums are masked, as TFRecord files have it.
std::uint32_t masked_crc(std::string_view bytes) {
  constexpr std::uint32_t delta = 0xa282ead8;
  return std::rotr(crc32c(std::as_bytes(std::span(bytes))), 15) + delta;
}

void append_varint(std::string& to, std::uint64_t value) {
  constexpr std::uint64_t low_bits = 0x7f;
  for (; value > low_bits; value >>= 7U) to += static_cast<char>((value & low_bits) | 0x80U);
  to += static_cast<char>(value);
}

void append_bytes(std::string& to, char key, std::string_view bytes) {
  to += key;
  append_varint(to, bytes.size());
  to += bytes;
}

std::string framed(const std::string& bytes) {
  std::string record;
  append_little(record, static_cast<std::uint64_t>(bytes.size()));
  append_little(record, masked_crc(record));
  record += bytes;
  append_little(record, masked_crc(bytes));
  return record;
}

std::string event_start(double wall_time) {
  std::string event(1, wall_time_key);
  append_little(event, wall_time);
  return event;
}

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  return load_little<T>(std::as_bytes(std::span(bytes)).data() + at);
}

/// The bytes of the first record; nothing where it is not whole.
std::optional<std::string_view> first_record(std::string_view file) {
  if (file.size() < frame_head + frame_tail ||
      number_at<std::uint32_t>(file, 8) != masked_crc(file.substr(0, 8))) {
    return std::nullopt;
  }
  const auto size = number_at<std::uint64_t>(file, 0);
  if (size > file.size() - frame_head - frame_tail) return std::nullopt;
  const std::string_view bytes = file.substr(frame_head, size);
  if (number_at<std::uint32_t>(file, frame_head + size) != masked_crc(bytes)) return std::nullopt;
  return bytes;
}

/// Takes a varint from the front.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80U) return value;
  }
  return std::nullopt;
}

/// Takes the start of a field of bytes from the front: what follows is the field, and more.
bool take_key(std::string_view& bytes, char key) {
  if (bytes.empty() || bytes.front() != key) return false;
  bytes.remove_prefix(1);
  return take_varint(bytes).has_value();
}

struct EventStart {
  std::int64_t step = 0;
  std::string_view name;
};

/// Of a record that event_record made.
std::optional<EventStart> start_of(std::string_view event) {
  if (event.size() <= wall_time_size || event[wall_time_size] != step_key) return std::nullopt;
  event.remove_prefix(wall_time_size + 1);
  const std::optional<std::uint64_t> step = take_varint(event);
  if (!step || !take_key(event, summary_key) || !take_key(event, value_key) || event.empty() ||
      event.front() != tag_key) {
    return std::nullopt;
  }
  event.remove_prefix(1);
  const std::optional<std::uint64_t> size = take_varint(event);
  if (!size || *size > event.size()) return std::nullopt;
  return EventStart{.step = static_cast<std::int64_t>(*step), .name = event.substr(0, *size)};
}

}  // namespace

std::string event_file_head(double wall_time) {
  std::string event = event_start(wall_time);
  append_bytes(event, file_version_key, "brain.Event:2");
  return framed(event);
}

std::string event_record(const ScalarEvent& event) {
  std::string summary;
  for (const auto& [name, number] : event.scalars) {
    std::string value;
    append_bytes(value, tag_key, name);
    value += simple_value_key;
    append_little(value, static_cast<float>(number));
    append_bytes(summary, value_key, value);
  }
  std::string bytes = event_start(event.wall_time);
  bytes += step_key;
  append_varint(bytes, static_cast<std::uint64_t>(event.step));
  append_bytes(bytes, summary_key, summary);
  return framed(bytes);
}

std::string kept_events(std::string_view file,
                        const std::function<bool(std::int64_t step, std::string_view name)>& keep) {
  std::size_t end = 0;
  while (const std::optional<std::string_view> record = first_record(file.substr(end))) {
    if (end > 0) {
      const std::optional<EventStart> start = start_of(*record);
      if (!start || !keep(start->step, start->name)) break;
    }
    end += frame_head + record->size() + frame_tail;
  }
  return std::string(file.substr(0, end));
}

}  // namespace creg
