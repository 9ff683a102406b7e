#include "learn/structure_features.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/parallel.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "graph/components.h"
#include "graph/normalise.h"
#include "graph/transforms.h"
#include "kernels/rows.h"
#include "kernels/vectors.h"

namespace creg {
namespace {

// Vectors beyond those wanted: they decide how fast the last wanted one converges.
constexpr std::int64_t spare_vectors = 32;
constexpr int most_filtered = 64;  // products with the matrix
constexpr int most_degree = 12;
// How much stronger a filter may make one vector than another: beyond it the weak ones of a block
// are lost in rounding.
constexpr double most_gain = 1e4;
constexpr double enough_residual = 1e-5;
constexpr double dependent = 1e-9;  // what is left of a column's squared length
// Eigenvalues closer than this share a space, whose basis rounding would choose.
constexpr double equal_values = 1e-8;
constexpr std::uint32_t basis_draw = 1U << 20;  // no round of the iteration has this number
constexpr std::uint32_t component_draw = basis_draw + 1;
constexpr double row_length = 4;
constexpr std::int64_t most_pieces = 64;
constexpr std::int64_t least_piece = 512;
constexpr std::int64_t rows_at_once = 64;
constexpr std::int64_t rows_of_product = 256;

using learn::AlignedVector;

/// N x width vectors, a row per node, `stride` apart with zeros behind the last one.
class Block {
 public:
  Block(std::int64_t nodes, std::int64_t width)
      : nodes_(nodes),
        width_(width),
        stride_(learn::padded_columns(width)),
        values_(static_cast<std::size_t>(nodes * stride_), 0.0) {}

  std::int64_t nodes() const { return nodes_; }
  std::int64_t width() const { return width_; }
  std::int64_t stride() const { return stride_; }
  double* row(std::int64_t r) { return values_.data() + r * stride_; }
  const double* row(std::int64_t r) const { return values_.data() + r * stride_; }

 private:
  std::int64_t nodes_;
  std::int64_t width_;
  std::int64_t stride_;
  AlignedVector values_;
};

/// Square, of the width of a block with its padding.
struct Square {
  explicit Square(const Block& block)
      : width(block.width()),
        stride(block.stride()),
        values(static_cast<std::size_t>(stride * stride), 0.0) {}
  double& at(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i * stride + j)];
  }
  double at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * stride + j)];
  }

  std::int64_t width;
  std::int64_t stride;
  AlignedVector values;
};

void for_rows_of(const Context& context, const Block& block,
                 const std::function<void(std::int64_t, std::int64_t)>& body) {
  context.throw_if_stopped();
  parallel_for(context, 0, block.nodes(), rows_of_product, body);
}

/// transpose(a) b. The pieces and the order of their sum depend on the sizes alone.
Square products_of(const Context& context, const Block& a, const Block& b) {
  context.throw_if_stopped();
  const std::int64_t piece = std::max(least_piece, (a.nodes() + most_pieces - 1) / most_pieces);
  const std::int64_t pieces = (a.nodes() + piece - 1) / piece;
  const std::int64_t stride = a.stride();
  std::vector<Square> sums(static_cast<std::size_t>(pieces), Square(a));
  parallel_tasks(context, pieces, [&](std::int64_t p) {
    double* const out = sums[static_cast<std::size_t>(p)].values.data();
    const std::int64_t last = std::min(a.nodes(), (p + 1) * piece);
    for (std::int64_t r = p * piece; r < last; r += rows_at_once) {
      learn::add_product(stride, std::min(rows_at_once, last - r), stride, a.row(r), 1, stride,
                         b.row(r), out);
    }
  });
  Square total(a);
  for (const Square& sum : sums) {
    learn::add_scaled(stride * stride, 1, sum.values.data(), total.values.data());
  }
  return total;
}

/// block := block * matrix
void multiply(const Context& context, Block& block, const Square& matrix) {
  for_rows_of(context, block, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t stride = block.stride();
    AlignedVector rows(static_cast<std::size_t>(rows_at_once * stride));
    for (std::int64_t r = begin; r < end; r += rows_at_once) {
      const std::int64_t count = std::min(rows_at_once, end - r);
      std::copy_n(block.row(r), count * stride, rows.data());
      std::fill_n(block.row(r), count * stride, 0.0);
      learn::add_product(count, stride, stride, rows.data(), stride, 1, matrix.values.data(),
                         block.row(r));
    }
  });
}

