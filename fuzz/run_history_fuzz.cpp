#include "report/run_history.h"

#include <variant>
#include <vector>

#include "fuzz_support.h"
#include "report/history_figures.h"
#include "report/writers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  fuzz::try_read(data, size, [](const Bytes& bytes) {
    const std::vector<RunHistory> runs = {read_run_history(bytes, bytes.name)};
    // Whatever was read can be drawn and written.
    for (const Chart& chart : history_charts(runs)) {
      std::visit([](const auto& drawing) { to_svg(drawing); }, chart.drawing);
    }
    to_csv(history_table(runs));
  });
  return 0;
}
