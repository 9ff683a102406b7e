#include "cli/command_line.h"

int main(int argc, char** argv) {
  return creg::cli::run(argc, argv);
}
