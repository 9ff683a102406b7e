#include "graph/partition.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/memory_limits.h"
#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/log.h"
#include "graph/partition/metis.h"
#include "graph/partition/pattern.h"
#include "graph/partition/scotch.h"
#include "graph/partition/streaming.h"

namespace creg {
namespace {

constexpr std::int64_t cut_grain = 1 << 13;
// From about ten seconds on people want to know what they wait for.
constexpr std::int64_t entries_to_wait_for = 20'000'000;
constexpr std::array real_methods = {PartitionMethod::metis, PartitionMethod::scotch,
                                     PartitionMethod::streaming};

void check_options(const Graph& graph, const PartitionOptions& options) {
  check_partition_options(options);
  if (options.parts > graph.nodes()) {
    fail_input({.what = "there would be more parts than nodes",
                .file = "--parts",
                .found = counted(options.parts, "part") + " of " + counted(graph.nodes(), "node"),
                .expected = "a node or more for each part"});
  }
}

std::vector<std::int32_t> owners_by(const Context& context, PartitionMethod method,
                                    const CsrMatrix& pattern, const PartitionOptions& options) {
  std::vector<std::int32_t> owners(static_cast<std::size_t>(pattern.rows), 0);
  if (options.parts == 1) return owners;
  if (method == PartitionMethod::streaming) {
    return detail::streaming_owners(context, pattern, options.parts, options.slack);
  }
  if (pattern.nonzeros() > entries_to_wait_for) {
    context.log().write(LogLevel::notice,
                        name_of(method) + " is at work on " + with_commas(pattern.nonzeros()) +
                            " adjacency entries; it notices Ctrl-C when it is done");
  }
  // Nothing to cut, which METIS does not expect.
  if (pattern.nonzeros() == 0) {
    for (std::size_t i = 0; i < owners.size(); ++i) {
      owners[i] =
          static_cast<std::int32_t>(i * static_cast<std::size_t>(options.parts) / owners.size());
    }
  } else if (method == PartitionMethod::metis) {
    owners = detail::metis_owners(pattern, options.parts, options.slack, context.seed());
  } else {
    owners = detail::scotch_owners(pattern, options.parts, options.slack, context.seed());
  }
  context.throw_if_stopped();
  return owners;
}

// A part without nodes gets one of the largest part: a process must have something to do.
void fill_empty_parts(std::vector<std::int32_t>& owners, int parts) {
  std::vector<std::int64_t> sizes = part_sizes(owners, parts);
  std::int64_t node = static_cast<std::int64_t>(owners.size()) - 1;
  for (int empty = 0; empty < parts; ++empty) {
    if (sizes[static_cast<std::size_t>(empty)] > 0) continue;
    const auto largest = std::max_element(sizes.begin(), sizes.end());
    const auto giver = static_cast<std::int32_t>(largest - sizes.begin());
    node = static_cast<std::int64_t>(owners.size()) - 1;
    while (owners[static_cast<std::size_t>(node)] != giver) --node;
    owners[static_cast<std::size_t>(node)] = empty;
    --*largest;
    ++sizes[static_cast<std::size_t>(empty)];
  }
}

[[noreturn]] void refuse_missing(PartitionMethod method) {
  std::vector<std::string> built;
  for (const PartitionMethod other : real_methods) {
    if (has_partition_method(other)) built.push_back(name_of(other));
  }
  fail_input({.what = "this build has no " + name_of(method),
              .file = "--method",
              .found = name_of(method),
              .expected = join_words(built, " or "),
              .hint = method == PartitionMethod::metis ? "install libmetis-dev and build again"
                                                       : "install libscotch-dev and build again"});
}

}  // namespace

void check_partition_options(const PartitionOptions& options) {
  if (options.parts < 1 || options.parts > most_parts) {
    fail_input({.what = "the number of parts is out of range",
                .file = "--parts",
                .found = std::to_string(options.parts),
                .expected = "1 to " + with_commas(most_parts)});
  }
  if (!has_partition_method(options.method)) refuse_missing(options.method);
}

bool has_partition_method(PartitionMethod method) {
  if (method == PartitionMethod::metis) return detail::metis_most_entries() > 0;
  return method != PartitionMethod::scotch || detail::has_scotch();
}

bool partition_method_counts(PartitionMethod method, std::int64_t entries) {
  return method != PartitionMethod::metis || entries <= detail::metis_most_entries();
}

std::int64_t partition_bytes(PartitionMethod method, const GraphSize& size) {
  // Per node and per entry. Measured at their peaks on synthetic:products and rounded up.
  std::int64_t of_node = 0;
  std::int64_t of_entry = 0;
  switch (method) {
    case PartitionMethod::metis:
      of_node = 64;
      of_entry = 44;
      break;
    case PartitionMethod::scotch:
      of_node = 128;
      of_entry = 88;
      break;
    case PartitionMethod::automatic:
    case PartitionMethod::streaming:
      of_node = 80;
      of_entry = 6;
      break;
  }
  // Of a directed graph the other directions are added first.
  const std::int64_t entries = size.directed ? 2 * size.entries : size.entries;
  const std::int64_t pattern = size.directed ? 8 * size.nodes + 12 * size.entries : 0;
  return of_node * size.nodes + of_entry * entries + pattern;
}

PartitionMethod choose_partition_method(PartitionMethod asked, const GraphSize& size) {
  const MemoryLimit left = memory_left();
  const auto fits = [&](PartitionMethod method) {
    return partition_bytes(method, size) <= left.bytes;
  };
  if (asked == PartitionMethod::automatic) {
    asked = PartitionMethod::streaming;
    for (const PartitionMethod method : real_methods) {
      if (has_partition_method(method) && partition_method_counts(method, size.entries) &&
          fits(method)) {
        asked = method;
        break;
      }
    }
  }
  if (!has_partition_method(asked)) refuse_missing(asked);
  if (!partition_method_counts(asked, size.entries)) {
    fail_input({.what = "METIS counts edges by 32 bits, and this graph has more",
                .file = "--method metis",
                .found = with_commas(size.entries) + " adjacency entries",
                .expected = "at most " + with_commas(detail::metis_most_entries()),
                .hint = "--method scotch or streaming takes it"});
  }
  if (!fits(asked)) {
    fail_environment(
        {.what = "partitioning by " + name_of(asked) + " would take more memory than there is",
         .file = "--method " + name_of(asked),
         .found = human_bytes(partition_bytes(asked, size)),
         .expected = "at most " + human_bytes(left.bytes) + ", by " + left.name,
         .hint = asked == PartitionMethod::streaming ? "partition it on a larger machine"
                                                     : "--method streaming takes less"});
  }
  return asked;
}

Partition partition_nodes(const Context& context, const Graph& graph,
                          const PartitionOptions& options) {
  check_options(graph, options);
  const PartitionMethod method = choose_partition_method(options.method, size_of(graph));
  const CsrMatrix pattern = detail::undirected_pattern(context, graph);
  std::vector<std::int32_t> owners = owners_by(context, method, pattern, options);
  invariant(std::all_of(owners.begin(), owners.end(),
                        [&](std::int32_t owner) { return owner >= 0 && owner < options.parts; }),
            "every node belongs to a part");
  fill_empty_parts(owners, options.parts);
  return {.parts = options.parts, .method = method, .owners = std::move(owners)};
}

std::int64_t cut_entries(const Context& context, const CsrMatrix& adjacency,
                         std::span<const std::int32_t> owners) {
  std::atomic<std::int64_t> cut = 0;
  parallel_for(context, 0, adjacency.rows, cut_grain, [&](std::int64_t first, std::int64_t last) {
    std::int64_t count = 0;
    for (std::int64_t u = first; u < last; ++u) {
      const std::int32_t own = owners[static_cast<std::size_t>(u)];
      for (const std::int32_t v : adjacency.row(u)) {
        count += owners[static_cast<std::size_t>(v)] != own ? 1 : 0;
      }
    }
    cut += count;
  });
  return cut;
}

std::vector<std::int64_t> part_sizes(std::span<const std::int32_t> owners, int parts) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), 0);
  for (const std::int32_t owner : owners) ++sizes[static_cast<std::size_t>(owner)];
  return sizes;
}

}  // namespace creg
