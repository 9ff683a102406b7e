#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/checksum.h"
#include "io/creg_file.h"
#include "io/formats/creg_format.h"
#include "io/json_text.h"

namespace creg {
namespace {

using detail::CregHeader;
using detail::CregSection;
using detail::SectionId;

constexpr const char* damaged = "the file is damaged or cut off: get it or make it again";

class CregReader {
 public:
  CregReader(const Context& context, const Bytes& bytes) : context_(context), bytes_(bytes) {}

  Graph read(CregProvenance* provenance) {
    read_header();
    read_table();
    check_sections([](const CregSection& /*section*/) { return true; });
    const Meta meta = read_meta();
    Graph graph = assemble(meta);
    check_all_used();
    validate(context_, graph, bytes_.name);
    if (provenance != nullptr) *provenance = meta.provenance;
    return graph;
  }

  GraphPart read_part() {
    last_known_ = SectionId::part_send_nodes;
    read_header();
    read_table();
    check_sections([](const CregSection& /*section*/) { return true; });
    GraphPart part;
    part.graph = assemble(read_meta());
    part.nodes = array<std::int32_t>(SectionId::part_nodes);
    part.halo_owners = array<std::int32_t>(SectionId::part_halo_owners);
    part.send_offsets = array<std::int64_t>(SectionId::part_send_offsets);
    part.send_nodes = array<std::int32_t>(SectionId::part_send_nodes);
    check_all_used();
    validate(context_, part.graph, bytes_.name);
    return part;
  }

  CregSize size() {
    read_header();
    read_table();
    check_sections([](const CregSection& section) { return section.id == SectionId::meta; });
    const Meta meta = read_meta();
    GraphSize size{.nodes = meta.nodes,
                   .entries = count(SectionId::adjacency_columns),
                   .directed = meta.directed,
                   .features = std::max<std::int64_t>(meta.feature_columns, 0)};
    size.sparse_features = size.features > 0 && !has(SectionId::dense_features);
    size.feature_entries =
        count(size.sparse_features ? SectionId::feature_columns : SectionId::dense_features);
    return {.name = meta.name, .graph = with_bytes(size)};
  }

 private:
  struct Meta {
    std::string name;
    std::int64_t nodes = 0;
    bool directed = false;
    std::int64_t feature_columns = -1;
    std::vector<std::string> splits;
    CregProvenance provenance;
  };

  [[noreturn]] void fail(std::string what, std::string place, std::string found = {},
                         std::string expected = {}, std::string hint = damaged) const {
    fail_input({.what = std::move(what),
                .file = bytes_.name,
                .place = std::move(place),
                .found = std::move(found),
                .expected = std::move(expected),
                .hint = std::move(hint)});
  }

  static std::string place_of(const CregSection& section) {
    return "section '" + detail::section_name(section.id, section.index) + "' at byte " +
           std::to_string(section.offset);
  }

  std::uint64_t file_bytes() const { return bytes_.data.size(); }

  void read_header() {
    if (!is_creg(bytes_)) {
      fail("not a .creg file", "byte 0", in_quotes(bytes_.text().substr(0, 8)),
           "the eight bytes that start every such file", "");
    }
    if (file_bytes() < sizeof(CregHeader)) {
      fail("the header is cut off", "byte " + std::to_string(file_bytes()),
           std::to_string(file_bytes()) + " bytes", "at least 64");
    }
    std::memcpy(&header_, bytes_.data.data(), sizeof(header_));
    if (header_.version > creg_format_version) {
      fail("the file has a newer format than this program knows", "byte 8",
           "version " + std::to_string(header_.version),
           "version " + std::to_string(creg_format_version) + " at most",
           "use the program that wrote it, or a newer one");
    }
    if (header_.version == 0) fail("there is no format version 0", "byte 8");
  }

