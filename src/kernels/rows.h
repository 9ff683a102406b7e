// The arithmetic of linear classifiers on blocks of rows, in double: two matrix products and the
// residuals between them. Plain functions, compiled for several instruction sets.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace creg::learn {

/// Columns of coefficients and scores come in multiples of this; the ones beyond the last output
/// are zero.
inline constexpr std::int64_t column_group = 8;

inline std::int64_t padded_columns(std::int64_t outputs) {
  return (outputs + column_group - 1) / column_group * column_group;
}

/// Vectors whose data begin at a cache line, so that no load of the kernels crosses one.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  bool operator==(const CacheLineAllocator&) const = default;
};
using AlignedVector = std::vector<double, CacheLineAllocator<double>>;

/// out[i, j] += sum over k of a[i * row_stride + k * depth_stride] * b[k * cols + j], for i below
/// `rows`, k below `depth` and j below `cols`, a multiple of column_group. With (stride, 1) that is
/// A * B, with (1, stride) the transpose of A times B.
void add_product(std::int64_t rows, std::int64_t depth, std::int64_t cols, const double* a,
                 std::int64_t row_stride, std::int64_t depth_stride, const double* b, double* out);

/// Rows of features as doubles with a 1 after the last, `stride` apart.
void widen_row(const float* row, std::int64_t features, double* out);

/// Scores of `rows` rows become the derivatives of -log softmax at the target by the scores;
/// returns the sum of those losses. `cols` columns, of which `outputs` count.
double softmax_residuals(std::int64_t rows, std::int64_t outputs, std::int64_t cols,
                         const std::int32_t* targets, double* scores);

/// The same for independent logistic losses, one per column: the target of column j is 1 where
/// targets[i] == first_class + j, else 0. Adds each column's loss to losses[j]. Where `curvature`
/// is not null it receives the second derivatives.
void logistic_residuals(std::int64_t rows, std::int64_t outputs, std::int64_t cols,
                        const std::int32_t* targets, std::int32_t first_class, double* scores,
                        double* losses, double* curvature);

/// Adds each column's logistic loss at scores + step[j] * direction to losses[j].
void logistic_losses_along(std::int64_t rows, std::int64_t outputs, std::int64_t cols,
                           const std::int32_t* targets, std::int32_t first_class,
                           const double* scores, const double* direction, const double* step,
                           double* losses);

}  // namespace creg::learn
