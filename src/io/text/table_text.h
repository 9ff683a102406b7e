// Tables as text, whatever their columns mean: what the first rows tell about the others, the rows
// of a block, and the results of the blocks as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/parallel.h"
#include "creg/core/context.h"
#include "creg/io/dataset.h"
#include "io/file.h"
#include "io/text/growing_buffer.h"
#include "io/text/text_blocks.h"
#include "io/text/text_fields.h"

namespace creg {

struct TableOptions {
  Separator separator = Separator::automatic;
  std::optional<bool> header;                  ///< nothing: recognised
  UnknownIds unknown_ids = UnknownIds::error;  ///< where the ids are those of known nodes
};

using RowFields = std::vector<std::string>;

/// Whether the first row is a header, given the second; that is empty when there is none.
using HeaderTest = bool (*)(const RowFields& first, const RowFields& second);

struct TableHead {
  Separator separator = Separator::comma;
  RowFields row;          ///< the first row of data; empty when there is none
  std::int64_t skip = 0;  ///< bytes of the text before the data
};

/// A header that nobody announced is noted in the log.
TableHead read_table_head(const Context& context, const Bytes& bytes, const TableOptions& options,
                          HeaderTest is_header);

/// Calls visit(line, reader of its fields) for every line that is no comment.
template <class Visit>
void for_each_row(const TextBlock& block, Separator separator, std::deque<std::string>& unescaped,
                  const Visit& visit) {
  for_each_line(block.text(), [&](std::string_view line) {
    if (is_blank_or_comment(line)) return;
    FieldReader reader(line, separator, unescaped);
    visit(line, reader);
  });
}

/// Goes through a text batch by batch: parse(block, part...) for every block in parallel, each with
/// parts of its own that were cleared; then join(blocks, parts...) with spans of all of them, in
/// the order of the text, which returns whether to go on. False when it ended it.
template <class... Part, class Parse, class Join>
bool read_parts(const Context& context, const Bytes& bytes, const TextOptions& options,
                const Parse& parse, const Join& join) {
  std::tuple<std::vector<Part>...> kept;
  const auto read_batch = [&](std::span<const TextBlock> blocks, std::vector<Part>&... parts) {
    (parts.resize(std::max(parts.size(), blocks.size())), ...);
    for_blocks(context, blocks, [&](std::size_t b) {
      (parts[b].clear(), ...);
      parse(blocks[b], parts[b]...);
    });
    return join(blocks, std::span(parts).first(blocks.size())...);
  };
  return for_each_batch(context, bytes, options, [&](std::span<const TextBlock> blocks) {
    return std::apply([&](auto&... parts) { return read_batch(blocks, parts...); }, kept);
  });
}

/// Appends values(part), a vector, of every part in order.
template <class T, class Part, class Values>
void append_parts(const Context& context, std::span<Part> parts, Values values,
                  GrowingBuffer<T>& all) {
  std::vector<std::int64_t> begin(parts.size() + 1, 0);
  for (std::size_t b = 0; b < parts.size(); ++b) {
    begin[b + 1] = begin[b] + static_cast<std::int64_t>(std::invoke(values, parts[b]).size());
  }
  T* to = all.extend(begin.back());
  parallel_tasks(context, static_cast<std::int64_t>(parts.size()), [&](std::int64_t piece) {
    const auto b = static_cast<std::size_t>(piece);
    const std::vector<T>& part = std::invoke(values, parts[b]);
    std::copy(part.begin(), part.end(), to + begin[b]);
  });
}

/// How many there may be in all when the first blocks hold `count`, so that the whole can be set
/// aside at once. Of a gzip file nothing more is known than that.
std::int64_t expected_in_all(const Bytes& bytes, std::span<const TextBlock> first,
                             std::int64_t count);

}  // namespace creg
