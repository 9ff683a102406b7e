#include "io/formats/detect.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/containers/inflate.h"
#include "io/containers/zip.h"
#include "io/file.h"
#include "io/npy.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_unknown(const fs::path& path, std::string found) {
  fail_input({.what = "not a graph in a form known here",
              .file = path.string(),
              .found = std::move(found),
              .expected = known_forms()});
}

// The first format whose sign of that kind is there.
template <class Sign, class... What>
const GraphFormat* find_format(Sign FormatSigns::*sign, const What&... what) {
  for (const GraphFormat& format : graph_formats()) {
    if (format.signs.*sign != nullptr && (format.signs.*sign)(what...)) return &format;
  }
  return nullptr;
}

const GraphFormat* format_of_member(const fs::path& file) {
  return find_format(&FormatSigns::member, file.filename().string());
}

DetectedPath detect_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
  if (error) fail_errno(error.value(), "cannot read this folder", folder.string());
  std::sort(files.begin(), files.end());

  for (const fs::path& file : files) {
    if (const GraphFormat* format = format_of_member(file)) return {format, folder};
  }
  if (const GraphFormat* format = find_format(&FormatSigns::folder, folder)) {
    return {format, format->file_inside.empty() ? folder : folder / format->file_inside};
  }
  // A folder around a single file is that file.
  if (files.size() == 1) return detect_path(files.front());
  fail_unknown(folder, "a folder with " + std::to_string(files.size()) + " other files");
}

DetectedPath detect_zip(const fs::path& path, const Bytes& bytes) {
  const ZipArchive archive(bytes);
  if (const GraphFormat* format = find_format(&FormatSigns::archive, archive)) {
    return {format, path};
  }
  std::vector<std::string> names;
  constexpr std::size_t most = 6;
  for (const ZipMember& member : archive.members()) {
    if (names.size() == most) break;
    names.push_back(in_quotes(member.name));
  }
  fail_unknown(path, "an archive of " + join_words(names));
}

// The first bytes of a text, unpacked if need be; an empty file gives an empty text.
std::string first_text(const Bytes& bytes) {
  constexpr std::size_t enough = 4096;
  if (!is_gzip(bytes)) return std::string(bytes.text().substr(0, enough));
  std::string text(enough, '\0');
  Inflater inflater(bytes, Compression::gzip);
  text.resize(inflater.read(std::as_writable_bytes(std::span(text))));
  return text;
}

bool is_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
}

DetectedPath detect_file(const fs::path& path) {
  if (const GraphFormat* format = format_of_member(path)) return {format, path.parent_path()};
  const Bytes bytes = map_file(path);
  if (const GraphFormat* format = find_format(&FormatSigns::bytes, bytes)) return {format, path};
  if (is_zip(bytes)) return detect_zip(path, bytes);
  if (is_npy(bytes)) {
    fail_input({.what = "this is a matrix, not a graph",
                .file = path.string(),
                .hint = "name it as features of a graph: creg data info --edges EDGES.csv "
                        "--features " +
                        path.filename().string()});
  }
  const std::string text = first_text(bytes);
  if (!is_text(text)) fail_unknown(path, "binary data");
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    fail_input({.what = "the file is empty", .file = path.string(), .expected = "edges"});
  }
  const GraphFormat* format = find_format(&FormatSigns::text, text);
  invariant(format != nullptr, "the last form of text takes any");
  return {format, path};
}

}  // namespace

bool looks_like_a_path(const std::string& name) {
  std::error_code ignored;
  return name.find('/') != std::string::npos || fs::exists(name, ignored);
}

DetectedPath detect_path(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    fail_input({.what = "no such file or folder", .file = path.string()});
  return fs::is_directory(path, ignored) ? detect_folder(path) : detect_file(path);
}

}  // namespace creg
