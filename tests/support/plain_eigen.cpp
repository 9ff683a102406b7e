#include "support/plain_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace creg::test {
namespace {

using Numbers = std::vector<double>;

/// The matrix on its diagonal and the one below, in the basis of the rows of `basis`.
struct ThreeDiagonals {
  Numbers diagonal;
  Numbers below;
  Numbers basis;
};

/// The sum of u[i] times row i, for i from `first` on.
Numbers weighted_rows(const Numbers& rows, std::size_t n, std::size_t first, const Numbers& u) {
  Numbers sum(n, 0);
  for (std::size_t i = first; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) sum[j] += u[i] * rows[i * n + j];
  }
  return sum;
}

ThreeDiagonals reduce(Numbers a, std::size_t n) {
  ThreeDiagonals out;
  out.basis.resize(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) out.basis[i * n + i] = 1;
  for (std::size_t k = 0; k + 2 < n; ++k) {
    // The reflection along u turns column k below the diagonal into its first entry.
    Numbers u(n, 0);
    for (std::size_t i = k + 1; i < n; ++i) u[i] = a[i * n + k];
    const double below = std::sqrt(std::inner_product(u.begin(), u.end(), u.begin(), 0.0));
    u[k + 1] += std::copysign(below, u[k + 1]);
    const double length = std::sqrt(std::inner_product(u.begin(), u.end(), u.begin(), 0.0));
    if (length == 0) continue;
    for (double& value : u) value /= length;
    Numbers w = weighted_rows(a, n, k + 1, u);
    const double product = std::inner_product(u.begin(), u.end(), w.begin(), 0.0);
    for (std::size_t j = 0; j < n; ++j) w[j] -= product * u[j];
    for (std::size_t i = k; i < n; ++i) {
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= 2 * (u[i] * w[j] + w[i] * u[j]);
    }
    const Numbers mixed = weighted_rows(out.basis, n, k + 1, u);
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) out.basis[i * n + j] -= 2 * u[i] * mixed[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    out.diagonal.push_back(a[i * n + i]);
    out.below.push_back(i + 1 < n ? a[(i + 1) * n + i] : 0);
  }
  return out;
}

/// One QR step on the rows lo .. hi, whose entries below the diagonal are not 0.
void qr_step(ThreeDiagonals& t, std::size_t n, std::size_t lo, std::size_t hi) {
  Numbers& d = t.diagonal;
  Numbers& e = t.below;
  const double half = (d[hi - 1] - d[hi]) / 2;
  const double last = e[hi - 1];
  const double shift = d[hi] - last * last / (half + std::copysign(std::hypot(half, last), half));
  double x = d[lo] - shift;
  double z = e[lo];
  for (std::size_t k = lo; k < hi; ++k) {
    const double r = std::hypot(x, z);
    const double c = r == 0 ? 1 : x / r;
    const double s = r == 0 ? 0 : z / r;
    if (k > lo) e[k - 1] = r;
    const double one = d[k];
    const double two = d[k + 1];
    const double between = e[k];
    d[k] = c * c * one + 2 * c * s * between + s * s * two;
    d[k + 1] = s * s * one - 2 * c * s * between + c * c * two;
    e[k] = c * s * (two - one) + (c * c - s * s) * between;
    if (k + 1 < hi) {
      x = e[k];
      z = s * e[k + 1];
      e[k + 1] *= c;
    }
    double* const upper = t.basis.data() + k * n;
    double* const lower = upper + n;
    for (std::size_t j = 0; j < n; ++j) {
      const double value = upper[j];
      upper[j] = c * value + s * lower[j];
      lower[j] = c * lower[j] - s * value;
    }
  }
}

}  // namespace

learn::SymmetricEigen plain_eigen(std::vector<double> matrix, std::int64_t size) {
  const auto n = static_cast<std::size_t>(size);
  double largest = 0;
  for (const double value : matrix) largest = std::max(largest, std::abs(value));
  const double nothing = std::numeric_limits<double>::epsilon() * largest;
  ThreeDiagonals t = reduce(std::move(matrix), n);
  for (std::size_t hi = n - 1; hi > 0;) {
    if (std::abs(t.below[hi - 1]) <= nothing) {
      --hi;
      continue;
    }
    std::size_t lo = hi - 1;
    while (lo > 0 && std::abs(t.below[lo - 1]) > nothing) --lo;
    qr_step(t, n, lo, hi);
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return t.diagonal[a] < t.diagonal[b]; });
  learn::SymmetricEigen out;
  out.vectors.resize(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    out.values.push_back(t.diagonal[order[j]]);
    for (std::size_t i = 0; i < n; ++i) out.vectors[i * n + j] = t.basis[order[j] * n + i];
  }
  return out;
}

}  // namespace creg::test
