// What lies where in a .creg file: shared by its reader and its writer.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

namespace creg::detail {

static_assert(std::endian::native == std::endian::little, ".creg files are mapped as they are");

// The first byte is not text, and the line ends show a file that was sent as text.
inline constexpr std::array<char, 8> creg_magic = {'\x89', 'C', 'R', 'E', 'G', '\r', '\n', '\x1a'};
inline constexpr std::int64_t creg_alignment = 64;
inline constexpr std::uint32_t most_sections = 1 << 16;

enum class ElementType : std::uint32_t { u8 = 1, i32 = 2, i64 = 3, f32 = 4 };

template <class T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, char>) return ElementType::u8;
  if constexpr (std::is_same_v<T, std::int32_t>) return ElementType::i32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ElementType::i64;
  if constexpr (std::is_same_v<T, float>) return ElementType::f32;
}

enum class SectionId : std::uint32_t {
  meta = 1,
  adjacency_offsets = 2,
  adjacency_columns = 3,
  adjacency_weights = 4,
  dense_features = 5,
  feature_offsets = 6,
  feature_columns = 7,
  feature_values = 8,
  labels = 9,
  name_offsets = 10,
  name_characters = 11,
  class_name_offsets = 12,
  class_name_characters = 13,
  split_train = 14,
  split_val = 15,
  split_test = 16,
  // Of a part of a graph: those who read it as a graph skip them.
  part_nodes = 17,
  part_halo_owners = 18,
  part_send_offsets = 19,
  part_send_nodes = 20,
};

struct CregHeader {
  std::array<char, 8> magic = creg_magic;
  std::uint32_t version = 0;
  std::uint32_t sections = 0;
  std::uint64_t file_bytes = 0;
  std::array<char, 36> reserved{};
  std::uint32_t crc = 0;  // of the header and the section table, with this field 0
};
static_assert(sizeof(CregHeader) == 64 && std::is_trivially_copyable_v<CregHeader>);

struct CregSection {
  SectionId id = SectionId::meta;
  std::uint32_t index = 0;  // of the split it belongs to
  ElementType type = ElementType::u8;
  std::uint32_t flags = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  std::uint32_t crc = 0;
  std::array<char, 20> reserved{};
};
static_assert(sizeof(CregSection) == 64 && std::is_trivially_copyable_v<CregSection>);

inline constexpr std::uint32_t optional_section = 1;  // flag: skip it if you do not know it

constexpr std::uint64_t align_up(std::uint64_t offset) {
  return (offset + creg_alignment - 1) / creg_alignment * creg_alignment;
}

/// Bytes of one element; 0 for a type that does not exist.
std::uint64_t element_bytes(ElementType type);
/// "i32"; "type 77" for one that does not exist.
std::string type_name(ElementType type);
/// "adjacency columns", "split 2's train nodes", "section 77".
std::string section_name(SectionId id, std::uint32_t index);

}  // namespace creg::detail
