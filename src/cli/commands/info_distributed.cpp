#include <fmt/format.h>

#include "cli/commands/info_distributed.h"
#include "comm/link_speed.h"
#include "core/text.h"

namespace creg::cli {

void show_ranks(const Context& context, const GlobalOptions& globals,
                const DistributedOptions& chosen) {
  const RankLaunch launch = launched_rank();
  const Context own = context_of_rank(context, globals, launch);
  with_ranks(own, launch, chosen, [&](const std::shared_ptr<Communicator>& world) {
    const std::vector<std::string> threads = world->all_gather(std::to_string(own.threads()));
    const std::vector<LinkSpeed> speeds = measure_links(*world);
    if (launch.rank > 0) return;
    List ranks;
    Record lines;
    for (int rank = 0; rank < world->size(); ++rank) {
      ranks.emplace_back(Record{
          {"rank", rank}, {"host", world->hosts()[rank]}, {"threads", std::stoi(threads[rank])}});
      lines.push_back({.value = fmt::format("{}, {}", world->hosts()[rank],
                                            counted(std::stoi(threads[rank]), "thread")),
                       .label = fmt::format("rank {}", rank)});
    }
    List links;
    for (const LinkSpeed& speed : speeds) {
      links.emplace_back(Record{{"ranks", List{speed.first, speed.second}},
                                {"seconds", speed.seconds},
                                {"bytes_per_second", speed.bytes_per_second}});
      lines.push_back(
          {.value = fmt::format("{:.0f} us, {}/s each way", 1e6 * speed.seconds,
                                human_bytes(static_cast<std::int64_t>(speed.bytes_per_second))),
           .label = fmt::format("{} with {}", speed.first, speed.second)});
    }
    print_report({.body = {{"launcher", launch.launcher},
                           {"size", launch.size},
                           {"ranks", std::move(ranks)},
                           {"links", std::move(links)},
                           {.value = std::move(lines),
                            .label = fmt::format("{}, started by {}; all see each other:",
                                                 counted(launch.size, "rank"), launch.launcher)}}},
                 globals);
  });
}

}  // namespace creg::cli
