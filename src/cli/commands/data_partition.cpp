#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/options/dataset_options.h"
#include "core/memory_limits.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "graph/partition.h"
#include "io/partition_folder.h"
#include "run/open_data.h"

namespace creg::cli {
namespace {

namespace fs = std::filesystem;

struct PartitionChoice {
  DataSpec dataset;
  PartitionOptions options;
  std::string out;
  IfThere if_there = IfThere::refuse;
};

/// Refused before the graph is read or made: who is killed for lack of memory has no message.
/// Guesses refuse nobody; a .creg file is mapped.
void require_partition_room(const Context& context, const PartitionChoice& chosen,
                            const GlobalOptions& globals) {
  const DatasetSize size = measure_data(context, with_data_dir(chosen.dataset, globals));
  if (size.estimated || !chosen.dataset.transforms.empty()) return;
  if (chosen.options.parts > size.graph.nodes) return;  // has a message of its own
  // Of "auto" the one that takes least; the graph is there already when another one is tried.
  const PartitionMethod method = chosen.options.method == PartitionMethod::automatic
                                     ? PartitionMethod::streaming
                                     : chosen.options.method;
  const bool mapped = size.dataset.format == "creg";
  const std::int64_t whole = size.graph.adjacency_bytes + size.graph.feature_bytes;
  // A part at a time, with a halo of its own size at most for all graphs worth dividing.
  constexpr std::int64_t numbers_of_a_node = 12;
  const std::int64_t writing =
      numbers_of_a_node * size.graph.nodes + 2 * whole / std::max(chosen.options.parts, 1);
  const std::int64_t bytes =
      std::max(partition_bytes(method, size.graph), writing) + (mapped ? 0 : whole);
  const MemoryLimit left = memory_left();
  if (bytes <= left.bytes) return;
  const char* hint = "partition it on a larger machine";
  if (method != PartitionMethod::streaming) hint = "--method streaming takes less";
  if (!mapped) hint = "creg data convert NAME graph.creg makes a file that is mapped";
  fail_environment({.what = "partitioning this graph would take more memory than there is",
                    .file = size.dataset.raw.name,
                    .found = human_bytes(bytes),
                    .expected = "at most " + human_bytes(left.bytes) + ", by " + left.name,
                    .hint = hint});
}

/// The most memory that this process has had.
std::int64_t peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr std::int64_t kilobyte = 1024;
  return usage.ru_maxrss * kilobyte;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Table parts_table(const PartitionManifest& manifest) {
  Table table{.columns = {{"part", "part", Unit::count},
                          {"nodes", "nodes", Unit::count},
                          {"entries", "adjacency entries", Unit::count},
                          {"halo", "halo", Unit::count},
                          {"sends", "sends", Unit::count},
                          {"bytes", "file", Unit::bytes}}};
  for (std::size_t p = 0; p < manifest.parts.size(); ++p) {
    const PartitionManifest::Part& part = manifest.parts[p];
    std::int64_t sends = 0;
    for (const PartitionManifest::Part& other : manifest.parts) sends += other.halo_from[p];
    table.rows.push_back({p, part.nodes, part.entries, part.halo, sends, part.file.bytes});
  }
  return table;
}

void partition_dataset(const Context& context, const PartitionChoice& chosen,
                       const GlobalOptions& globals) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  require_dataset(chosen.dataset);
  check_partition_options(chosen.options);
  check_partition_folder(chosen.out, chosen.if_there);
  require_partition_room(context, chosen, globals);
  const Dataset dataset = open_chosen(context, chosen.dataset, globals);
  const Graph graph = prepare_graph(context, dataset, chosen.dataset.transforms);
  CregProvenance provenance{.source = dataset.source, .transforms = dataset.transforms};
  provenance.transforms.insert(provenance.transforms.end(), chosen.dataset.transforms.begin(),
                               chosen.dataset.transforms.end());

  const Clock::time_point start = Clock::now();
  const Partition partition = partition_nodes(context, graph, chosen.options);
  const double seconds = seconds_since(start);
  const PartitionManifest manifest =
      write_partition(context, chosen.out, graph, partition, provenance, chosen.if_there);

  const auto parts = static_cast<std::int64_t>(manifest.parts.size());
  const double balance = share(manifest.most_nodes() * parts, manifest.nodes);
  const Table table = parts_table(manifest);
  const Report report{
      .body = {words(fmt::format("{}: {} by {}, seed {}, in {}", manifest.dataset,
                                 counted(parts, "part"), name_of(manifest.method), manifest.seed,
                                 chosen.out)),
               {"per_part", table},
               {"dataset", manifest.dataset},
               {"nodes", manifest.nodes},
               {"entries", manifest.entries},
               {"directed", manifest.directed},
               {"parts", parts},
               {"method", name_of(manifest.method)},
               {"seed", manifest.seed},
               {"cut_entries", manifest.cut_entries},
               {"cut", share(manifest.cut_entries, manifest.entries), "edges cut", Unit::rate},
               {"halo", manifest.halo(), "halo nodes of all parts", Unit::count},
               {"balance", balance, "largest part, in shares", Unit::decimal},
               {"partition_seconds", seconds, "partitioning", Unit::seconds},
               {"seconds", seconds_since(start), "with writing", Unit::seconds},
               {"memory", peak_memory(), "most memory", Unit::bytes},
               {"out", chosen.out}},
      .table = table};
  print_report(report, globals);
}

}  // namespace

void add_data_partition(CLI::App& data, GlobalOptions& options) {
  CLI::App* command = data.add_subcommand(
      "partition", "A graph in parts with their halos, for training on several machines");
  const auto chosen = std::make_shared<PartitionChoice>();
  add_dataset_options(*command, chosen->dataset);
  command->add_option("--parts", chosen->options.parts, "How many: one per process")
      ->type_name("P")
      ->required();
  command->add_option("--out", chosen->out, "The folder to write")->type_name("DIR")->required();
  command
      ->add_option_function<std::string>(
          "--method",
          [chosen](const std::string& name) {
            chosen->options.method =
                from_name<PartitionMethod>(name).value_or(PartitionMethod::automatic);
          },
          "auto: the first that this build has and that fits into memory [auto]")
      ->type_name("auto|metis|scotch|streaming")
      ->check(CLI::IsMember(names_of<PartitionMethod>()));
  command->add_flag_callback(
      "--overwrite", [chosen] { chosen->if_there = IfThere::replace; },
      "Replace the partition that DIR holds");
  command->callback([chosen, &options] {
    options.action = [chosen, &options](const Context& context) {
      partition_dataset(context, *chosen, options);
    };
  });
}

}  // namespace creg::cli
