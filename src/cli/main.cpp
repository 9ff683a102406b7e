#include "cli/commands.h"
#include "cli/computing.h"

int main(int argc, char** argv) {
  using namespace creg::cli;
#ifdef CREG_LIBRARY
  return run(argc, argv, {.commands = plain_commands(), .load_library = load_computing_library});
#else
  return run(argc, argv, {.commands = plain_commands()});
#endif
}
