#include "io/formats/number_rows.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "io/containers/inflate.h"
#include "io/text/growing_buffer.h"
#include "io/text/id_field.h"

namespace creg {
namespace {

// Where the parts of every block begin in the whole, and the total.
template <class Part, class SizeOf>
std::vector<std::int64_t> begins(std::span<const Part> parts, SizeOf size_of) {
  std::vector<std::int64_t> begin(parts.size() + 1, 0);
  for (std::size_t b = 0; b < parts.size(); ++b) {
    begin[b + 1] = begin[b] + static_cast<std::int64_t>(size_of(parts[b]));
  }
  return begin;
}

// Appends the blocks' values in order.
template <class T>
void append(const Context& context, std::span<const std::vector<T>> parts, GrowingBuffer<T>& all) {
  const std::vector<std::int64_t> begin =
      begins(parts, [](const std::vector<T>& part) { return part.size(); });
  T* to = all.extend(begin.back());
  parallel_tasks(context, static_cast<std::int64_t>(parts.size()), [&](std::int64_t b) {
    const std::vector<T>& part = parts[static_cast<std::size_t>(b)];
    std::copy(part.begin(), part.end(), to + begin[static_cast<std::size_t>(b)]);
  });
}

void parse_row(const TextBlock& block, std::string_view line, const NumberRowsOptions& options,
               std::deque<std::string>& unescaped, LocalNames& keys, std::vector<float>& values) {
  FieldReader reader(line, options.separator, unescaped);
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
  struct Part {
    std::deque<std::string> unescaped;
    std::int64_t rows = 0;
  };
  std::vector<Part> parts;
  std::vector<std::vector<float>> values;
  std::vector<LocalNames> keys;
  GrowingBuffer<float> all(bytes.name);
  std::int64_t rows = 0;
  for_each_batch(context, bytes, {.skip = options.skip}, [&](std::span<const TextBlock> blocks) {
    parts.resize(std::max(parts.size(), blocks.size()));
    values.resize(std::max(values.size(), blocks.size()));
    if (options.keyed) keys.resize(std::max(keys.size(), blocks.size()));
    LocalNames none;
    for_blocks(context, blocks, [&](std::size_t b) {
      parts[b].unescaped.clear();
      parts[b].rows = 0;
      values[b].clear();
      if (options.keyed) keys[b].clear();
      for_each_line(blocks[b].text(), [&](std::string_view line) {
        if (is_blank_or_comment(line)) return;
        parse_row(blocks[b], line, options, parts[b].unescaped, options.keyed ? keys[b] : none,
                  values[b]);
        ++parts[b].rows;
      });
    });
    if (options.keyed) on_keys(blocks, std::span(keys).first(blocks.size()));
    std::size_t text_bytes = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      rows += parts[b].rows;
      text_bytes += blocks[b].text().size();
    }
    if (options.rows >= 0 && rows > options.rows) {
      fail_input({.what = "more rows than nodes",
                  .file = bytes.name,
                  .found = "at least " + with_commas(rows),
                  .expected = with_commas(options.rows)});
    }
    if (all.size() == 0) {
      // Set the whole aside at once: as many rows as there must be, or as the first batch promises.
      const double share = is_gzip(bytes)
                               ? 1
                               : static_cast<double>(bytes.size()) /
                                     static_cast<double>(std::max<std::size_t>(text_bytes, 1));
      constexpr double slack = 1.02;
      const double guess = options.rows >= 0 ? static_cast<double>(options.rows)
                                             : static_cast<double>(rows) * share * slack;
      all.reserve(static_cast<std::int64_t>(guess * static_cast<double>(options.columns)));
    }
    append<float>(context, std::span(values).first(blocks.size()), all);
    return true;
  });
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
  std::vector<std::vector<std::int32_t>> values;
  const auto parse = [&](const TextBlock& block, std::string_view line) {
    std::deque<std::string> unescaped;
    FieldReader reader(line, Separator::comma, unescaped);
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
  for_each_batch(context, bytes, {.skip = skip}, [&](std::span<const TextBlock> blocks) {
    values.resize(std::max(values.size(), blocks.size()));
    for_blocks(context, blocks, [&](std::size_t b) {
      values[b].clear();
      for_each_line(blocks[b].text(), [&](std::string_view line) {
        if (!is_blank_or_comment(line)) values[b].push_back(parse(blocks[b], line));
      });
    });
    append<std::int32_t>(context, std::span(values).first(blocks.size()), all);
    return true;
  });
  return all.take();
}

}  // namespace creg
