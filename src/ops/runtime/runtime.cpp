#include "ops/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "core/build_info.h"
#include "core/memory_limits.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "ops/runtime/on_device.h"
#include "ops/torch_compat.h"

namespace creg {
namespace {

/// Libtorch as it is loaded; null where it is part of the program itself.
void* loaded_torch() {
  Dl_info info{};
  auto* const inside = reinterpret_cast<void*>(&at::get_num_threads);
  if (dladdr(inside, &info) == 0 || info.dli_fname == nullptr) return nullptr;
  return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

// OpenBLAS is linked by libtorch, not by us: its functions are looked up in the running process
// and, where Python has loaded libtorch for itself alone, among the libraries of that.
void* find_address(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found != nullptr) return found;
  static void* const torch = loaded_torch();
  return torch == nullptr ? nullptr : dlsym(torch, name);
}

template <class Function>
Function* find_symbol(const char* name) {
  return reinterpret_cast<Function*>(find_address(name));
}

std::string library_of(const char* symbol) {
  Dl_info info{};
  void* address = find_address(symbol);
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(info.dli_fname, ignored);
  return real.empty() ? info.dli_fname : real.string();
}

struct Blas {
  std::string name;
  bool slow = false;
};

Blas find_blas() {
  if (at::hasMKL()) return {.name = "MKL"};
  if (auto* config = find_symbol<char*()>("openblas_get_config")) return {.name = config()};
  const std::string library = library_of("sgemm_");
  if (library.empty()) return {.name = "built into libtorch"};
  return {.name = library,
          .slow = std::filesystem::path(library).filename().string().starts_with("libblas")};
}

/// What libtorch, OpenMP and OpenBLAS will yet map for the Context's threads, as measured: 7
/// threads in pools for each after the first, each with a stack, a heap now and then and its share
/// of OpenBLAS's buffers, and one such buffer of 128 MiB.
MappingBytes yet_to_map(const Context& context, const MappingRoom& room) {
  constexpr std::int64_t mib = std::int64_t{1} << 20;
  constexpr std::int64_t pools = 7;
  const std::int64_t threads = 1 + pools * (context.threads() - 1);
  const std::int64_t to_come = std::max<std::int64_t>(threads - room.threads, 0);
  return {.address_space = (128 + 48 * to_come) * mib, .data = (128 + 28 * to_come) * mib};
}

Gpus find_gpus() {
#ifdef CREG_HAS_CUDA
  return cuda::list_gpus();
#else
  return {.problem = "this creg was built without CUDA",
          .hint = "build it against a libtorch for CUDA, or compute with --device cpu"};
#endif
}

/// The device is not there, or no use: why.
[[noreturn]] void fail_no_gpu(const Device& wanted, const TorchRuntime& runtime) {
  ErrorDetail detail{.what = "this machine and build have no such device",
                     .file = "--device",
                     .found = wanted.name(),
                     .expected = join_words(runtime.devices)};
  const Gpus& gpus = runtime.gpus;
  const auto index = static_cast<std::size_t>(wanted.index);
  if (!gpus.problem.empty()) {
    detail.what = "no GPU to compute on: " + gpus.problem;
    detail.hint = gpus.hint;
  } else if (index < gpus.found.size()) {
    detail.what = "this GPU is too old for creg";
    detail.found = wanted.name() + ", " + gpus.found[index].name + ", of compute capability " +
                   gpus.found[index].capability;
    detail.expected = "8.0 or newer, or another of " + join_words(runtime.devices);
  }
  fail_input(detail);
}

}  // namespace

MemoryLimit tensor_memory_left(const Context& context) {
#ifdef CREG_HAS_CUDA
  if (context.device().type == DeviceType::cuda) {
    return {.bytes = cuda::free_memory(context.device().index),
            .name = "what is free on " + context.device().name()};
  }
#endif
  return memory_left(yet_to_map(context, mapping_room()));
}

std::string build_name() {
  const BuildInfo build = build_info();
  return "creg " + build.version + " " + build.sources + ", libtorch " TORCH_VERSION;
}

std::optional<std::int64_t> free_on_gpu([[maybe_unused]] int index) {
#ifdef CREG_HAS_CUDA
  try {
    return cuda::free_memory(index);
  } catch (const std::runtime_error&) {
    // Another's alone, or not there.
  }
#endif
  return std::nullopt;
}

TorchRuntime torch_without_gpus() {
  const Blas blas = find_blas();
  return {.version = TORCH_VERSION,
          .blas = blas.name,
          .slow_blas = blas.slow,
          .cpu_capability = compat::cpu_capability(),
          .gpus = {},
          .devices = {"cpu"}};
}

TorchRuntime torch_runtime() {
  TorchRuntime runtime = torch_without_gpus();
  runtime.gpus = find_gpus();
  for (std::size_t i = 0; i < runtime.gpus.found.size(); ++i) {
    if (!runtime.gpus.found[i].usable) continue;
    const Device device{.type = DeviceType::cuda, .index = static_cast<int>(i)};
    runtime.devices.push_back(device.name());
  }
  return runtime;
}

Device best_device() {
  const Gpus gpus = find_gpus();
  for (std::size_t i = 0; i < gpus.found.size(); ++i) {
    if (gpus.found[i].usable) {
      return {.type = DeviceType::cuda, .index = static_cast<int>(i)};
    }
  }
  return {};
}

std::string better_openblas_kernels(std::string_view kernels, std::string_view instruction_set) {
  constexpr std::array<std::string_view, 6> wide = {"Haswell",  "Zen",        "Excavator",
                                                    "SkylakeX", "Cooperlake", "SapphireRapids"};
  for (const std::string_view name : wide) {
    if (kernels == name) return {};
  }
  if (instruction_set == "AVX-512") return "SkylakeX";
  if (instruction_set == "AVX2") return "Haswell";
  return {};
}

std::string missed_blas_kernels() {
  auto* kernels = find_symbol<char*()>("openblas_get_corename");
  if (kernels == nullptr || std::getenv("OPENBLAS_CORETYPE") != nullptr) return {};
  return better_openblas_kernels(kernels(), build_info().instruction_set);
}

void set_product_precision(Precision precision) {
  at::globalContext().setAllowTF32CuBLAS(precision != Precision::fp32);
}

ProcessSettings process_settings() {
  ProcessSettings settings;
  settings.torch_threads = at::get_num_threads();
  if (auto* get_threads = find_symbol<int()>("openblas_get_num_threads")) {
    settings.blas_threads = get_threads();
  }
  settings.tf32 = at::globalContext().allowTF32CuBLAS();
  return settings;
}

void put_back(const ProcessSettings& settings) {
  at::set_num_threads(settings.torch_threads);
  auto* const set_threads = find_symbol<void(int)>("openblas_set_num_threads");
  if (set_threads != nullptr && settings.blas_threads > 0) set_threads(settings.blas_threads);
  at::globalContext().setAllowTF32CuBLAS(settings.tf32);
}

void prepare_torch(const Context& context) {
  // Libtorch waits without end for threads that cannot start, OpenBLAS for buffers.
  const MappingRoom room = mapping_room();
  const MappingBytes needed = yet_to_map(context, room);
  if (const std::optional<MemoryLimit> limit = room.short_of(needed)) {
    fail_environment({.what = "too little memory for " + counted(context.threads(), "thread"),
                      .found = human_bytes(limit->bytes) + ", by " + limit->name,
                      .expected = "at least " + human_bytes(needed.address_space) +
                                  " of address space, " + human_bytes(needed.data) + " of data",
                      .hint = "fewer --threads, or a higher limit"});
  }
  set_product_precision(context.precision());
  at::set_num_threads(context.threads());
  if (auto* set_threads = find_symbol<void(int)>("openblas_set_num_threads")) {
    set_threads(context.threads());
  }
  // A run on the CPU is not to fail by a GPU.
  const bool on_cpu = context.device().type == DeviceType::cpu;
  const TorchRuntime runtime = on_cpu ? torch_without_gpus() : torch_runtime();
  if (runtime.slow_blas) {
    context.log().write(LogLevel::warning, "libtorch runs on the reference BLAS (" + runtime.blas +
                                               "), about fifty times slower than OpenBLAS; "
                                               "install libopenblas0-openmp");
  }
  if (const std::string kernels = missed_blas_kernels(); !kernels.empty()) {
    context.log().write(LogLevel::warning,
                        "OpenBLAS does not know this processor and is several times slower than it "
                        "could be; start with OPENBLAS_CORETYPE=" +
                            kernels + " in the environment");
  }
  const std::string wanted = context.device().name();
  const auto& devices = runtime.devices;
  if (std::find(devices.begin(), devices.end(), wanted) == devices.end()) {
    fail_no_gpu(context.device(), runtime);
  }
}

void with_one_blas_thread(const std::function<void()>& body) {
  // It keeps to one inside a parallel region.
  torch_workers().for_pieces(1, [&](std::int64_t, std::int64_t) { body(); });
}

}  // namespace creg
