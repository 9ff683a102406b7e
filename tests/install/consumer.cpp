#include <creg/graph/stats.h>
#include <creg/io/dataset.h>
#ifdef WITH_TORCH
#include <creg/ops/runtime.h>
#endif
#include <iostream>

int main() {
  const creg::Context context;
  const creg::Dataset dataset = creg::open_dataset(context, "synthetic:cora", "");
#ifdef WITH_TORCH
  creg::prepare_torch(context);
#endif
  std::cout << creg::graph_stats(context, dataset.raw).edges << "\n";
}