  void read_table() {
    const std::uint64_t room = (file_bytes() - sizeof(CregHeader)) / sizeof(CregSection);
    if (header_.sections > std::min<std::uint64_t>(room, detail::most_sections)) {
      fail("the section table does not fit into the file", "byte 12",
           with_commas(header_.sections) + " sections",
           "at most " + std::to_string(std::min<std::uint64_t>(room, detail::most_sections)));
    }
    table_.resize(header_.sections);
    const auto table = bytes_.data.subspan(sizeof(CregHeader), table_.size() * sizeof(CregSection));
    if (!table.empty()) std::memcpy(table_.data(), table.data(), table.size());
    CregHeader unsigned_header = header_;
    unsigned_header.crc = 0;
    const std::uint32_t crc = crc32c(table, crc32c(std::as_bytes(std::span(&unsigned_header, 1))));
    if (crc != header_.crc) {
      fail_checksum("header and section table, bytes 0 to " +
                        std::to_string(sizeof(CregHeader) + table.size()),
                    crc, header_.crc);
    }
    if (header_.file_bytes != file_bytes()) {
      fail(file_bytes() < header_.file_bytes ? "the file is cut off" : "the file goes on too long",
           "byte " + std::to_string(std::min(file_bytes(), header_.file_bytes)),
           with_commas(static_cast<std::int64_t>(file_bytes())) + " bytes",
           std::to_string(header_.file_bytes));
    }
  }

  [[noreturn]] void fail_checksum(std::string place, std::uint32_t found,
                                  std::uint32_t expected) const {
    fail("the checksum is wrong", std::move(place), std::to_string(found),
         std::to_string(expected));
  }

  // Every byte of the file is the header's, a section's or zero padding between two of them.
  template <class Checksummed>
  void check_sections(const Checksummed& checksummed) {
    std::uint64_t end = sizeof(CregHeader) + table_.size() * sizeof(CregSection);
    for (const CregSection& section : table_) {
      const std::uint64_t offset = detail::align_up(end);
      if (section.offset != offset) {
        fail("a section lies in the wrong place", place_of(section),
             "byte " + std::to_string(section.offset), std::to_string(offset));
      }
      if (offset > file_bytes() || section.bytes > file_bytes() - offset) {
        fail("a section does not fit into the file", place_of(section),
             std::to_string(section.bytes) + " bytes",
             "at most " + std::to_string(file_bytes() - std::min(offset, file_bytes())));
      }
      for (std::uint64_t i = end; i < offset; ++i) {
        if (bytes_.data[i] != std::byte{0}) {
          fail("padding before a section is not zero",
               "byte " + std::to_string(i) + ", before " + place_of(section));
        }
      }
      check_elements(section);
      if (checksummed(section)) {
        const std::uint32_t crc =
            crc32c_parallel(context_, bytes_.data.subspan(offset, section.bytes));
        if (crc != section.crc) fail_checksum(place_of(section), crc, section.crc);
      }
      remember(section);
      end = offset + section.bytes;
    }
    if (end != file_bytes()) {
      fail("bytes after the last section", "byte " + std::to_string(end),
           with_commas(static_cast<std::int64_t>(file_bytes() - end)) + " bytes", "none");
    }
  }

  void check_elements(const CregSection& section) const {
    const std::uint64_t size = detail::element_bytes(section.type);
    if (size == 0) {
      fail("unknown element type", place_of(section), detail::type_name(section.type),
           "u8, i32, i64 or f32");
    }
    if (section.bytes % size != 0 || section.bytes / size != section.count) {
      fail("a section's count does not fit its size", place_of(section),
           std::to_string(section.count) + " elements in " + std::to_string(section.bytes) +
               " bytes",
           std::to_string(section.bytes / size) + " of " + detail::type_name(section.type));
    }
  }

  void remember(const CregSection& section) {
    const bool known = section.id >= SectionId::meta && section.id <= last_known_;
    if (!known) {
      if ((section.flags & detail::optional_section) != 0) return;
      fail("a section that this program does not know and must not skip", place_of(section), {}, {},
           "use the program that wrote the file, or a newer one");
    }
    if (!found_.emplace(std::pair(section.id, section.index), section).second) {
      fail("a section is there twice", place_of(section));
    }
  }

