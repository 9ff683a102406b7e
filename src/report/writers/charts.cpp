#include <system_error>

#include "creg/core/error.h"
#include "io/file.h"
#include "report/writers.h"

namespace creg {

std::vector<std::filesystem::path> write_charts(const std::filesystem::path& directory,
                                                const Report& report, const ChartFiles& how) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) fail_errno(error.value(), "cannot make the folder of the figures", directory.string());
  std::vector<std::filesystem::path> written;
  const auto write = [&](const std::string& name, const std::string& text) {
    written.push_back(directory / name);
    write_file(written.back(), text);
  };
  for (const Chart& chart : report.charts) {
    for (const FigureFormat format : how.formats) {
      write(chart.name + "." + name_of(format),
            std::visit([&](const auto& one) { return draw_chart(one, how.style, format); },
                       chart.drawing));
    }
    if (const auto* diagram = std::get_if<ReliabilityDiagram>(&chart.drawing)) {
      write(chart.name + ".csv", to_csv(bins_table(diagram->bins)));
    }
  }
  return written;
}

}  // namespace creg