/// Random numbers into the columns that are marked.
void draw(const Context& context, Block& block, std::uint32_t round,
          const std::vector<std::uint8_t>& columns) {
  for_rows_of(context, block, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      // No seed of a run: all its seeds learn from the same features.
      RandomStream stream(0, Purpose::structure_start, round, static_cast<std::uint64_t>(r));
      double* const row = block.row(r);
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const double value = stream.normal();
        if (columns[j] != 0) row[j] = value;
      }
    }
  });
}

std::vector<std::uint8_t> all_columns(const Block& block) {
  std::vector<std::uint8_t> all(static_cast<std::size_t>(block.width()), 1);
  return all;
}

/// The matrix that makes a block with these products orthonormal: by Cholesky's factor. Columns
/// that depend on those before them are marked, and become 0.
Square orthonormal_factor(const Square& products, std::vector<std::uint8_t>& lost) {
  const std::int64_t n = products.width;
  lost.assign(static_cast<std::size_t>(n), 0);
  std::vector<double> length(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    length[static_cast<std::size_t>(i)] = std::sqrt(products.at(i, i));
  }
  // Rows of the inverse of the factor L of the products of columns of length 1: row j of it says
  // how the first j + 1 columns make the new one.
  Square factor = products;
  std::fill(factor.values.begin(), factor.values.end(), 0.0);
  Square inverse = factor;
  for (std::int64_t i = 0; i < n; ++i) {
    const double own = length[static_cast<std::size_t>(i)];
    double rest = own > 0 ? 1 : 0;
    for (std::int64_t j = 0; j < i; ++j) {
      if (own == 0 || lost[static_cast<std::size_t>(j)] != 0) continue;
      const double product = products.at(i, j) / (own * length[static_cast<std::size_t>(j)]);
      const double entry =
          (product - learn::dot_product(j, &factor.at(i, 0), &factor.at(j, 0))) / factor.at(j, j);
      factor.at(i, j) = entry;
      rest -= entry * entry;
    }
    if (!(rest > dependent)) {
      lost[static_cast<std::size_t>(i)] = 1;
      std::fill_n(&factor.at(i, 0), i, 0.0);
      continue;
    }
    factor.at(i, i) = std::sqrt(rest);
    double* const row = &inverse.at(i, 0);
    for (std::int64_t j = 0; j < i; ++j) {
      learn::add_scaled(j + 1, -factor.at(i, j), &inverse.at(j, 0), row);
    }
    row[i] = 1;
    for (std::int64_t j = 0; j <= i; ++j) row[j] /= factor.at(i, i);
  }
  Square out = inverse;
  for (std::int64_t i = 0; i < n; ++i) {
    const double own = length[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < n; ++j) out.at(i, j) = own > 0 ? inverse.at(j, i) / own : 0;
  }
  return out;
}

/// Â with both directions of each edge; the square roots of degrees are kept beside it.
class Propagator {
 public:
  Propagator(const Context& context, const Graph& graph) : context_(context) {
    Graph edges;
    edges.adjacency = graph.adjacency;
    edges.directed = true;
    if (!edges.adjacency.values.empty()) {
      Buffer<float> sizes(edges.adjacency.nonzeros());
      std::transform(edges.adjacency.values.begin(), edges.adjacency.values.end(), sizes.begin(),
                     [](float weight) { return std::abs(weight); });
      edges.adjacency.values = std::move(sizes);
    }
    edges = symmetrise(context, std::move(edges));
    matrix_ = with_self_loops(context, edges.adjacency, SelfLoops::missing);
    scale_.resize(static_cast<std::size_t>(matrix_.rows));
    for (std::int64_t r = 0; r < matrix_.rows; ++r) {
      double degree = 0;
      for (std::int64_t e = matrix_.offsets[r]; e < matrix_.offsets[r + 1]; ++e) {
        degree += matrix_.value(e);
      }
      scale_[static_cast<std::size_t>(r)] = degree > 0 ? 1 / std::sqrt(degree) : 0;
    }
  }

