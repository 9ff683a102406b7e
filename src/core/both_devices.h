// Mathematics that all devices share is written once: marked CREG_BOTH it is compiled for the CPU,
// and by nvcc for the GPU too.
#pragma once

#ifdef __CUDACC__
#define CREG_BOTH __host__ __device__
#else
#define CREG_BOTH
#endif
