#include "io/node_lookup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"
#include "io/text/name_lookup.h"

namespace creg {
namespace {

std::string read_standard_input(const Context& context) {
  std::string text;
  std::array<char, 1 << 16> part{};
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, part.data(), part.size());
    if (got > 0) {
      text.append(part.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      return text;
    } else if (errno == EINTR) {
      context.throw_if_stopped();
    } else {
      fail_errno(errno, "cannot read", "standard input");
    }
  }
}

}  // namespace

std::vector<std::int32_t> find_nodes(const Context& context, const NodeNames& names,
                                     std::int64_t nodes, std::span<const std::string> wanted,
                                     const std::string& file) {
  const NameLookup lookup(context, names, nodes);
  if (!lookup.unique()) {
    fail_input({.what = "nodes are looked for by name, and some have the same one",
                .file = file,
                .expected = "names that differ, of at most 65,535 bytes"});
  }
  std::vector<std::int32_t> found;
  found.reserve(wanted.size());
  for (const std::string& name : wanted) {
    const std::int32_t node = lookup.find(name);
    if (node < 0) {
      fail_input({.what = "unknown node",
                  .file = file,
                  .found = in_quotes(name),
                  .expected = names.empty()
                                  ? fmt::format("0 to {}", nodes - 1)
                                  : fmt::format("the name of one of the {}, such as {}",
                                                counted(nodes, "node"), in_quotes(names[0])),
                  .hint = names.empty() ? "" : nearest_name_hint(names, name)});
    }
    found.push_back(node);
  }
  return found;
}

std::vector<std::string> read_name_list(const Context& context, const std::filesystem::path& path) {
  const Bytes bytes = path == "-"
                          ? Bytes::from_string(read_standard_input(context), "standard input")
                          : map_file(path);
  std::vector<std::string> names;
  std::string_view text = bytes.text();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) names.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (names.empty()) {
    fail_input({.what = "no node is named",
                .file = bytes.name,
                .expected = "the names of nodes, one a line"});
  }
  return names;
}

}  // namespace creg
