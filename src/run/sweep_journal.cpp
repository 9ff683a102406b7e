#include "run/sweep_journal.h"

#include <algorithm>
#include <string_view>

#include "creg/core/error.h"
#include "io/json_text.h"
#include "report/writers.h"

namespace creg {
namespace {

using Json = nlohmann::ordered_json;

constexpr double longest_time = 1e12;  // seconds

class SweepReader {
 public:
  SweepReader(const Bytes& file, const std::string& base) : file_(file), base_(base) {}

  std::map<std::string, PointOutcome> run() {
    const std::string_view text = file_.text();
    for (std::size_t begin = 0; begin < text.size(); ++line_) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      read_line(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return std::move(done_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    fail_input(
        {.what = what, .file = file_.name, .place = "line " + std::to_string(line_), .hint = hint});
  }

  void read_line(std::string_view text) {
    const auto json = parse_json<Json>(text);
    if (json.is_discarded() || (line_ == 1 && !json.contains("base"))) {
      fail("not a line of a sweep", "choose another file with --out");
    }
    if (line_ == 1) {
      if (json["base"] != base_) {
        fail("this is another sweep: its dataset, settings or seeds differ",
             "choose another file with --out, or --overwrite this one");
      }
      return;
    }
    try {
      PointOutcome outcome;
      for (const auto& [key, value] : json.at("point").items()) {
        outcome.point.emplace_back(key, value.template get<std::string>());
      }
      outcome.val = rates(json, "val");
      outcome.test = rates(json, "test");
      outcome.seconds = json.at("seconds").get<double>();
      const bool is_time = outcome.seconds >= 0 && outcome.seconds <= longest_time;
      if (outcome.val.empty() || !is_time) {
        fail("not a line of a sweep: it needs validation accuracies, and a time in seconds",
             "choose another file with --out");
      }
      done_[label(outcome.point)] = outcome;
    } catch (const nlohmann::json::exception& error) {
      fail(std::string("not a line of a sweep: ") + error.what(), "choose another file with --out");
    }
  }

  std::vector<double> rates(const Json& json, const char* key) const {
    auto values = json.at(key).get<std::vector<double>>();
    for (const double value : values) {
      if (value >= 0 && value <= 1) continue;
      fail(std::string("not a line of a sweep: ") + key + " has what is no rate from 0 to 1",
           "choose another file with --out");
    }
    return values;
  }

  const Bytes& file_;
  const std::string& base_;
  int line_ = 1;
  std::map<std::string, PointOutcome> done_;
};

bool has_nothing(const std::filesystem::path& path) {
  return is_file(path) && map_file(path).size() == 0;
}

}  // namespace

std::string label(const SweepPoint& point) {
  std::string text;
  for (const auto& [key, value] : point) {
    if (!text.empty()) text += ' ';
    text.append(key).append("=").append(value);
  }
  return text.empty() ? "as it is" : text;
}

Record point_record(const SweepPoint& point) {
  Record out;
  for (const auto& [key, value] : point) out.push_back({key, value});
  return out;
}

bool is_sweep(const std::filesystem::path& path) {
  if (!is_file(path)) return false;
  const Bytes file = map_file(path);
  const std::string_view first = file.text().substr(0, file.text().find('\n'));
  const auto json = parse_json<Json>(first);
  return json.is_object() && json.contains("base");
}

std::map<std::string, PointOutcome> read_sweep(const Bytes& file, const std::string& base) {
  return SweepReader(file, base).run();
}

SweepJournal::SweepJournal(std::filesystem::path path, const std::string& base, bool overwrite)
    : path_(std::move(path)) {
  if (path_.empty()) return;
  // An empty file may be the name that somebody had made for this sweep.
  if (!is_there(path_) || has_nothing(path_) || (overwrite && is_sweep(path_))) {
    text_ = to_json_line({{"base", base}});
    write_file(path_, text_);
    return;
  }
  const Bytes file = map_file(path_);
  text_ = file.text();
  if (!text_.ends_with('\n')) text_ += '\n';
  done_ = read_sweep(file, base);
}

const PointOutcome* SweepJournal::find(const SweepPoint& point) const {
  const auto found = done_.find(label(point));
  return found == done_.end() ? nullptr : &found->second;
}

void SweepJournal::add(const PointOutcome& outcome) {
  if (path_.empty()) return;
  const Record line = {{"point", point_record(outcome.point)},
                       {"val", outcome.val},
                       {"test", outcome.test},
                       {"seconds", outcome.seconds}};
  text_ += to_json_line(line);
  write_file(path_, text_);
}

}  // namespace creg
