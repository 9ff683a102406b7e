#include "io/text/unknown_ids.h"

#include "core/text.h"
#include "creg/core/error.h"

namespace creg {
namespace {

constexpr std::size_t most_shown = 3;

}  // namespace

void UnknownIdList::add(std::string_view id, const std::function<std::string()>& place) {
  ++count_;
  if (first_.size() < most_shown) first_.push_back({std::string(id), place()});
}

std::string UnknownIdList::shown() const {
  std::vector<std::string> parts;
  for (const Found& found : first_) parts.push_back(in_quotes(found.id) + " (" + found.place + ")");
  const std::int64_t more = count_ - static_cast<std::int64_t>(first_.size());
  if (more > 0) parts.push_back(with_commas(more) + " more");
  return join_words(parts);
}

void UnknownIdList::settle(const Context& context, UnknownIds choice,
                           const std::function<Words()>& words) const {
  if (count_ == 0) return;
  const Words said = words();
  if (choice == UnknownIds::drop) {
    context.log().write(LogLevel::warning, said.file + ": dropped " + counted(count_, "id") +
                                               " that the graph does not have: " + shown());
    return;
  }
  fail_input({.what = count_ == 1 ? "unknown node id" : with_commas(count_) + " unknown node ids",
              .file = said.file,
              .place = first_.front().place + said.column,
              .found = shown(),
              .expected = said.expected,
              .hint = said.hint + (said.hint.empty() ? "" : "; ") +
                      "--unknown-ids drop leaves such rows out"});
}

}  // namespace creg
