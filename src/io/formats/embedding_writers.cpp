#include "io/embedding_writers.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "io/npy.h"

namespace creg {
namespace {

// Floats that one thread turns into text at a time; about 100 KiB of it.
constexpr std::int64_t piece_floats = 1 << 13;
// What the readers of safetensors accept as a header.
constexpr std::size_t largest_header = 100'000'000;
constexpr std::size_t longest_float = 32;

void check_names(const DenseMatrix& embedding, const NodeNames& names) {
  invariant(embedding.values.size() == embedding.rows * embedding.cols, "an embedding is whole");
  invariant(names.empty() || names.size() == embedding.rows, "every row has a name");
}

void notice_changed(const Context& context, const std::filesystem::path& path, std::int64_t changed,
                    const std::string& how) {
  if (changed == 0) return;
  context.log().write(LogLevel::notice, path.string() + ": " + with_commas(changed) +
                                            (changed == 1 ? " name " : " names ") + how);
}

void append_float(std::string& text, float value) {
  const std::size_t before = text.size();
  text.resize(before + longest_float);
  const auto end = std::to_chars(text.data() + before, text.data() + text.size(), value);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
}

bool breaks_tsv(char c) {
  return c == '\t' || c == '\n' || c == '\r';
}

// What sets the text forms apart.
struct TextForm {
  char separator;
  bool (*is_replaced)(char);
  char replacement;
  bool keeps_empty_names;
  bool quotes = false;  // a name that needs it, as RFC 4180 says
  bool named = true;    // a name begins the line
};

// Appends the name as this form can hold it; true when it had to change.
bool append_name(std::string& text, const NodeNames& names, std::int64_t row,
                 const TextForm& form) {
  if (names.empty()) {
    text += std::to_string(row);
    return false;
  }
  const std::string_view name = names[row];
  if (form.quotes && name.find_first_of(",\"\r\n") != std::string_view::npos) {
    text += '"';
    for (const char c : name) text.append(c == '"' ? 2 : 1, c);
    text += '"';
    return false;
  }
  if (name.empty() && !form.keeps_empty_names) {
    text += form.replacement;
    return true;
  }
  bool changed = false;
  for (const char c : name) {
    const bool replaced = form.is_replaced(c);
    text += replaced ? form.replacement : c;
    changed = changed || replaced;
  }
  return changed;
}

// The lines of all rows, formatted in parallel and written in order, a few pieces per thread at a
// time. Returns how many names had to change.
std::int64_t write_lines(const Context& context, AtomicFile& file, const DenseMatrix& embedding,
                         const NodeNames& names, const TextForm& form, ProgressTask& progress) {
  constexpr std::int64_t pieces_per_thread = 4;
  const std::int64_t rows_per_piece =
      std::max<std::int64_t>(1, piece_floats / std::max<std::int64_t>(1, embedding.cols));
  std::vector<std::string> texts(static_cast<std::size_t>(context.threads() * pieces_per_thread));
  const std::int64_t rows_per_round = rows_per_piece * static_cast<std::int64_t>(texts.size());
  std::atomic<std::int64_t> changed = 0;
  for (std::int64_t start = 0; start < embedding.rows; start += rows_per_round) {
    const std::int64_t end = std::min(start + rows_per_round, embedding.rows);
    parallel_for(context, start, end, rows_per_piece, [&](std::int64_t first, std::int64_t last) {
      std::string& text = texts[static_cast<std::size_t>((first - start) / rows_per_piece)];
      for (std::int64_t r = first; r < last; ++r) {
        if (form.named && append_name(text, names, r, form)) ++changed;
        bool first_field = !form.named;
        for (const float x : embedding.row(r)) {
          if (!first_field) text += form.separator;
          first_field = false;
          append_float(text, x);
        }
        text += '\n';
      }
    });
    for (std::string& text : texts) {
      file.write(std::string_view(text));
      text.clear();
    }
    progress.advance(end - start);
  }
  return changed;
}

void write_text(const Context& context, AtomicFile& file, const std::string& head,
                const DenseMatrix& embedding, const NodeNames& names, const TextForm& form,
                const std::string& how) {
  check_names(embedding, names);
  ProgressTask progress(context, "writing " + file.path().filename().string(), embedding.rows,
                        "rows");
  file.write(std::string_view(head));
  const std::int64_t changed = write_lines(context, file, embedding, names, form, progress);
  progress.finish();
  notice_changed(context, file.path(), changed, how);
}

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

using Writer = void (*)(const Context&, AtomicFile&, const DenseMatrix&, const NodeNames&);

void write_numbers(const Context& /*context*/, AtomicFile& file, const DenseMatrix& embedding,
                   const NodeNames& /*names*/) {
  write_npy(file, embedding);
}

/// Null for an ending that no form has.
Writer writer_of(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".npy") return write_numbers;
  if (ending == ".tsv") return write_embedding_tsv;
  if (ending == ".csv") return write_embedding_csv;
  if (ending == ".txt" || ending == ".w2v") return write_embedding_word2vec;
  if (ending == ".safetensors") return write_embedding_safetensors;
  return nullptr;
}

}  // namespace

