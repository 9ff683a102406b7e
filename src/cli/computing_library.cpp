#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cli/computing.h"
#include "core/memory_limits.h"
#include "core/text.h"

namespace creg::cli {
namespace {

// The folders that the loader looks through for this executable.
std::vector<std::string> searched_folders() {
  std::vector<std::string> folders;
  void* const self = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (self == nullptr || dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0) return folders;
  const auto memory =
      std::make_unique<std::max_align_t[]>(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* const info = reinterpret_cast<Dl_serinfo*>(memory.get());
  if (dlinfo(self, RTLD_DI_SERINFOSIZE, info) != 0 || dlinfo(self, RTLD_DI_SERINFO, info) != 0) {
    return folders;
  }
  for (unsigned i = 0; i < info->dls_cnt; ++i) folders.emplace_back(info->dls_serpath[i].dls_name);
  return folders;
}

LoadedLibrary not_loaded() {
  const char* const words = dlerror();
  return {.file = CREG_LIBRARY,
          .problem = words == nullptr ? "the loader does not say why" : words,
          .folders = join_words(searched_folders())};
}

// Libtorch with its libraries and the buffers that OpenBLAS takes while it is loaded, rounded up:
// with less of it the loader fails, or OpenBLAS asks for them again and again without end.
constexpr MappingBytes needed{.address_space = std::int64_t{1} << 30,
                              .data = std::int64_t{1} << 29};

LoadedLibrary no_room(const MemoryLimit& limit) {
  return {
      .file = CREG_LIBRARY,
      .problem =
          fmt::format("too little memory: {} leaves {}", limit.name, human_bytes(limit.bytes)),
      .hint = fmt::format("libtorch alone takes up to {} of address space, {} of data; raise the "
                          "limit, or lift it: ulimit -v unlimited -d unlimited",
                          human_bytes(needed.address_space), human_bytes(needed.data))};
}

// A thread of libgomp that waits for the others first turns in a loop, so that the next piece of
// work finds it awake. Its own loop lasts milliseconds: on a machine with other work to do, waiting
// threads take the time that those they wait for need. This many turns outlast the pauses within
// an epoch (bench/e2e/crowd measures both sides). It is read when the library is loaded.
constexpr const char* turns_before_sleep = "500";

void let_waiting_threads_sleep() {
  for (const char* const wish : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}) {
    if (std::getenv(wish) != nullptr) return;
  }
  setenv("GOMP_SPINCOUNT", turns_before_sleep, 1);
}

}  // namespace

LoadedLibrary load_computing_library() {
  const auto limit = mapping_room().short_of(needed);
  if (limit) return no_room(*limit);
  let_waiting_threads_sleep();
  // As if it had been linked: libtorch may look for its parts among the symbols of all libraries,
  // and functions that nobody calls need not be found.
  void* const library = dlopen(CREG_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
  if (library == nullptr) return not_loaded();
  auto* const run =
      reinterpret_cast<int (*)(int, const char* const*)>(dlsym(library, computing_entry));
  if (run == nullptr) return not_loaded();
  return {.run = run};
}

}  // namespace creg::cli
