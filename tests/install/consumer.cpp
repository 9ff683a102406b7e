#include <creg/graph/splits.h>
#include <creg/io/dataset.h>
#ifdef WITH_TORCH
#include <creg/train/trainer.h>
#endif
#include <dlfcn.h>

#include <filesystem>
#include <iostream>
#include <system_error>

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
  // PyTorch's own libtorch exports a std::filesystem that crashes: it must not be the one in use.
  using RemoveAll = std::uintmax_t (*)(const std::filesystem::path&, std::error_code&);
  const RemoveAll remove_all = &std::filesystem::remove_all;
  Dl_info where{};
  dladdr(reinterpret_cast<void*>(remove_all), &where);
  std::cout << "std::filesystem is in " << where.dli_fname << "\n";
}
