#include "report/run_history.h"

#include <vector>

#include "fuzz_support.h"
#include "report/history_figures.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  fuzz::try_read(data, size, [](const Bytes& bytes) {
    const std::vector<RunHistory> runs = {read_run_history(bytes, bytes.name)};
    // Whatever was read can be drawn.
    for (const HistoryFigure& figure : history_figures()) {
      if (const auto chart = history_chart(figure, runs)) to_svg(*chart);
    }
    history_csv(runs);
  });
  return 0;
}
