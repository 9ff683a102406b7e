#include "run/run_record.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {
namespace {

/// Of seeds, threads and epochs between two looks.
constexpr int largest_count = 1000000;

[[noreturn]] void fail_setting(const Setting& setting, const std::string& file,
                               std::string expected) {
  fail_input({.what = "a wrong value for " + in_quotes(setting.key),
              .file = file,
              .place = "line " + std::to_string(setting.line),
              .found = in_quotes(setting.value),
              .expected = std::move(expected)});
}

std::uint64_t whole_number(const Setting& setting, const std::string& file, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto [stop, error] = std::from_chars(setting.value.data(), end, value);
  if (error != std::errc() || stop != end || value < least || value > most) {
    fail_setting(setting, file,
                 "a whole number, " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

double share(const Setting& setting, const std::string& file) {
  double value = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto [stop, error] = std::from_chars(setting.value.data(), end, value);
  const bool inside = value > 0 && value < 1;
  if (error != std::errc() || stop != end || !inside) {
    fail_setting(setting, file, "more than 0 and less than 1");
  }
  return value;
}

template <class E>
E named(const Setting& setting, const std::string& file) {
  const std::optional<E> choice = from_name<E>(setting.value);
  if (!choice) fail_setting(setting, file, join_words(names_of<E>(), " or "));
  return *choice;
}

/// "a+b" as read_settings joins a list.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool read_head(RunRecord& record, const Setting& setting) {
  const std::string& key = setting.key;
  const auto number = [&] {
    return whole_number(setting, record.file, 0, std::numeric_limits<std::uint64_t>::max());
  };
  // What creg train itself takes for these.
  const auto count = [&](int least) {
    return static_cast<int>(whole_number(setting, record.file, static_cast<std::uint64_t>(least),
                                         static_cast<std::uint64_t>(largest_count)));
  };
  if (key == "dataset") {
    record.dataset = setting.value;
  } else if (key == "recipe") {
    record.recipe = setting.value;
  } else if (key == "transforms") {
    record.transforms = listed(setting.value);
  } else if (key == "allow_empty") {
    record.reading.allow_empty = setting.value == "true";
  } else if (key == "unknown_ids") {
    record.reading.unknown_ids = named<UnknownIds>(setting, record.file);
  } else if (key == "seed") {
    record.seed = number();
  } else if (key == "seeds") {
    record.seeds = count(1);
  } else if (key == "threads") {
    record.threads = count(0);
  } else if (key == "device") {
    if (setting.value != "cuda") fail_setting(setting, record.file, "cuda, or no such line");
    record.on_gpu = true;
  } else if (key == "precision") {
    record.precision = named<Precision>(setting, record.file);
  } else if (key == "edge_split") {
    record.edge_split = number();
  } else if (key == "calibrate") {
    record.calibrate = count(0);
  } else if (key == "tensorboard") {
    record.tensorboard = setting.value == "true";
  } else if (key == "pretrain") {
    record.pretrain = setting.value == "true";
  } else if (key == "parts") {
    record.parts = setting.value;
  } else if (key == "pretrain_share") {
    record.pretrain_share = share(setting, record.file);
  } else {
    return false;
  }
  return true;
}

}  // namespace

RunRecord read_record(const Bytes& file) {
  RunRecord record;
  record.file = file.name;
  for (Setting& setting : read_settings(file)) {
    if (!read_head(record, setting)) record.settings.push_back(std::move(setting));
  }
  return record;
}

RunRecord read_record(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "config.toml";
  if (!is_there(path)) {
    fail_input({.what = "no run to resume there",
                .file = directory.string(),
                .expected = "a folder that creg train wrote, with config.toml in it"});
  }
  return read_record(map_file(path));
}

}  // namespace creg
