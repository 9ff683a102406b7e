#include <creg/graph/edge_split.h>
#include <creg/io/dataset.h>
#ifdef WITH_TORCH
#include <creg/train/trainer.h>
#endif
#include <iostream>

int main() {
  const creg::Context context;
  const creg::Dataset dataset = creg::open_dataset(context, "synthetic:cora", "");
#ifdef WITH_TORCH
  creg::TrainConfig config;
  config.epochs = 1;
  config.encoder.dim = 8;
  creg::train(context, creg::prepare_graph(context, dataset), config);
#endif
  std::cout << creg::distinct_edges(context, dataset.raw.adjacency).size() << "\n";
}
