// All rows against all centres: the pass that k-means is made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "kernels/rows.h"

namespace creg::learn {

/// Rows of a matrix with what every pass over them needs.
class Points {
 public:
  /// `values` must outlive this object. Numbers that are not finite are an input error.
  Points(const Context& context, const DenseMatrix& values);

  std::int64_t rows() const { return values_.rows; }
  std::int64_t cols() const { return values_.cols; }
  const float* row(std::int64_t i) const { return values_.values.data() + i * values_.cols; }
  double norm_squared(std::int64_t i) const { return norms_[static_cast<std::size_t>(i)]; }
  double largest_norm() const { return largest_norm_; }

  /// Rows per piece of a parallel pass: pieces depend on the number of rows alone.
  std::int64_t piece_rows() const { return piece_rows_; }
  std::int64_t pieces() const { return (rows() + piece_rows_ - 1) / piece_rows_; }

  /// Of the columns' variances (of the population); there is a row and a column.
  double mean_variance(const Context& context) const;

 private:
  const DenseMatrix& values_;
  std::vector<double> norms_;  // squared
  double largest_norm_ = 0;
  std::int64_t piece_rows_ = 1;
};

/// Centres, laid out so that their products with a block of rows are one small matrix product.
class PackedCentres {
 public:
  /// `centres`: k x cols, row-major.
  PackedCentres(std::int64_t cols, std::span<const double> centres);

  std::int64_t k() const { return k_; }

  /// What a pass needs in memory beside the centres; one per thread.
  struct Scratch {
    AlignedVector block;
    AlignedVector products;
  };

  /// Squared distances of a row to all centres, to within `error` of the true ones and of those
  /// that squared_distance gives.
  struct Row {
    std::int64_t index = 0;
    const double* distances = nullptr;
    double error = 0;
  };

  /// Calls use(Row) for each of the listed rows of `points`, in their order.
  template <class Use>
  void for_each(const Points& points, std::span<const std::int32_t> rows, Scratch& scratch,
                const Use& use) const {
    for (std::size_t first = 0; first < rows.size(); first += block_rows) {
      const auto block = rows.subspan(first, std::min(block_rows, rows.size() - first));
      fill_distances(points, block, scratch);
      for (std::size_t i = 0; i < block.size(); ++i) {
        use(Row{.index = block[i],
                .distances = scratch.products.data() + static_cast<std::int64_t>(i) * padded_,
                .error = error(points.norm_squared(block[i]))});
      }
    }
  }

 private:
  static constexpr std::size_t block_rows = 64;

  void fill_distances(const Points& points, std::span<const std::int32_t> rows,
                      Scratch& scratch) const;
  double error(double norm_squared) const;

  std::int64_t cols_;
  std::int64_t k_;
  std::int64_t padded_;
  AlignedVector transposed_;   // cols x padded
  std::vector<double> norms_;  // squared
  double largest_norm_ = 0;
};

/// The nearest centre of a row by PackedCentres' distances, near ties decided by squared_distance,
/// the first of equal ones; with bounds on the distance to it and to all others.
struct Nearest {
  std::int32_t label = 0;
  double upper = 0;  ///< the distance to the nearest is at most this
  double lower = 0;  ///< that to every other is at least this
};
Nearest nearest_of(const Points& points, const PackedCentres::Row& row, std::int64_t k,
                   std::span<const double> centres);

}  // namespace creg::learn
