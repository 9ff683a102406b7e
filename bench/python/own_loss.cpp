// A loss of a program's own, in C++: the operations of the loss in loss_overhead.py, which runs it
// beside its own. Prints the seconds and the loss of every epoch.
// Usage: bench_own_loss DATASET THREADS KEY=VALUE...
#include <creg/creg.h>
#include <creg/methods/method.h>
#include <torch/types.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace {

class OwnLoss final : public creg::Method {
 public:
  OwnLoss(const creg::MethodOptions& /*options*/, creg::ParameterList& /*parameters*/) {}

  creg::EpochLoss loss(creg::EpochPass& pass) override {
    const at::Tensor h = pass.nodes();
    const at::Tensor s = at::sigmoid(h.mean(0));
    const at::Tensor positive = at::log_sigmoid(h.matmul(s)).mean();
    const at::Tensor negative = at::log_sigmoid(-pass.corrupted().matmul(s)).mean();
    return {.loss = -(positive + negative), .anchors = pass.inputs().nodes};
  }

  bool sees_neighbours() const override { return false; }
};

void print_list(const char* name, const std::vector<creg::EpochStatistics>& epochs,
                double creg::EpochStatistics::*value, const char* end) {
  std::printf("\"%s\": [", name);
  const char* before = "";
  for (const creg::EpochStatistics& epoch : epochs) {
    std::printf("%s%.17g", before, epoch.*value);
    before = ", ";
  }
  std::printf("]%s", end);
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: bench_own_loss DATASET THREADS KEY=VALUE...\n", stderr);
    return 2;
  }
  const creg::Context context({.threads = std::atoi(argv[2])});
  const creg::Data data = creg::load(context, argv[1]);
  creg::RunSpec spec;
  spec.evaluate = false;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    spec.settings[word.substr(0, equals)] =
        equals == std::string::npos ? "true" : word.substr(equals + 1);
  }
  spec.settings["method"] = "own-loss";
  spec.added = std::make_shared<const creg::MethodEntry>(
      creg::MethodEntry{.name = "own-loss",
                        .about = "every node with the mean of all",
                        .encoders = creg::all_graph_encoders(),
                        .corrupts = true,
                        .make = creg::made_by<OwnLoss>});
  const creg::RunResult made = creg::train(context, data, spec);
  const std::vector<creg::EpochStatistics>& epochs = made.seeds.front().training.epochs;
  std::printf("{");
  print_list("seconds", epochs, &creg::EpochStatistics::seconds, ", ");
  print_list("loss", epochs, &creg::EpochStatistics::loss, "}\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
