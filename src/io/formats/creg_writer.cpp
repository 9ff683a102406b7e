#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/build_info.h"
#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "io/checksum.h"
#include "io/creg_file.h"
#include "io/formats/creg_format.h"

namespace creg {
namespace {

using detail::CregHeader;
using detail::CregSection;
using detail::SectionId;

constexpr std::size_t write_piece = std::size_t{8} << 20;

// The sections of a file in order, as views of arrays that outlive it.
struct Layout {
  std::vector<CregSection> sections;
  std::vector<std::span<const std::byte>> contents;

  template <class T>
  void add(SectionId id, std::span<const T> values, std::uint32_t index = 0) {
    sections.push_back({.id = id,
                        .index = index,
                        .type = detail::element_type<T>(),
                        .bytes = values.size_bytes(),
                        .count = values.size()});
    contents.push_back(std::as_bytes(values));
  }

  template <class T>
  void add(SectionId id, const Array<T>& values, std::uint32_t index = 0) {
    add(id, values.span(), index);
  }

  // Gives every section its place; returns the size of the file.
  std::uint64_t place() {
    std::uint64_t end = sizeof(CregHeader) + sections.size() * sizeof(CregSection);
    for (CregSection& section : sections) {
      section.offset = detail::align_up(end);
      end = section.offset + section.bytes;
    }
    return end;
  }
};

/// Names and paths may be any bytes, which JSON cannot hold.
std::string make_meta(const Graph& graph, const CregProvenance& provenance) {
  nlohmann::ordered_json meta;
  meta["name"] = as_utf8(graph.name);
  meta["nodes"] = graph.nodes();
  meta["directed"] = graph.directed;
  meta["feature_columns"] = nullptr;
  if (has_features(graph.features)) meta["feature_columns"] = feature_cols(graph.features);
  std::vector<std::string> splits;
  for (const Split& split : graph.splits) splits.push_back(as_utf8(split.name));
  meta["splits"] = splits;
  meta["source"] = as_utf8(provenance.source);
  meta["transforms"] = provenance.transforms;
  meta["writer"] = "contrast-reg " + build_info().version;
  return meta.dump();
}

void add_features(Layout& layout, const Features& features) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features)) {
    layout.add(SectionId::dense_features, dense->values);
  } else if (const auto* sparse = std::get_if<CsrMatrix>(&features)) {
    layout.add(SectionId::feature_offsets, sparse->offsets);
    layout.add(SectionId::feature_columns, sparse->columns);
    if (!sparse->values.empty()) layout.add(SectionId::feature_values, sparse->values);
  }
}

Layout make_layout(const Graph& graph, const std::string& meta, const NodeNames& class_names) {
  Layout layout;
  layout.add(SectionId::meta, std::span<const char>(meta));
  layout.add(SectionId::adjacency_offsets, graph.adjacency.offsets);
  layout.add(SectionId::adjacency_columns, graph.adjacency.columns);
  if (!graph.adjacency.values.empty()) {
    layout.add(SectionId::adjacency_weights, graph.adjacency.values);
  }
  add_features(layout, graph.features);
  if (graph.has_labels()) layout.add(SectionId::labels, graph.labels);
  if (!graph.names.empty()) {
    layout.add(SectionId::name_offsets, graph.names.offsets());
    layout.add(SectionId::name_characters, graph.names.characters());
  }
  if (!class_names.empty()) {
    layout.add(SectionId::class_name_offsets, class_names.offsets());
    layout.add(SectionId::class_name_characters, class_names.characters());
  }
  for (std::uint32_t s = 0; s < graph.splits.size(); ++s) {
    layout.add(SectionId::split_train, graph.splits[s].train, s);
    layout.add(SectionId::split_val, graph.splits[s].val, s);
    layout.add(SectionId::split_test, graph.splits[s].test, s);
  }
  return layout;
}

void add_part(Layout& layout, const GraphPart& part) {
  const std::size_t first = layout.sections.size();
  layout.add(SectionId::part_nodes, part.nodes);
  layout.add(SectionId::part_halo_owners, part.halo_owners);
  layout.add(SectionId::part_send_offsets, part.send_offsets);
  layout.add(SectionId::part_send_nodes, part.send_nodes);
  for (std::size_t i = first; i < layout.sections.size(); ++i) {
    layout.sections[i].flags = detail::optional_section;
  }
}

CregIdentity write_whole(const Context& context, const std::filesystem::path& path,
                         const Graph& graph, const CregProvenance& provenance,
                         const GraphPart* part) {
  validate(context, graph, graph.name.empty() ? "the graph to be written" : graph.name);
  const std::string meta = make_meta(graph, provenance);
  const NodeNames class_names{graph.class_names};
  Layout layout = make_layout(graph, meta, class_names);
  if (part != nullptr) add_part(layout, *part);
  if (layout.sections.size() > detail::most_sections) {
    fail_input({.what = "too many splits for one file",
                .file = path.string(),
                .found = with_commas(static_cast<std::int64_t>(graph.splits.size()))});
  }
  const std::uint64_t file_bytes = layout.place();
  for (std::size_t i = 0; i < layout.sections.size(); ++i) {
    layout.sections[i].crc = crc32c_parallel(context, layout.contents[i]);
  }
  CregHeader header{.version = creg_format_version,
                    .sections = static_cast<std::uint32_t>(layout.sections.size()),
                    .file_bytes = file_bytes};
  const auto header_bytes = std::as_bytes(std::span(&header, 1));
  const auto table_bytes = std::as_bytes(std::span(layout.sections));
  header.crc = crc32c(table_bytes, crc32c(header_bytes));

  AtomicFile file(path);
  ProgressTask progress(context, "writing " + path.filename().string(),
                        static_cast<std::int64_t>(file_bytes), "bytes");
  file.write(header_bytes);
  file.write(table_bytes);
  constexpr std::array<std::byte, detail::creg_alignment> zeros{};
  for (std::size_t i = 0; i < layout.sections.size(); ++i) {
    const std::uint64_t gap = layout.sections[i].offset - static_cast<std::uint64_t>(file.size());
    file.write(std::span(zeros).first(gap));
    for (std::span<const std::byte> rest = layout.contents[i]; !rest.empty();) {
      const std::size_t size = std::min(rest.size(), write_piece);
      file.write(rest.first(size));
      progress.advance(static_cast<std::int64_t>(size));
      rest = rest.subspan(size);
    }
  }
  file.commit();
  progress.finish();
  return {.bytes = static_cast<std::int64_t>(file_bytes), .checksum = header.crc};
}

}  // namespace

void write_creg(const Context& context, const std::filesystem::path& path, const Graph& graph,
                const CregProvenance& provenance) {
  write_whole(context, path, graph, provenance, nullptr);
}

CregIdentity write_creg_part(const Context& context, const std::filesystem::path& path,
                             const GraphPart& part, const CregProvenance& provenance) {
  return write_whole(context, path, part.graph, provenance, &part);
}

}  // namespace creg
