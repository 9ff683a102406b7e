#include "cli/options/distributed_options.h"

namespace creg::cli {

void add_distributed_options(CLI::App& command, DistributedOptions& chosen) {
  command.add_flag("--distributed", chosen.distributed,
                   "Together with the other processes that torchrun, mpirun or srun started "
                   "(docs/distributed.md)");
  command
      .add_option("--dist-timeout", chosen.timeout_seconds,
                  "A process that is not heard of for so long is lost")
      ->type_name("SECONDS")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
}

void add_devices_option(CLI::App& command, DistributedOptions& chosen) {
  command
      .add_option("--devices", chosen.devices,
                  "Start N processes on this machine that train together, as a launcher would: "
                  "with --device cuda one on each GPU, else sharing the cores")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->excludes("--distributed");
}

}  // namespace creg::cli
