// One binary, several instruction sets: a kernel marked CREG_TARGET_CLONES is compiled for
// AVX-512, AVX2 with FMA and the baseline, and the loader picks the best this machine has.
//
// Only the marked function and what is inlined into it are cloned. A lambda inside it would be
// compiled for the baseline alone: keep kernels plain loops, and their helpers CREG_INLINE.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define CREG_TARGET_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CREG_TARGET_CLONES
#endif

#define CREG_INLINE inline __attribute__((always_inline))
