// Text files, plain or gzip, in blocks of whole lines: parsers run in parallel over the blocks, and
// an error still names the line and the column: the field, counted from 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "creg/core/context.h"
#include "creg/core/error.h"
#include "creg/io/dataset.h"
#include "io/file.h"

namespace creg {

/// Some whole lines; only the last line of a text may lack its newline. Blocks of a batch lie one
/// after the other in memory and stay there until the batch is done.
class TextBlock {
 public:
  explicit TextBlock(std::string_view text) : TextBlock(text, text, 1) {}
  /// `before` begins with line `first_line` and leads up to the block, which is its last part or
  /// lies inside.
  TextBlock(std::string_view text, std::string_view before, std::int64_t first_line)
      : text_(text), before_(before), first_line_(first_line) {}

  std::string_view text() const { return text_; }
  /// The number of the line that `at`, a place in this block, is in; costs a pass over the text
  /// before it.
  std::int64_t line(const char* at) const;
  /// Refuses what stands at `at`, a place in this block. Only for use inside for_each_batch, which
  /// adds the file's name, the line and the column to `detail`.
  [[noreturn]] void fail(const char* at, ErrorDetail detail) const;

 private:
  std::string_view text_;
  std::string_view before_;
  std::int64_t first_line_;
};

struct TextOptions {
  std::string label;      ///< of the progress display; empty: "reading FILE"
  std::int64_t skip = 0;  ///< bytes of the (decompressed) text to pass over: a header, a BOM
  /// Of the fields, by which columns in messages are counted; automatic: that of the line at fault.
  Separator separator = Separator::automatic;
  std::int64_t block_bytes = std::int64_t{1} << 18;
  /// Text handed out at once; also the longest line that a compressed file may hold.
  std::int64_t batch_bytes = std::int64_t{1} << 24;
};

/// Returns whether to go on.
using BatchBody = std::function<bool(std::span<const TextBlock>)>;

/// Calls `body` with one batch of blocks after the other, in the order of the text. A plain text is
/// read where it lies; a gzip one is decompressed into two buffers of `batch_bytes`, the next batch
/// while the body works on the present one. False when the body ended it.
bool for_each_batch(const Context& context, const Bytes& bytes, const TextOptions& options,
                    const BatchBody& body);

/// Runs work(i) for every block, in parallel. When several blocks are at fault the error of the
/// first is thrown, whatever the threads did.
void for_blocks(const Context& context, std::span<const TextBlock> blocks,
                const std::function<void(std::size_t)>& work);

/// Calls visit(line) for every line of `text`, without its LF or CR LF.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(line);
  }
}

}  // namespace creg