  /// into := a Â from + b from + c into
  void apply(const Block& from, Block& into, double a, double b, double c) const {
    for_rows_of(context_, from, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t stride = from.stride();
      for (std::int64_t r = begin; r < end; ++r) {
        double* const out = into.row(r);
        for (std::int64_t j = 0; j < stride; ++j) out[j] = c == 0 ? 0 : c * out[j];
        if (b != 0) learn::add_scaled(stride, b, from.row(r), out);
        const double own = a * scale_[static_cast<std::size_t>(r)];
        for (std::int64_t e = matrix_.offsets[r]; e < matrix_.offsets[r + 1]; ++e) {
          const auto other = static_cast<std::size_t>(matrix_.columns[e]);
          const double weight = own * static_cast<double>(matrix_.value(e)) * scale_[other];
          learn::add_scaled(stride, weight, from.row(matrix_.columns[e]), out);
        }
      }
    });
  }

  double root_of_degree(std::int64_t node) const {
    const double scale = scale_[static_cast<std::size_t>(node)];
    return scale > 0 ? 1 / scale : 0;
  }

 private:
  const Context& context_;
  CsrMatrix matrix_;
  std::vector<double> scale_;
};

/// The eigenvectors of the value 1: a component's has the roots of its nodes' degrees.
class ComponentVectors {
 public:
  ComponentVectors(const Context& context, const Components& components, const Propagator& matrix)
      : context_(context),
        begin_(components.sizes.size() + 1, 0),
        nodes_(static_cast<std::size_t>(components.of_node.size())),
        entries_(nodes_.size()) {
    for (std::size_t c = 0; c < components.sizes.size(); ++c) {
      begin_[c + 1] = begin_[c] + components.sizes[c];
    }
    std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
    std::vector<double> square(components.sizes.size(), 0.0);
    for (std::int64_t i = 0; i < components.of_node.size(); ++i) {
      const auto c = static_cast<std::size_t>(components.of_node[i]);
      nodes_[static_cast<std::size_t>(next[c]++)] = static_cast<std::int32_t>(i);
      const double root = matrix.root_of_degree(i);
      entries_[static_cast<std::size_t>(i)] = root;
      square[c] += root * root;
    }
    for (std::int64_t i = 0; i < components.of_node.size(); ++i) {
      const double sum = square[static_cast<std::size_t>(components.of_node[i])];
      if (sum > 0) entries_[static_cast<std::size_t>(i)] /= std::sqrt(sum);
    }
  }

  double entry(std::int64_t node) const { return entries_[static_cast<std::size_t>(node)]; }
  std::int64_t count() const { return std::ssize(begin_) - 1; }

  /// Takes them out of the block's vectors.
  void remove_from(Block& block) const {
    context_.throw_if_stopped();
    constexpr std::int64_t grain = 64;
    parallel_for(context_, 0, count(), grain, [&](std::int64_t first, std::int64_t last) {
      AlignedVector sum(static_cast<std::size_t>(block.stride()));
      for (std::int64_t c = first; c < last; ++c) {
        std::fill(sum.begin(), sum.end(), 0.0);
        const std::span<const std::int32_t> nodes(
            nodes_.data() + begin_[static_cast<std::size_t>(c)],
            nodes_.data() + begin_[static_cast<std::size_t>(c + 1)]);
        for (const std::int32_t i : nodes) {
          learn::add_scaled(block.stride(), entry(i), block.row(i), sum.data());
        }
        for (const std::int32_t i : nodes) {
          learn::add_scaled(block.stride(), -entry(i), sum.data(), block.row(i));
        }
      }
    });
  }

 private:
  const Context& context_;
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> nodes_;  // of a component after those of another
  std::vector<double> entries_;
};

/// The second round takes out what rounding leaves in the first.
void orthonormalise(const Context& context, Block& block, const ComponentVectors* without,
                    std::uint32_t round) {
  constexpr int most_tries = 8;
  std::vector<std::uint8_t> lost;
  int clean = 0;
  for (int t = 0; t < most_tries && clean < 2; ++t) {
    if (without != nullptr && clean == 0) without->remove_from(block);
    multiply(context, block, orthonormal_factor(products_of(context, block, block), lost));
    const bool whole = std::find(lost.begin(), lost.end(), 1) == lost.end();
    clean = whole ? clean + 1 : 0;
    if (!whole) draw(context, block, round * most_tries + static_cast<std::uint32_t>(t) + 1, lost);
  }
  invariant(clean == 2, "as many vectors as there are nodes at most have a basis");
}

