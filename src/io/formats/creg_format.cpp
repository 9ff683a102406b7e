#include "io/formats/creg_format.h"

namespace creg::detail {

std::uint64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return 1;
    case ElementType::i32:
    case ElementType::f32:
      return 4;
    case ElementType::i64:
      return 8;
  }
  return 0;
}

std::string type_name(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return "u8";
    case ElementType::i32:
      return "i32";
    case ElementType::f32:
      return "f32";
    case ElementType::i64:
      return "i64";
  }
  return "type " + std::to_string(static_cast<std::uint32_t>(type));
}

std::string section_name(SectionId id, std::uint32_t index) {
  const auto of_split = [&](const char* part) {
    return "split " + std::to_string(index) + "'s " + part + " nodes";
  };
  switch (id) {
    case SectionId::meta:
      return "meta";
    case SectionId::adjacency_offsets:
      return "adjacency offsets";
    case SectionId::adjacency_columns:
      return "adjacency columns";
    case SectionId::adjacency_weights:
      return "adjacency weights";
    case SectionId::dense_features:
      return "dense features";
    case SectionId::feature_offsets:
      return "feature offsets";
    case SectionId::feature_columns:
      return "feature columns";
    case SectionId::feature_values:
      return "feature values";
    case SectionId::labels:
      return "labels";
    case SectionId::name_offsets:
      return "name offsets";
    case SectionId::name_characters:
      return "name characters";
    case SectionId::class_name_offsets:
      return "class name offsets";
    case SectionId::class_name_characters:
      return "class name characters";
    case SectionId::split_train:
      return of_split("train");
    case SectionId::split_val:
      return of_split("val");
    case SectionId::split_test:
      return of_split("test");
    case SectionId::part_nodes:
      return "part nodes";
    case SectionId::part_halo_owners:
      return "part halo owners";
    case SectionId::part_send_offsets:
      return "part send offsets";
    case SectionId::part_send_nodes:
      return "part send nodes";
  }
  return "section " + std::to_string(static_cast<std::uint32_t>(id));
}

}  // namespace creg::detail
