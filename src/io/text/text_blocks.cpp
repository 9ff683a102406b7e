#include "io/text/text_blocks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/progress.h"
#include "io/containers/inflate.h"
#include "io/text/text_fields.h"

namespace creg {
namespace {

// What TextBlock::fail throws on its way to for_each_batch, which knows the line.
struct TextBlockError {
  const char* at = nullptr;
  ErrorDetail detail;
};

std::int64_t count_lines(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

// The field of `line` that `at` is in, counted from 1; behind the last one where `at` is the line's
// end and no field begins there.
std::int64_t column_of(std::string_view line, Separator separator, const char* at) {
  std::deque<std::string> unescaped;
  FieldReader reader(line, separator == Separator::automatic ? detect_separator(line) : separator,
                     unescaped);
  std::int64_t column = 0;
  const char* begin = nullptr;
  for (Field field; reader.next(field) && field.at <= at; ++column) begin = field.at;
  const bool behind = column > 0 && at == line.data() + line.size() && begin != at;
  return std::max<std::int64_t>(column + (behind ? 1 : 0), 1);
}

// The place of `at` in `text`, whose first line has the number `first_line`.
std::string place_of(std::string_view text, std::int64_t first_line, Separator separator,
                     const char* at) {
  const auto offset = static_cast<std::size_t>(at - text.data());
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::string_view line = text.substr(begin, text.find('\n', offset) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return "line " + std::to_string(first_line + count_lines(before)) + ", column " +
         std::to_string(column_of(line, separator, at));
}

std::vector<TextBlock> cut_into_blocks(std::string_view text, std::int64_t block_bytes,
                                       std::string_view counted, std::int64_t first_line) {
  std::vector<TextBlock> blocks;
  while (!text.empty()) {
    const std::size_t newline =
        text.find('\n', std::min(text.size(), static_cast<std::size_t>(block_bytes)) - 1);
    const std::size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    blocks.emplace_back(text.substr(0, size), counted, first_line);
    text.remove_prefix(size);
  }
  return blocks;
}

// Hands `text` to the body; errors of its blocks get their place, counted from the start of
// `counted`, a text that ends where `text` does and begins with line `first_line`.
bool run_body(std::string_view text, std::string_view counted, std::int64_t first_line,
              const Bytes& bytes, const TextOptions& options, const BatchBody& body) {
  try {
    return body(cut_into_blocks(text, options.block_bytes, counted, first_line));
  } catch (TextBlockError& error) {
    error.detail.file = bytes.name;
    error.detail.place = place_of(counted, first_line, options.separator, error.at);
    fail_input(std::move(error.detail));
  }
}

bool plain_batches(const Bytes& bytes, const TextOptions& options, const BatchBody& body,
                   ProgressTask& progress) {
  const std::string_view whole = bytes.text();
  std::size_t begin = std::min(whole.size(), static_cast<std::size_t>(options.skip));
  progress.advance(static_cast<std::int64_t>(begin));
  while (begin < whole.size()) {
    const std::size_t newline = whole.find(
        '\n', std::min(whole.size(), begin + static_cast<std::size_t>(options.batch_bytes)) - 1);
    const std::size_t end = newline == std::string_view::npos ? whole.size() : newline + 1;
    if (!run_body(whole.substr(begin, end - begin), whole.substr(0, end), 1, bytes, options,
                  body)) {
      return false;
    }
    progress.advance(static_cast<std::int64_t>(end - begin));
    begin = end;
  }
  return true;
}

// The decompressed text in two buffers: one in use, one being filled.
class GzipText {
 public:
  GzipText(const Bytes& bytes, const TextOptions& options)
      : bytes_(bytes), inflater_(bytes, Compression::gzip), skip_(options.skip) {
    // Deflate cannot expand more than 1032 times, so a small file needs no large buffers.
    constexpr std::int64_t largest_expansion = 1040;
    constexpr std::int64_t slack = 4096;
    const std::int64_t most = bytes.size() < options.batch_bytes
                                  ? bytes.size() * largest_expansion + slack
                                  : options.batch_bytes;
    capacity_ = static_cast<std::size_t>(std::min(options.batch_bytes, most));
    for (auto& buffer : buffers_) buffer = std::make_unique_for_overwrite<char[]>(capacity_);
  }

  /// Whole lines, until `advance` is called; empty at the end of the text.
  std::string_view current() const { return current_; }
  std::int64_t first_line() const { return first_line_; }
  std::int64_t consumed() const { return inflater_.consumed(); }

  /// Decompresses what follows current(), which stays as it is.
  void fill_next() {
    char* buffer = buffers_[1 - used_].get();
    std::copy(rest_.begin(), rest_.end(), buffer);
    std::size_t size = rest_.size();
    size += inflater_.read(std::as_writable_bytes(std::span(buffer + size, capacity_ - size)));
    const std::string_view filled(buffer, size);
    std::size_t end = size;
    if (!inflater_.finished()) {
      end = filled.rfind('\n') + 1;  // npos + 1 is 0
      if (end == 0) {
        fail_input({.what = "a line is too long",
                    .file = bytes_.name,
                    .place = "line " + std::to_string(first_line_ + count_lines(current_)),
                    .found = "more than " + human_bytes(static_cast<std::int64_t>(size)),
                    .expected = "lines of text"});
      }
    }
    next_ = filled.substr(0, end);
    next_rest_ = filled.substr(end);
  }

  void advance() {
    first_line_ += count_lines(current_);
    used_ = 1 - used_;
    current_ = next_;
    rest_ = next_rest_;
    next_ = {};
    next_rest_ = {};
    if (skip_ > 0) {
      const auto passed = std::min(current_.size(), static_cast<std::size_t>(skip_));
      skip_ -= static_cast<std::int64_t>(passed);
      first_line_ += count_lines(current_.substr(0, passed));
      current_.remove_prefix(passed);
    }
  }
  bool finished() const { return inflater_.finished() && rest_.empty() && next_.empty(); }

 private:
  const Bytes& bytes_;
  Inflater inflater_;
  std::int64_t skip_;
  std::size_t capacity_ = 0;
  std::unique_ptr<char[]> buffers_[2];
  std::size_t used_ = 1;
  std::string_view current_;
  std::string_view rest_;  // the beginning of a line behind current_
  std::string_view next_;
  std::string_view next_rest_;
  std::int64_t first_line_ = 1;
};

bool gzip_batches(const Context& context, const Bytes& bytes, const TextOptions& options,
                  const BatchBody& body, ProgressTask& progress) {
  GzipText text(bytes, options);
  text.fill_next();
  text.advance();
  std::int64_t shown = 0;
  for (;;) {
    const bool last = text.finished();
    bool go_on = true;
    std::exception_ptr damage;  // of the bytes behind the batch: its own errors come first
    parallel_tasks(context, 2, [&](std::int64_t task) {
      if (task == 0 && !last) {
        try {
          text.fill_next();
        } catch (const Error&) {
          damage = std::current_exception();
        }
      } else if (task == 1 && !text.current().empty()) {
        go_on = run_body(text.current(), text.current(), text.first_line(), bytes, options, body);
      }
    });
    if (!go_on) return false;
    if (damage) std::rethrow_exception(damage);
    progress.advance(text.consumed() - shown);
    shown = text.consumed();
    if (last) return true;
    text.advance();
  }
}

}  // namespace

std::int64_t TextBlock::line(const char* at) const {
  return first_line_ + count_lines({before_.data(), static_cast<std::size_t>(at - before_.data())});
}

void TextBlock::fail(const char* at, ErrorDetail detail) const {
  invariant(at >= text_.data() && at <= text_.data() + text_.size(), "an error lies in its block");
  throw TextBlockError{.at = at, .detail = std::move(detail)};
}

bool for_each_batch(const Context& context, const Bytes& bytes, const TextOptions& options,
                    const BatchBody& body) {
  invariant(options.block_bytes >= 1 && options.batch_bytes >= 1, "blocks hold something");
  const std::string label = options.label.empty() ? "reading " + bytes.name : options.label;
  ProgressTask progress(context, label, bytes.size(), "bytes");
  const bool whole = is_gzip(bytes) ? gzip_batches(context, bytes, options, body, progress)
                                    : plain_batches(bytes, options, body, progress);
  progress.finish();
  return whole;
}

void for_blocks(const Context& context, std::span<const TextBlock> blocks,
                const std::function<void(std::size_t)>& work) {
  std::mutex mutex;
  std::optional<TextBlockError> first;
  std::atomic<std::int64_t> first_block = static_cast<std::int64_t>(blocks.size());
  parallel_tasks(context, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t i) {
    if (i > first_block.load(std::memory_order_relaxed)) return;
    try {
      work(static_cast<std::size_t>(i));
    } catch (TextBlockError& error) {
      const std::lock_guard lock(mutex);
      if (i < first_block.load(std::memory_order_relaxed)) {
        first_block.store(i, std::memory_order_relaxed);
        first = std::move(error);
      }
    }
  });
  if (first) throw *std::move(first);
}

}  // namespace creg
