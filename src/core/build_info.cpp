#include "core/build_info.h"

#include <source_id.inc>

namespace creg {
namespace {

std::string instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
    return "AVX-512";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "AVX2";
  return "x86-64 baseline";
#else
  return "baseline";
#endif
}

}  // namespace

BuildInfo build_info() {
  return {
    .version = CREG_VERSION, .sources = CREG_SOURCE_ID,
#if defined(__clang__)
    .compiler = "clang " __clang_version__,
#else
    .compiler = "gcc " __VERSION__,
#endif
    .build_type = CREG_BUILD_TYPE, .sanitizers = CREG_SANITIZERS,
#ifdef CREG_HAS_OPENSSL
    .openssl = true,
#endif
#ifdef CREG_HAS_CURL
    .curl = true,
#endif
#ifdef CREG_HAS_SQLITE
    .sqlite = true,
#endif
#ifdef CREG_HAS_METIS
    .metis = true,
#endif
#ifdef CREG_HAS_SCOTCH
    .scotch = true,
#endif
#ifdef CREG_HAS_FAISS
    .faiss = true,
#endif
    .instruction_set = instruction_set()
  };
}

}  // namespace creg
