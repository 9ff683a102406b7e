#include "cli/run.h"

int main(int argc, char** argv) {
  return creg::cli::run(argc, argv);
}
