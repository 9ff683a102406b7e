// Reads an edge list of ten million rows that it first writes to a temporary file.
//   bench_edge_list [edges] [nodes] [names|integers] [plain|gzip]
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/random.h"
#include "io/formats/edge_list.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Rows of "user-<number>,user-<number>" whose ends are uniform: the worst case for caches.
std::string make_text(const creg::Context& context, std::int64_t edges, std::uint64_t nodes,
                      bool names) {
  constexpr std::int64_t piece = 1 << 16;
  const std::int64_t pieces = (edges + piece - 1) / piece;
  std::vector<std::string> texts(static_cast<std::size_t>(pieces));
  creg::parallel_tasks(context, pieces, [&](std::int64_t p) {
    creg::RandomStream random(0, creg::Purpose::test, 0, static_cast<std::uint64_t>(p));
    std::string& text = texts[static_cast<std::size_t>(p)];
    const char* prefix = names ? "user-" : "";
    for (std::int64_t e = p * piece; e < std::min(edges, (p + 1) * piece); ++e) {
      text += prefix + std::to_string(random.below(nodes)) + "," + prefix +
              std::to_string(random.below(nodes)) + "\n";
    }
  });
  std::string whole;
  for (std::string& text : texts) {
    whole += text;
    text = {};
  }
  return whole;
}

void write_gzip(const std::filesystem::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb1");
  for (std::size_t at = 0; at < text.size(); at += 1 << 20) {
    gzwrite(file, text.data() + at,
            static_cast<unsigned>(std::min<std::size_t>(1 << 20, text.size() - at)));
  }
  gzclose(file);
}

rusage usage_now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

std::int64_t peak_bytes() {
  return static_cast<std::int64_t>(usage_now().ru_maxrss) * 1024;
}

// Of all threads: says more than the wall clock does on a machine that others use too.
double processor_seconds() {
  const rusage usage = usage_now();
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto argument = [&](std::size_t i, const std::string& otherwise) {
    return i < arguments.size() ? arguments[i] : otherwise;
  };
  const std::int64_t edges = std::stoll(argument(0, "10000000"));
  const std::uint64_t nodes = std::stoull(argument(1, "1000000"));
  const bool names = argument(2, "names") == "names";
  const bool gzip = argument(3, "plain") == "gzip";

  const creg::Context context;
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("creg-bench-edges-" + std::to_string(getpid()) + ".csv");
  // A child writes the file, so that the peak memory is that of reading alone.
  if (fork() == 0) {
    const creg::Context own;
    const std::string text = make_text(own, edges, nodes, names);
    if (gzip) {
      write_gzip(path, text);
    } else {
      creg::write_file(path, text);
    }
    _exit(0);
  }
  int status = 0;
  wait(&status);

  std::vector<double> times;
  creg::EdgeList list;
  constexpr int repetitions = 3;
  const double processor_before = processor_seconds();
  for (int i = 0; i < repetitions; ++i) {
    list = {};
    const auto start = Clock::now();
    list = creg::read_edge_list(context, creg::map_file(path));
    times.push_back(seconds_since(start));
  }
  const double processor = (processor_seconds() - processor_before) / repetitions;
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf(
      "%s rows, %s nodes, %s of %s, %d threads\n", creg::with_commas(list.edges()).c_str(),
      creg::with_commas(list.nodes).c_str(),
      creg::human_bytes(static_cast<std::int64_t>(std::filesystem::file_size(path))).c_str(),
      gzip ? "gzip" : "text", context.threads());
  std::printf("median %.2f s: %.2f million edges/s; processor %.2f s; peak memory %s\n", median,
              static_cast<double>(list.edges()) / median / 1e6, processor,
              creg::human_bytes(peak_bytes()).c_str());
  std::filesystem::remove(path);
  return 0;
}
