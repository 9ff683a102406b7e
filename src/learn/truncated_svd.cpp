#include "learn/truncated_svd.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "learn/row_blocks.h"

namespace creg {
namespace {

// Vectors of a block beyond those wanted: they decide how fast the last wanted one converges.
constexpr std::int64_t extra_vectors = 6;
// The space starts anew from its best vectors before it has more than this many.
constexpr std::int64_t most_vectors = 240;
constexpr int most_products = 400;
constexpr double wanted_residual = 1e-9;  // of the vector's own eigenvalue
constexpr double least_residual = 1e-14;  // of the largest one: rounding
// What is left of a vector of length 1 once the space is taken out of it, where it lay in it.
constexpr double nothing_left = 1e-10;
constexpr double no_singular_value = 1e-7;  // of the largest one

using Vectors = std::vector<std::vector<double>>;

double inner_product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_multiple(double factor, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

bool bring_to_length_1(std::span<double> x, double least) {
  const double length = std::sqrt(inner_product(x, x));
  if (!(length > least)) return false;
  for (double& value : x) value /= length;
  return true;
}

/// transpose(X) X, for a block of vectors at a time.
class Gram {
 public:
  Gram(const Context& context, const DenseMatrix& values, std::span<const std::int32_t> rows,
       std::int64_t block)
      : context_(context),
        blocks_(context, values, rows, block),
        coefficients_(static_cast<std::size_t>(blocks_.coefficients())),
        product_(coefficients_.size()) {}

  Vectors times(const Vectors& block) {
    context_.throw_if_stopped();
    put(block);
    blocks_.scores_and_gradient(
        coefficients_, [](std::int64_t, std::int64_t, std::int64_t, double*) {}, product_);
    Vectors out(block.size(), std::vector<double>(static_cast<std::size_t>(blocks_.features())));
    const auto cols = static_cast<std::size_t>(blocks_.cols());
    for (std::size_t j = 0; j < out.size(); ++j) {
      for (std::size_t i = 0; i < out[j].size(); ++i) out[j][i] = product_[i * cols + j];
    }
    return out;
  }

  /// X times each vector: rows x block.size(), row-major.
  std::vector<double> left_of(const Vectors& block) {
    put(block);
    const std::size_t count = block.size();
    const auto cols = static_cast<std::size_t>(blocks_.cols());
    std::vector<double> out(static_cast<std::size_t>(blocks_.rows()) * count);
    blocks_.scores(coefficients_,
                   [&](std::int64_t, std::int64_t first, std::int64_t rows, const double* scores) {
                     for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
                       std::copy_n(scores + i * cols, count,
                                   out.data() + (static_cast<std::size_t>(first) + i) * count);
                     }
                   });
    return out;
  }

 private:
  void put(const Vectors& block) {
    const auto cols = static_cast<std::size_t>(blocks_.cols());
    // The last row, of the intercepts, stays zero.
    std::fill(coefficients_.begin(), coefficients_.end(), 0.0);
    for (std::size_t j = 0; j < block.size(); ++j) {
      for (std::size_t i = 0; i < block[j].size(); ++i) coefficients_[i * cols + j] = block[j][i];
    }
  }

  const Context& context_;
  learn::RowBlocks blocks_;
  std::vector<double> coefficients_;
  std::vector<double> product_;
};

/// An orthonormal basis, the Gram matrix's product with it, and the same matrix within it.
class KrylovSpace {
 public:
  explicit KrylovSpace(std::int64_t dimensions) : dimensions_(dimensions) {}

  std::size_t size() const { return basis_.size(); }

  /// What the vectors add to the space, orthonormal; nothing where they lie in it.
  Vectors orthonormal(Vectors vectors) const {
    Vectors added;
    for (std::vector<double>& x : vectors) {
      if (static_cast<std::int64_t>(size() + added.size()) == dimensions_) break;
      if (!bring_to_length_1(x, 0)) continue;
      // Once is not enough: what rounding leaves behind is taken out by the second round.
      bool left = true;
      for (int round = 0; round < 2 && left; ++round) {
        for (const std::vector<double>& q : basis_) add_multiple(-inner_product(q, x), q, x);
        for (const std::vector<double>& q : added) add_multiple(-inner_product(q, x), q, x);
        left = bring_to_length_1(x, nothing_left);
      }
      if (left) added.push_back(std::move(x));
    }
    return added;
  }

