#include "io/formats/number_rows.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/text/id_field.h"
#include "io/text/table_text.h"

namespace creg {
namespace {

// What one block holds.
template <class Number>
struct BlockNumbers {
  std::vector<Number> values;
  std::int64_t rows = 0;
  std::deque<std::string> unescaped;

  void clear() {
    values.clear();
    rows = 0;
    unescaped.clear();
  }
};

void parse_row(const TextBlock& block, std::string_view line, FieldReader& reader,
               const NumberRowsOptions& options, LocalNames& keys, std::vector<float>& values) {
  Field field;
  if (options.keyed) {
    reader.next(field);
    check_id_field(block, field);
    const std::size_t known = keys.names().size();
    if (add_id(block, keys, field) < known) {
      block.fail(field.at, {.what = "a node is listed twice", .found = in_quotes(field.text)});
    }
  }
  std::int64_t columns = 0;
  for (; reader.next(field); ++columns) {
    if (columns >= options.columns) continue;  // only counted, for the message
    if (field.problem != nullptr) block.fail(field.at, {.what = field.problem});
    const std::optional<float> value = parse_finite(field.text);
    if (!value) block.fail(field.at, number_error(field.text, "a feature"));
    values.push_back(*value);
  }
  if (columns != options.columns) {
    block.fail(line.data(), {.what = "a row of another length",
                             .found = with_commas(columns) + " numbers",
                             .expected = with_commas(options.columns) + ", separated by " +
                                         separator_name(options.separator)});
  }
}

// 12, or with `or_nan` also 12.0.
std::optional<std::int64_t> parse_whole(std::string_view text, std::int64_t largest,
                                        bool or_float) {
  const std::size_t point = text.find('.');
  if (or_float && point != std::string_view::npos && point + 1 < text.size() &&
      text.find_first_not_of('0', point + 1) == std::string_view::npos) {
    text = text.substr(0, point);
  }
  return parse_plain_integer(text, largest);
}

}  // namespace

DenseMatrix read_number_rows(const Context& context, const Bytes& bytes,
                             const NumberRowsOptions& options, const OnKeys& on_keys) {
  GrowingBuffer<float> all(bytes.name);
  std::int64_t rows = 0;
  const auto parse = [&](const TextBlock& block, BlockNumbers<float>& part, LocalNames& keys) {
    for_each_row(block, options.separator, part.unescaped,
                 [&](std::string_view line, FieldReader& reader) {
                   parse_row(block, line, reader, options, keys, part.values);
                   ++part.rows;
                 });
  };
  const auto join = [&](std::span<const TextBlock> blocks, std::span<BlockNumbers<float>> parts,
                        std::span<LocalNames> keys) {
    if (options.keyed) on_keys(blocks, keys);
    for (const BlockNumbers<float>& part : parts) rows += part.rows;
    if (options.rows >= 0 && rows > options.rows) {
      fail_input({.what = "more rows than nodes",
                  .file = bytes.name,
                  .found = "at least " + with_commas(rows),
                  .expected = with_commas(options.rows)});
    }
    if (all.size() == 0) {
      // As many rows as there must be, or as the first batch promises.
      all.reserve(options.rows >= 0 ? options.rows * options.columns
                                    : expected_in_all(bytes, blocks, rows * options.columns));
    }
    append_parts(context, parts, &BlockNumbers<float>::values, all);
    return true;
  };
  read_parts<BlockNumbers<float>, LocalNames>(
      context, bytes, {.skip = options.skip, .separator = options.separator}, parse, join);
  if (options.rows >= 0 && rows != options.rows) {
    fail_input({.what = "fewer rows than nodes",
                .file = bytes.name,
                .found = with_commas(rows),
                .expected = with_commas(options.rows)});
  }
  return {.rows = rows, .cols = options.columns, .values = all.take()};
}

Array<std::int32_t> read_integer_column(const Context& context, const Bytes& bytes,
                                        std::int64_t largest, bool or_nan,
                                        const std::string& what) {
  GrowingBuffer<std::int32_t> all(bytes.name);
  const auto parse_row = [&](const TextBlock& block, FieldReader& reader) {
    Field field;
    reader.next(field);
    if (field.problem != nullptr) block.fail(field.at, {.what = field.problem});
    if (or_nan && (field.text.empty() || lower_case(field.text) == "nan")) return unlabelled;
    const std::optional<std::int64_t> value = parse_whole(field.text, largest, or_nan);
    if (!value) {
      block.fail(field.at, {.what = what + " out of range, or not a whole number",
                            .found = in_quotes(field.text),
                            .expected = largest < 0 ? "none" : "0 to " + std::to_string(largest)});
    }
    Field other;
    if (reader.next(other)) {
      block.fail(other.at, {.what = "a second column",
                            .found = in_quotes(other.text),
                            .expected = "one number per row"});
    }
    return static_cast<std::int32_t>(*value);
  };
  const TextHead head = read_head(bytes, 1);
  const std::int64_t skip = head.rows.empty() ? 0 : head.rows[0].begin;
  read_parts<BlockNumbers<std::int32_t>>(
      context, bytes, {.skip = skip, .separator = Separator::comma},
      [&](const TextBlock& block, BlockNumbers<std::int32_t>& part) {
        for_each_row(block, Separator::comma, part.unescaped,
                     [&](std::string_view /*line*/, FieldReader& reader) {
                       part.values.push_back(parse_row(block, reader));
                     });
      },
      [&](std::span<const TextBlock> /*blocks*/, std::span<BlockNumbers<std::int32_t>> parts) {
        append_parts(context, parts, &BlockNumbers<std::int32_t>::values, all);
        return true;
      });
  return all.take();
}

}  // namespace creg