  std::int64_t count(SectionId id) const {
    return has(id) ? static_cast<std::int64_t>(section(id).count) : 0;
  }
  bool has(SectionId id) const { return found_.contains({id, 0}); }

  const CregSection& section(SectionId id, std::uint32_t index = 0) const {
    const auto found = found_.find({id, index});
    if (found == found_.end()) {
      fail("section '" + detail::section_name(id, index) + "' is missing",
           "section table at byte " + std::to_string(sizeof(CregHeader)));
    }
    return found->second;
  }

  template <class T>
  Array<T> array(SectionId id, std::uint32_t index = 0) {
    const CregSection& s = section(id, index);
    ++used_;
    if (s.type != detail::element_type<T>()) {
      fail("a section has the wrong element type", place_of(s), detail::type_name(s.type),
           detail::type_name(detail::element_type<T>()));
    }
    const std::byte* start = bytes_.data.data() + s.offset;
    // A map is aligned. Bytes inside another buffer may not be: only those are copied.
    if (reinterpret_cast<std::uintptr_t>(start) % alignof(T) != 0) {
      Buffer<T> copy(static_cast<std::int64_t>(s.count));
      if (s.bytes > 0) std::memcpy(copy.data(), start, s.bytes);
      return copy;
    }
    return Array<T>::view({reinterpret_cast<const T*>(start), s.count}, bytes_.owner);
  }

  template <class T>
  Array<T> optional_array(SectionId id) {
    if (!has(id)) return {};
    if (section(id).count == 0) {
      fail("a section that need not be there is empty", place_of(section(id)));
    }
    return array<T>(id);
  }

  Meta read_meta() {
    const Array<char> text = array<char>(SectionId::meta);
    const auto json = parse_json({text.data(), static_cast<std::size_t>(text.size())});
    const std::string place = place_of(section(SectionId::meta));
    if (!json.is_object()) fail("the meta section is not a JSON object", place);
    const auto get = [&](const char* key, auto check, const char* expected) {
      const auto value = json.find(key);
      if (value == json.end() || !check(*value)) {
        fail(std::string("the meta section has no valid '") + key + "'", place,
             value == json.end() ? "nothing" : in_quotes(value->dump(-1, ' ', true)), expected);
      }
      return *value;
    };
    const auto is_text = [](const nlohmann::json& v) { return v.is_string(); };
    const auto is_texts = [&](const nlohmann::json& v) {
      return v.is_array() && std::all_of(v.begin(), v.end(), is_text);
    };
    const auto is_count = [](const nlohmann::json& v) {
      return v.is_number_unsigned() && v.get<std::uint64_t>() <= max_nodes;
    };
    Meta meta;
    meta.name = get("name", is_text, "text");
    meta.nodes = get("nodes", is_count, "a number of nodes below 2^31");
    meta.directed = get(
        "directed", [](const auto& v) { return v.is_boolean(); }, "true or false");
    const auto columns = get(
        "feature_columns", [&](const auto& v) { return v.is_null() || is_count(v); },
        "a number below 2^31 or null");
    if (!columns.is_null()) meta.feature_columns = columns;
    meta.splits =
        get("splits", is_texts, "a list of names").template get<std::vector<std::string>>();
    meta.provenance.source = get("source", is_text, "text");
    meta.provenance.transforms =
        get("transforms", is_texts, "a list of names").template get<std::vector<std::string>>();
    meta.provenance.writer = get("writer", is_text, "text");
    return meta;
  }