/// Turns `block` into eigenvectors within the space it spans, the largest value first; `images`
/// becomes Â times them. Returns the values.
std::vector<double> ritz(const Context& context, const Propagator& matrix, Block& block,
                         Block& images, const learn::EigenSolver& solver) {
  matrix.apply(block, images, 1, 0, 0);
  const Square inside = products_of(context, block, images);
  const std::int64_t n = block.width();
  std::vector<double> plain(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      plain[static_cast<std::size_t>(i * n + j)] = (inside.at(i, j) + inside.at(j, i)) / 2;
    }
  }
  const learn::SymmetricEigen eigen = solver(std::move(plain), n);
  Square turn(block);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      turn.at(i, j) = eigen.vectors[static_cast<std::size_t>(i * n + n - 1 - j)];
    }
  }
  multiply(context, block, turn);
  multiply(context, images, turn);
  return {eigen.values.rbegin(), eigen.values.rend()};
}

bool has_converged(const Block& block, const Block& images, const std::vector<double>& values,
                   std::int64_t wanted) {
  std::vector<double> squares(static_cast<std::size_t>(wanted), 0.0);
  for (std::int64_t r = 0; r < block.nodes(); ++r) {
    for (std::size_t j = 0; j < squares.size(); ++j) {
      const double rest = images.row(r)[j] - values[j] * block.row(r)[j];
      squares[j] += rest * rest;
    }
  }
  return *std::max_element(squares.begin(), squares.end()) < enough_residual * enough_residual;
}

/// The polynomial that is at most 1 on [-1, least] and grows fastest beyond; returns its degree.
int filter(const Propagator& matrix, Block& block, Block& other, double least, int most) {
  const double centre = (least - 1) / 2;
  const double half = std::max((least + 1) / 2, 1e-3);
  const double growth = std::acosh(std::max((1 - centre) / half, 1 + 1e-12));
  const int degree =
      std::clamp(static_cast<int>(std::acosh(most_gain) / growth), 1, std::min(most, most_degree));
  matrix.apply(block, other, 1 / half, -centre / half, 0);
  std::swap(block, other);
  for (int j = 1; j < degree; ++j) {
    matrix.apply(block, other, 2 / half, -2 * centre / half, -1);
    std::swap(block, other);
  }
  return degree;
}

/// Within equal eigenvalues the vectors nearest to given random ones, one after the other; alone,
/// that is a choice of the sign.
void fix_basis(const Context& context, Block& block, Block& other,
               const std::vector<double>& values) {
  draw(context, other, basis_draw, all_columns(other));
  const Square products = products_of(context, block, other);
  Square turn(block);
  const std::int64_t n = block.width();
  for (std::int64_t begin = 0, end = 0; begin < n; begin = end) {
    for (end = begin + 1; end < n && values[static_cast<std::size_t>(end - 1)] -
                                             values[static_cast<std::size_t>(end)] <
                                         equal_values;) {
      ++end;
    }
    for (std::int64_t j = begin; j < end; ++j) {
      for (std::int64_t i = begin; i < end; ++i) turn.at(i, j) = products.at(i, j);
      for (int round = 0; round < 2; ++round) {
        for (std::int64_t l = begin; l < j; ++l) {
          double product = 0;
          for (std::int64_t i = begin; i < end; ++i) product += turn.at(i, j) * turn.at(i, l);
          for (std::int64_t i = begin; i < end; ++i) turn.at(i, j) -= product * turn.at(i, l);
        }
        double square = 0;
        for (std::int64_t i = begin; i < end; ++i) square += turn.at(i, j) * turn.at(i, j);
        for (std::int64_t i = begin; i < end; ++i) turn.at(i, j) /= std::sqrt(square);
      }
    }
  }
  multiply(context, block, turn);
}

/// The mean of value^t over t = 1 … 10, where it is above 0.
double walk_weight(double value) {
  constexpr int steps = 10;
  double power = 1;
  double sum = 0;
  for (int t = 0; t < steps; ++t) {
    power *= value;
    sum += power;
  }
  return std::max(0.0, sum / steps);
}

std::int64_t block_width(std::int64_t nodes, std::int64_t columns) {
  return std::min(nodes, columns + spare_vectors);
}

