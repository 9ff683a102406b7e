#include "io/user_files.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "core/text.h"
#include "core/utf8.h"
#include "creg/core/error.h"
#include "io/containers/zip.h"
#include "io/file.h"
#include "io/formats/detect.h"
#include "io/npy.h"
#include "io/settings_file.h"
#include "io/text/text_fields.h"

namespace creg {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t sampled_rows = 2000;

struct NameSign {
  std::string_view part;
  FileRole role;
};

/// Parts of names, in the order in which they decide: "edge_features.npy" has features.
constexpr std::array name_signs = {
    NameSign{"feat", FileRole::features}, NameSign{"attr", FileRole::features},
    NameSign{"split", FileRole::splits},  NameSign{"label", FileRole::labels},
    NameSign{"class", FileRole::labels},  NameSign{"target", FileRole::labels},
    NameSign{"edge", FileRole::edges},    NameSign{"link", FileRole::edges},
    NameSign{"cites", FileRole::edges},   NameSign{"adj", FileRole::edges},
    NameSign{"network", FileRole::edges}, NameSign{"graph", FileRole::edges},
};

FileRole role_by_name(const fs::path& path) {
  const std::string stem = lower_case(path.filename().stem().string());
  if (stem == "x") return FileRole::features;
  if (stem == "y") return FileRole::labels;
  for (const NameSign& sign : name_signs) {
    if (stem.find(sign.part) != std::string::npos) return sign.role;
  }
  return FileRole::unknown;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) {
    text += (text.empty() ? "" : " x ") + with_commas(length);
  }
  return text;
}

UserFile look_at_array(const fs::path& path, const Bytes& bytes) {
  std::optional<NdArray> read;
  try {
    read = read_npy(bytes);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return {path, FileRole::unknown, "a damaged array"};
  }
  const NdArray& array = *read;
  UserFile file{.path = path, .what = "an array of " + shape_text(array.shape())};
  const bool by_name = role_by_name(path) == FileRole::labels;
  if (array.dimensions() == 1 || (array.dimensions() == 2 && by_name)) {
    file.role = FileRole::labels;
  } else if (array.dimensions() == 2 && !array.is_text() && !array.is_object()) {
    file.role = FileRole::features;
  }
  return file;
}

UserFile look_at_archive(const fs::path& path, const Bytes& bytes) {
  const FileRole named = role_by_name(path);
  if (named == FileRole::features || named == FileRole::labels) {
    return {path, named, "arrays in an archive"};
  }
  try {
    const DetectedPath detected = detect_path(path);
    return {path, FileRole::graph, std::string(detected.format->name)};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    const ZipArchive archive(bytes);
    const bool labels = archive.find("labels.npy") != nullptr;
    const bool arrays = std::ranges::all_of(
        archive.members(), [](const ZipMember& member) { return member.name.ends_with(".npy"); });
    if (!arrays || archive.members().empty()) return {path, FileRole::unknown, "an archive"};
    return {path, labels ? FileRole::labels : FileRole::features, "arrays in an archive"};
  }
}

/// A sample of a table's rows.
struct Sample {
  std::vector<std::vector<std::string>> rows;
  std::size_t columns = 0;
  bool header = false;      ///< as far as a first row of words above numbers tells
  bool even = true;         ///< all rows have as many columns
  bool numbers = true;      ///< in all columns but the first
  bool keys_once = true;    ///< no first field comes twice
  std::size_t seconds = 0;  ///< distinct second fields
};

Sample sample_of(const TextHead& head, Separator separator) {
  Sample sample;
  std::set<std::string> keys;
  std::set<std::string> seconds;
  for (const TextHead::Row& row : head.rows) {
    sample.rows.push_back(split_row(row.text, separator));
  }
  const auto numeric_behind = [](const std::vector<std::string>& row) {
    return std::all_of(row.begin() + 1, row.end(),
                       [](const std::string& field) { return looks_numeric(field); });
  };
  sample.header = sample.rows.size() > 1 && !looks_numeric(sample.rows[0].back()) &&
                  (looks_numeric(sample.rows[1].back()) ||
                   role_by_name(sample.rows[0].back()) == FileRole::labels);
  for (const auto& row : sample.rows) sample.columns = std::max(sample.columns, row.size());
  for (std::size_t i = sample.header ? 1 : 0; i < sample.rows.size(); ++i) {
    const std::vector<std::string>& row = sample.rows[i];
    sample.even = sample.even && row.size() == sample.columns;
    sample.numbers = sample.numbers && numeric_behind(row);
    sample.keys_once = keys.insert(row.front()).second && sample.keys_once;
    if (row.size() > 1) seconds.insert(row[1]);
  }
  sample.seconds = seconds.size();
  return sample;
}

