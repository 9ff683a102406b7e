#include "io/text/table_text.h"

#include "core/text.h"
#include "io/containers/inflate.h"

namespace creg {

TableHead read_table_head(const Context& context, const Bytes& bytes, const TableOptions& options,
                          HeaderTest is_header) {
  const TextHead head = read_head(bytes, 2);
  TableHead table;
  if (head.rows.empty()) return table;
  const auto separator_of = [&](const TextHead::Row& row) {
    return options.separator == Separator::automatic ? detect_separator(row.text)
                                                     : options.separator;
  };
  // With a header in question the row behind it is the safer witness.
  table.separator = separator_of(head.rows.back());
  const RowFields first = split_row(head.rows[0].text, table.separator);
  RowFields second;
  if (head.rows.size() > 1) second = split_row(head.rows[1].text, table.separator);
  if (!options.header.value_or(!first.empty() && is_header(first, second))) {
    table.skip = head.rows[0].begin;
    table.separator = separator_of(head.rows[0]);
    table.row = split_row(head.rows[0].text, table.separator);
    return table;
  }
  if (!options.header) {
    context.log().write(LogLevel::info, bytes.name + ": the first row " +
                                            in_quotes(head.rows[0].text) + " is taken as a header");
  }
  table.skip = head.rows[0].end;
  table.row = std::move(second);
  return table;
}

std::int64_t expected_in_all(const Bytes& bytes, std::span<const TextBlock> first,
                             std::int64_t count) {
  std::size_t text_bytes = 0;
  for (const TextBlock& block : first) text_bytes += block.text().size();
  const double share = is_gzip(bytes) || text_bytes == 0
                           ? 1
                           : static_cast<double>(bytes.size()) / static_cast<double>(text_bytes);
  constexpr double slack = 1.02;
  return static_cast<std::int64_t>(static_cast<double>(count) * share * slack);
}

}  // namespace creg