/// The largest eigenpairs, or the largest but those of `without`.
StructureEigen largest_pairs(const Context& context, const Propagator& matrix, std::int64_t nodes,
                             std::int64_t columns, const ComponentVectors* without,
                             const learn::EigenSolver& solver) {
  const std::int64_t dimensions = nodes - (without == nullptr ? 0 : without->count());
  Block block(nodes, block_width(dimensions, columns));
  Block other = block;
  draw(context, block, 0, all_columns(block));
  std::vector<double> values;
  std::uint32_t round = 0;
  for (int done = 0;;) {
    orthonormalise(context, block, without, round++);
    values = ritz(context, matrix, block, other, solver);
    ++done;
    if (done >= most_filtered || has_converged(block, other, values, columns)) break;
    done += filter(matrix, block, other, values.back(), most_filtered - done);
  }
  fix_basis(context, block, other, values);
  StructureEigen found{.columns = columns};
  found.values.assign(values.begin(), values.begin() + columns);
  found.vectors.resize(static_cast<std::size_t>(nodes * columns));
  for (std::int64_t r = 0; r < nodes; ++r) {
    std::copy_n(block.row(r), columns, found.vectors.data() + r * columns);
  }
  return found;
}

/// Random mixtures of the vectors of components into the first `columns` of each row.
void mix_components(const Components& components, const ComponentVectors& vectors,
                    std::int64_t columns, double length, std::int64_t stride, float* out) {
  for (std::int64_t i = 0; i < components.of_node.size(); ++i) {
    RandomStream stream(0, Purpose::structure_start, component_draw,
                        static_cast<std::uint64_t>(components.of_node[i]));
    const double scale = length * vectors.entry(i) / std::sqrt(static_cast<double>(columns));
    for (std::int64_t j = 0; j < columns; ++j) {
      out[i * stride + j] = static_cast<float>(scale * stream.normal());
    }
  }
}

}  // namespace

StructureEigen structure_eigen(const Context& context, const Graph& graph, std::int64_t columns,
                               const learn::EigenSolver& solver) {
  invariant(columns >= 1 && columns <= graph.nodes(), "a graph has an eigenvector per node");
  return largest_pairs(context, Propagator(context, graph), graph.nodes(), columns, nullptr,
                       solver);
}

std::int64_t structure_columns(std::int64_t nodes, std::int64_t asked) {
  return std::min(nodes, asked);
}

std::int64_t structure_bytes(std::int64_t nodes, std::int64_t entries, std::int64_t columns) {
  constexpr std::int64_t number = 8;
  const std::int64_t width = learn::padded_columns(block_width(nodes, columns));
  return number * (2 * nodes * width + (most_pieces + 4) * width * width + 2 * (nodes + entries));
}

DenseMatrix structure_features(const Context& context, const Graph& graph, std::int64_t columns,
                               const learn::EigenSolver& solver) {
  const std::int64_t nodes = graph.nodes();
  columns = structure_columns(nodes, columns);
  const Propagator matrix(context, graph);
  const Components components = connected_components(context, graph.adjacency);
  std::optional<ComponentVectors> crowd;
  std::int64_t mixed = 0;
  if (4 * components.count() > 3 * columns) {
    crowd.emplace(context, components, matrix);
    mixed = columns - std::min(columns - columns / 4, nodes - components.count());
  }
  const double length =
      row_length * std::sqrt(static_cast<double>(nodes) / static_cast<double>(columns));
  Buffer<float> features(nodes * columns);
  if (crowd) mix_components(components, *crowd, mixed, length, columns, features.data());
  const std::int64_t rest = columns - mixed;
  if (rest > 0) {
    const StructureEigen eigen =
        largest_pairs(context, matrix, nodes, rest, crowd ? &*crowd : nullptr, solver);
    std::vector<double> scale;
    for (const double value : eigen.values) {
      scale.push_back(length * std::sqrt(walk_weight(value)));
    }
    for (std::int64_t i = 0; i < nodes; ++i) {
      for (std::int64_t j = 0; j < rest; ++j) {
        const double entry = eigen.vectors[static_cast<std::size_t>(i * rest + j)];
        features[i * columns + mixed + j] =
            static_cast<float>(entry * scale[static_cast<std::size_t>(j)]);
      }
    }
  }
  return {.rows = nodes, .cols = columns, .values = std::move(features)};
}

}  // namespace creg
