#include "cli/commands.h"

namespace creg::cli {

void add_commands(CLI::App& app, GlobalOptions& options) {
#ifdef CREG_HAS_TORCH
  add_demo(app, options);
#endif
  add_data(app, options);
#ifdef CREG_HAS_TORCH
  add_train(app, options);
  add_embed(app, options);
  add_pretrain(app, options);
  add_finetune(app, options);
  add_sweep(app, options);
  add_eval(app, options);
  add_calibrate(app, options);
  add_bench(app, options);
#endif
  add_history(app, options);
  add_info(app, options);
}

#ifdef CREG_HAS_TORCH
void add_bench(CLI::App& app, GlobalOptions& options) {
  CLI::App* bench = app.add_subcommand(
      "bench",
      "Times, side by side with plain libtorch: epochs, InfoNCE, sampling, similarities, products");
  bench->require_subcommand(1);
  bench->fallthrough();
  add_bench_epoch(*bench, options);
  add_bench_infonce(*bench, options);
  add_bench_sample(*bench, options);
  add_bench_select(*bench, options);
  add_bench_spmm(*bench, options);
}
#endif

void add_data(CLI::App& app, GlobalOptions& options) {
  CLI::App* data = app.add_subcommand("data", "Datasets: list, get, inspect, convert, split");
  data->require_subcommand(1);
  data->fallthrough();
  add_data_list(*data, options);
  add_data_get(*data, options);
  add_data_info(*data, options);
  add_data_convert(*data, options);
  add_data_split(*data, options);
}

#ifdef CREG_HAS_TORCH
void add_eval(CLI::App& app, GlobalOptions& options) {
  CLI::App* eval = app.add_subcommand("eval", "Evaluate an embedding: classify, cluster, link");
  eval->require_subcommand(1);
  eval->fallthrough();
  add_eval_classify(*eval, options);
  add_eval_cluster(*eval, options);
  add_eval_link(*eval, options);
}
#endif

}  // namespace creg::cli