FileRole role_of_table(const Sample& sample, FileRole named) {
  constexpr std::size_t most_edge_columns = 3;
  if (sample.columns < 2 || !sample.even) return FileRole::unknown;
  if (sample.columns > most_edge_columns) {
    if (named == FileRole::edges) return FileRole::edges;
    return sample.numbers ? FileRole::features : FileRole::unknown;
  }
  if (named == FileRole::features && sample.numbers) return FileRole::features;
  if (named == FileRole::edges) return FileRole::edges;
  if (sample.columns > 2) return FileRole::edges;
  if (named == FileRole::labels) return FileRole::labels;
  const bool called = sample.header && role_by_name(sample.rows.front().back()) == FileRole::labels;
  // Each node once, and some ten nodes or more to a class.
  constexpr std::size_t nodes_per_class = 10;
  const bool few = sample.seconds * nodes_per_class <= sample.rows.size();
  return sample.keys_once && (called || few) ? FileRole::labels : FileRole::edges;
}

UserFile look_at_text(const fs::path& path, const Bytes& bytes) {
  const std::string_view format = detect_path(path).format->name;
  const TextHead head = read_head(bytes, sampled_rows);
  if (head.rows.empty()) return {path, FileRole::unknown, "no rows"};
  const std::string& first = head.rows.front().text;
  if (first.find('{') != std::string::npos) {
    const bool split = bytes.text().find("\"train\"") != std::string_view::npos;
    return {path, split ? FileRole::splits : FileRole::unknown, "JSON"};
  }
  if (format == "toml") return {path, FileRole::unknown, "TOML"};
  const Separator separator = detect_separator(head.rows.back().text);
  const Sample sample = sample_of(head, separator);
  const std::string words =
      separator == Separator::space ? std::string("blanks") : separator_name(separator) + "s";
  return {path, role_of_table(sample, role_by_name(path)),
          (sample.even ? "" : "up to ") +
              counted(static_cast<std::int64_t>(sample.columns), "column") +
              (sample.columns > 1 ? " separated by " + words : "") +
              (sample.header ? ", with a header" : "")};
}

std::string toml_path(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  fs::path relative = fs::proximate(path, folder.empty() ? fs::path(".") : folder, error);
  if (error) relative = path;
  const std::string text = relative.string();
  if (!decode_utf8(text)) {
    fail_input({.what = "TOML cannot hold this name, which is not UTF-8",
                .file = in_quotes(text),
                .hint = "rename the file"});
  }
  return toml_string(text);
}

/// `key = value  # note`
std::string line_of(const std::string& key, const std::string& value, const std::string& note) {
  std::string text = key + " = " + value;
  constexpr std::size_t note_column = 30;
  if (text.size() < note_column) text.resize(note_column, ' ');
  return text + "  # " + note + "\n";
}

}  // namespace

UserFile look_at_user_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return {path, FileRole::graph, std::string(detect_path(path).format->name)};
  }
  const Bytes bytes = map_file(path);
  if (bytes.size() == 0) return {path, FileRole::unknown, "empty"};
  if (is_npy(bytes)) return look_at_array(path, bytes);
  if (is_zip(bytes)) return look_at_archive(path, bytes);
  try {
    const std::string_view format = detect_path(path).format->name;
    if (format != "edge-list" && format != "toml" && format != "wikics") {
      return {path, FileRole::graph, std::string(format)};
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return {path, FileRole::unknown, "neither a table nor an array"};
  }
  return look_at_text(path, bytes);
}

std::string describe_user_dataset(const UserDatasetSpec& spec, const UserFileNotes& notes,
                                  const fs::path& folder) {
  std::string text =
      "# A graph for creg: creg train --dataset, with the name of this file.\n"
      "# Paths are relative to the folder that it is in.\n\n";
  const auto file = [&](const std::string& key, const fs::path& path, const std::string& note,
                        const std::string& example) {
    text += path.empty() ? line_of("# " + key, example, note)
                         : line_of(key, toml_path(path, folder), note);
  };
  file("edges", spec.edges, notes.edges, "");
  file("features", spec.features,
       spec.features.empty() ? "none seen: .npy, .npz, or rows keyed by id" : notes.features,
       "\"features.npy\"");
  file("labels", spec.labels,
       spec.labels.empty() ? "none seen: rows of an id and a label, or .npy" : notes.labels,
       "\"labels.csv\"");
  file("splits", spec.splits.empty() ? fs::path() : spec.splits.front(),
       "train, val and test nodes, as creg data split writes them", "\"split.json\"");
  text += line_of("directed", spec.directed ? "true" : "false", notes.directed);
  text += "\n# What can be said besides, with its default:\n";
  text += line_of("# name", "\"mine\"", "default: the name of this file");
  text += line_of("# nodes", "1000", "only without features: ids are 0 to 999");
  text += line_of("# separator", "\"auto\"", "of the edges: comma, tab, semicolon, space");
  text += line_of("# header", "true", "of the edges; default: recognised");
  text += line_of("# transforms", "[]", "row-normalise, binarise, largest-component …");
  text += line_of("# unknown_ids", "\"error\"", "drop: rows of unknown ids are left out");
  text += line_of("# allow_empty", "false", "true: a file above may hold nothing");
  return text;
}

}  // namespace creg