  void add(const Vectors& vectors, const Vectors& products) {
    basis_.insert(basis_.end(), vectors.begin(), vectors.end());
    products_.insert(products_.end(), products.begin(), products.end());
    const std::size_t before = inside_.size();
    inside_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
      inside_[i].resize(size());
      for (std::size_t j = std::max(i, before); j < size(); ++j) {
        inside_[i][j] = inner_product(basis_[i], products_[j]);
      }
    }
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) inside_[i][j] = inside_[j][i];
    }
  }

  /// Eigenvectors of the largest eigenvalues within the space, and how far each is from being one
  /// of the whole matrix.
  struct Ritz {
    std::vector<double> values;
    std::vector<double> residuals;
    Vectors vectors;
    Vectors products;
  };
  Ritz strongest(const Context& context, std::size_t count,
                 const learn::EigenSolver& solver) const {
    const std::size_t n = size();
    std::vector<double> matrix;
    for (const auto& row : inside_) matrix.insert(matrix.end(), row.begin(), row.end());
    const learn::SymmetricEigen eigen = solver(std::move(matrix), static_cast<std::int64_t>(n));
    Ritz ritz;
    ritz.values.resize(count);
    ritz.residuals.resize(count);
    ritz.vectors.resize(count);
    ritz.products.resize(count);
    parallel_tasks(context, static_cast<std::int64_t>(count), [&](std::int64_t task) {
      const auto k = static_cast<std::size_t>(task);
      const std::size_t column = n - 1 - k;
      std::vector<double> vector(static_cast<std::size_t>(dimensions_));
      std::vector<double> product(vector.size());
      for (std::size_t i = 0; i < n; ++i) {
        add_multiple(eigen.vectors[i * n + column], basis_[i], vector);
        add_multiple(eigen.vectors[i * n + column], products_[i], product);
      }
      std::vector<double> rest = product;
      add_multiple(-eigen.values[column], vector, rest);
      ritz.values[k] = eigen.values[column];
      ritz.residuals[k] = std::sqrt(inner_product(rest, rest));
      ritz.vectors[k] = std::move(vector);
      ritz.products[k] = std::move(product);
    });
    return ritz;
  }

 private:
  std::int64_t dimensions_;
  Vectors basis_;
  Vectors products_;
  Vectors inside_;  // symmetric
};

bool converged(const KrylovSpace::Ritz& ritz, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const double enough =
        std::max(wanted_residual * ritz.values[k], least_residual * ritz.values[0]);
    if (ritz.residuals[k] > enough) return false;
  }
  return true;
}

Vectors random_vectors(std::int64_t count, std::int64_t size) {
  Vectors vectors(static_cast<std::size_t>(count));
  for (std::size_t j = 0; j < vectors.size(); ++j) {
    RandomStream stream(0, Purpose::subspace_start, 0, j);
    vectors[j].resize(static_cast<std::size_t>(size));
    for (double& value : vectors[j]) value = stream.normal();
  }
  return vectors;
}

/// The strongest eigenvectors of the Gram matrix.
Vectors right_vectors(const Context& context, Gram& gram, std::int64_t cols, std::size_t wanted,
                      std::int64_t block, const learn::EigenSolver& solver) {
  KrylovSpace space(cols);
  Vectors next = space.orthonormal(random_vectors(block, cols));
  for (int products = 1;; ++products) {
    const Vectors images = gram.times(next);
    space.add(next, images);
    const std::size_t kept = std::min(space.size(), static_cast<std::size_t>(block));
    KrylovSpace::Ritz ritz = space.strongest(context, kept, solver);
    next = space.orthonormal(images);
    if (next.empty() || products == most_products || converged(ritz, wanted)) {
      ritz.vectors.resize(wanted);
      return std::move(ritz.vectors);
    }
    if (static_cast<std::int64_t>(space.size() + next.size()) > most_vectors) {
      space = KrylovSpace(cols);
      space.add(ritz.vectors, ritz.products);
      next = space.orthonormal(std::move(ritz.products));
      if (next.empty()) {
        ritz.vectors.resize(wanted);
        return std::move(ritz.vectors);
      }
    }
  }
}

void check_vectors(const DenseMatrix& values, std::int64_t components) {
  const std::int64_t most = std::min(values.rows, values.cols);
  if (components >= 1 && components <= most) return;
  fail_input({.what = "a matrix has no such number of singular vectors",
              .found = with_commas(components),
              .expected = "1 to " + with_commas(most) + ": it has " + with_commas(values.rows) +
                          " rows and " + with_commas(values.cols) + " columns"});
}

}  // namespace

TruncatedSvd truncated_svd(const Context& context, const DenseMatrix& values,
                           std::int64_t components, const learn::EigenSolver& solver) {
  check_vectors(values, components);
  std::vector<std::int32_t> all(static_cast<std::size_t>(values.rows));
  std::iota(all.begin(), all.end(), 0);
  learn::check_rows(values, all);

  const std::int64_t block =
      std::min(learn::padded_columns(components + extra_vectors), values.cols);
  Gram gram(context, values, all, block);
  const auto wanted = static_cast<std::size_t>(components);
  Vectors right = right_vectors(context, gram, values.cols, wanted, block, solver);
  for (std::vector<double>& vector : right) {
    const auto largest = std::ranges::max_element(
        vector, [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (*largest >= 0) continue;
    for (double& value : vector) value = -value;
  }

  TruncatedSvd svd{.components = components, .left = gram.left_of(right)};
  svd.values.resize(wanted);
  for (std::size_t i = 0; i < svd.left.size(); ++i) {
    svd.values[i % wanted] += svd.left[i] * svd.left[i];
  }
  for (double& value : svd.values) value = std::sqrt(value);
  const double least = no_singular_value * svd.values.front();
  for (std::size_t i = 0; i < svd.left.size(); ++i) {
    const double value = svd.values[i % wanted];
    svd.left[i] = value > least ? svd.left[i] / value : 0;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(values.cols); ++i) {
    for (const std::vector<double>& vector : right) svd.right.push_back(vector[i]);
  }
  return svd;
}

}  // namespace creg