  Features read_features(const Meta& meta) {
    if (meta.feature_columns < 0) return {};
    if (has(SectionId::dense_features)) {
      return DenseMatrix{.rows = meta.nodes,
                         .cols = meta.feature_columns,
                         .values = array<float>(SectionId::dense_features)};
    }
    return CsrMatrix{.rows = meta.nodes,
                     .cols = meta.feature_columns,
                     .offsets = array<std::int64_t>(SectionId::feature_offsets),
                     .columns = array<std::int32_t>(SectionId::feature_columns),
                     .values = optional_array<float>(SectionId::feature_values)};
  }

  std::vector<std::string> read_class_names() {
    if (!has(SectionId::class_name_offsets)) return {};
    const auto offsets = array<std::int64_t>(SectionId::class_name_offsets);
    const auto characters = array<char>(SectionId::class_name_characters);
    const bool ascending = std::is_sorted(offsets.begin(), offsets.end());
    if (offsets.empty() || !ascending || offsets[0] != 0 ||
        offsets[offsets.size() - 1] != characters.size()) {
      fail("class name offsets do not span the characters",
           place_of(section(SectionId::class_name_offsets)));
    }
    const NodeNames names(offsets, characters);
    std::vector<std::string> list;
    for (std::int64_t i = 0; i < names.size(); ++i) list.emplace_back(names[i]);
    return list;
  }

  Graph assemble(const Meta& meta) {
    Graph graph;
    graph.name = meta.name;
    graph.directed = meta.directed;
    graph.adjacency = {.rows = meta.nodes,
                       .cols = meta.nodes,
                       .offsets = array<std::int64_t>(SectionId::adjacency_offsets),
                       .columns = array<std::int32_t>(SectionId::adjacency_columns),
                       .values = optional_array<float>(SectionId::adjacency_weights)};
    graph.features = read_features(meta);
    graph.labels = optional_array<std::int32_t>(SectionId::labels);
    if (has(SectionId::name_offsets)) {
      graph.names = NodeNames(array<std::int64_t>(SectionId::name_offsets),
                              array<char>(SectionId::name_characters));
    }
    graph.class_names = read_class_names();
    for (std::uint32_t s = 0; s < meta.splits.size(); ++s) {
      graph.splits.push_back({.name = meta.splits[s],
                              .train = array<std::int32_t>(SectionId::split_train, s),
                              .val = array<std::int32_t>(SectionId::split_val, s),
                              .test = array<std::int32_t>(SectionId::split_test, s)});
    }
    return graph;
  }

  void check_all_used() const {
    if (used_ == found_.size()) return;
    fail("some sections do not belong to what the meta section describes",
         "section table at byte " + std::to_string(sizeof(CregHeader)),
         std::to_string(found_.size()) + " sections", std::to_string(used_));
  }

  const Context& context_;
  const Bytes& bytes_;
  CregHeader header_;
  std::vector<CregSection> table_;
  std::map<std::pair<SectionId, std::uint32_t>, CregSection> found_;
  std::size_t used_ = 0;
  SectionId last_known_ = SectionId::split_test;
};

}  // namespace

bool is_creg(const Bytes& bytes) {
  return bytes.text().starts_with(
      std::string_view(detail::creg_magic.data(), detail::creg_magic.size()));
}

Graph read_creg(const Context& context, const Bytes& bytes, CregProvenance* provenance) {
  return CregReader(context, bytes).read(provenance);
}

GraphPart read_creg_part(const Context& context, const Bytes& bytes) {
  return CregReader(context, bytes).read_part();
}

CregIdentity creg_identity(const Bytes& bytes) {
  CregHeader header;
  if (!is_creg(bytes) || bytes.data.size() < sizeof(header)) {
    fail_input({.what = "not a .creg file",
                .file = bytes.name,
                .found = in_quotes(bytes.text().substr(0, detail::creg_magic.size())),
                .hint = damaged});
  }
  std::memcpy(&header, bytes.data.data(), sizeof(header));
  return {.bytes = bytes.size(), .checksum = header.crc};
}

CregSize read_creg_size(const Context& context, const Bytes& bytes) {
  return CregReader(context, bytes).size();
}

}  // namespace creg