void check_embedding_ending(const std::filesystem::path& path) {
  if (writer_of(path) != nullptr) return;
  fail_input({.what = "unknown form of an embedding file",
              .file = path.string(),
              .found = in_quotes(path.extension().string()),
              .expected = ".npy, .tsv, .csv, .txt or .w2v (word2vec), or .safetensors"});
}

void write_embedding(const Context& context, AtomicFile& file, const DenseMatrix& embedding,
                     const NodeNames& names) {
  check_embedding_ending(file.path());
  writer_of(file.path())(context, file, embedding, names);
}

void write_embedding_tsv(const Context& context, AtomicFile& file, const DenseMatrix& embedding,
                         const NodeNames& names) {
  const TextForm form{
      .separator = '\t', .is_replaced = breaks_tsv, .replacement = ' ', .keeps_empty_names = true};
  write_text(context, file, "", embedding, names, form,
             "had a tab or a line end, written as a blank");
}

void write_embedding_csv(const Context& context, AtomicFile& file, const DenseMatrix& embedding,
                         const NodeNames& names) {
  const TextForm form{.separator = ',',
                      .is_replaced = [](char) { return false; },
                      .replacement = ' ',
                      .keeps_empty_names = true,
                      .quotes = true};
  std::string head = "node";
  for (std::int64_t k = 0; k < embedding.cols; ++k) head += ",x" + std::to_string(k + 1);
  write_text(context, file, head + "\n", embedding, names, form, "");
}

std::filesystem::path projector_metadata_path(const std::filesystem::path& vectors) {
  return std::filesystem::path(vectors).replace_extension(".metadata.tsv");
}

void write_projector_files(const Context& context, const std::filesystem::path& vectors,
                           const DenseMatrix& embedding, const NodeNames& names,
                           std::span<const std::string> labels) {
  invariant(labels.empty() || std::ssize(labels) == embedding.rows, "every row has a label");
  const std::filesystem::path metadata = projector_metadata_path(vectors);
  AtomicPair files(vectors, metadata, true);
  const TextForm plain{.separator = '\t',
                       .is_replaced = breaks_tsv,
                       .replacement = ' ',
                       .keeps_empty_names = true,
                       .named = false};
  write_text(context, files.file(), "", embedding, names, plain, "");
  std::string text = labels.empty() ? "" : "name\tlabel\n";
  std::int64_t changed = 0;
  for (std::int64_t r = 0; r < embedding.rows; ++r) {
    if (append_name(text, names, r, plain)) ++changed;
    if (!labels.empty()) {
      text += '\t';
      for (const char c : labels[static_cast<std::size_t>(r)]) text += breaks_tsv(c) ? ' ' : c;
    }
    text += '\n';
  }
  files.beside().write(std::string_view(text));
  files.commit();
  notice_changed(context, metadata, changed, "had a tab or a line end, written as a blank");
}

void write_embedding_word2vec(const Context& context, AtomicFile& file,
                              const DenseMatrix& embedding, const NodeNames& names) {
  const TextForm form{.separator = ' ',
                      .is_replaced = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); },
                      .replacement = '_',
                      .keeps_empty_names = false};
  const std::string head =
      std::to_string(embedding.rows) + " " + std::to_string(embedding.cols) + "\n";
  write_text(context, file, head, embedding, names, form, "had white space, written as '_'");
}

void write_embedding_safetensors(const Context& context, AtomicFile& file,
                                 const DenseMatrix& embedding, const NodeNames& names) {
  static_assert(std::endian::native == std::endian::little, "tensors are little-endian");
  check_names(embedding, names);
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  nlohmann::ordered_json header;
  std::int64_t changed = 0;
  if (!names.empty()) {
    nlohmann::json list = nlohmann::json::array();
    for (std::int64_t i = 0; i < names.size(); ++i) {
      if (!is_utf8(names[i])) ++changed;
      list.push_back(names[i]);
    }
    header["__metadata__"]["names"] = list.dump(-1, ' ', false, replace);
  }
  header["embedding"] = {{"dtype", "F32"},
                         {"shape", {embedding.rows, embedding.cols}},
                         {"data_offsets", {0, embedding.values.bytes()}}};
  std::string text = header.dump();
  constexpr std::size_t alignment = 8;
  text.append((alignment - text.size() % alignment) % alignment, ' ');
  if (text.size() > largest_header) {
    fail_input({.what = "the names do not fit into the header of a safetensors file",
                .file = file.path().string(),
                .found = human_bytes(static_cast<std::int64_t>(text.size())),
                .expected = human_bytes(largest_header) + " at most",
                .hint = "write .npy, whose names go into a file of their own"});
  }
  const auto length = static_cast<std::uint64_t>(text.size());
  ProgressTask progress(context, "writing " + file.path().filename().string(),
                        embedding.values.bytes(), "bytes");
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::string_view(text));
  constexpr std::size_t piece = std::size_t{8} << 20;
  for (auto rest = std::as_bytes(embedding.values.span()); !rest.empty();) {
    const std::size_t size = std::min(rest.size(), piece);
    file.write(rest.first(size));
    progress.advance(static_cast<std::int64_t>(size));
    rest = rest.subspan(size);
  }
  progress.finish();
  notice_changed(context, file.path(), changed, "had bytes that are not UTF-8, written as U+FFFD");
}

}  // namespace creg
