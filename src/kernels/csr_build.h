// Sparse matrices made of others on a GPU. (On the CPU graph/ has the same over arrays.)
//
// No size goes to the host: a result has places for as many entries as there can be, its offsets
// say how many there are, and what lies behind the last one is not written. Columns ascend in every
// row of what goes in, but for transpose_rows, and of what comes out.
#pragma once

#include <cstdint>

#include "creg/core/random.h"
#include "graph/self_loops.h"
#include "kernels/launch.h"

namespace creg::kernels {

struct CsrRows {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t places = 0;                ///< for entries; as many as offsets says are used
  const std::int64_t* offsets = nullptr;  ///< [rows + 1]
  const std::int32_t* columns = nullptr;
  const float* values = nullptr;  ///< null: ones
};

/// Where a matrix is written to.
struct NewCsrRows {
  std::int64_t* offsets = nullptr;
  std::int32_t* columns = nullptr;
  float* values = nullptr;  ///< null: none are wanted
};

/// Entry number i of row r goes where draw i of the key's stream, with r added to its item, is
/// below its chance.
struct EntryChances {
  RandomKey key;
  const float* own = nullptr;  ///< per entry; null: all have `shared`
  double shared = 0;
};

}  // namespace creg::kernels

namespace creg::cuda {

/// As many places as the matrix has.
void transpose_rows(const Launch& launch, const kernels::CsrRows& matrix,
                    const kernels::NewCsrRows& out);
/// Repeats are summed; places for one entry more per row, but for SelfLoops::as_stored.
void add_self_loops(const Launch& launch, const kernels::CsrRows& matrix, SelfLoops loops,
                    const kernels::NewCsrRows& out);
/// values[e] of row i and column j becomes s_i·s_j times itself, with s = 1/√(the row's sum), and 0
/// where that sum is 0; not a number where it is negative. Of a square matrix.
void scale_both_ways(const Launch& launch, const kernels::CsrRows& matrix, float* values);
/// values[e] divided by its row's sum, where that is not 0.
void scale_rows(const Launch& launch, const kernels::CsrRows& matrix, float* values);
/// As many places as the matrix has.
void drop_entries(const Launch& launch, const kernels::CsrRows& matrix,
                  const kernels::EntryChances& chances, const kernels::NewCsrRows& out);

}  // namespace creg::cuda
