#include "graph/components.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "creg/core/error.h"
#include "graph/rows/csr_rows.h"

namespace creg {
namespace {

// Union-find that several threads may use at once. Roots are only ever hung below smaller ones, so
// in the end every component hangs below its smallest node.
class Forest {
 public:
  explicit Forest(std::int64_t nodes) : parent_(nodes) {
    for (std::int64_t i = 0; i < nodes; ++i) parent_[i] = static_cast<std::int32_t>(i);
  }

  std::int32_t find(std::int32_t node) {
    for (;;) {
      std::int32_t up = load(node);
      if (up == node) return node;
      const std::int32_t above = load(up);
      // Path halving; losing the race only means a longer path.
      if (above != up) {
        std::atomic_ref(parent_[node]).compare_exchange_weak(up, above, std::memory_order_relaxed);
      }
      node = above;
    }
  }

  void unite(std::int32_t a, std::int32_t b) {
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      std::int32_t expected = a;
      if (std::atomic_ref(parent_[a])
              .compare_exchange_strong(expected, b, std::memory_order_relaxed)) {
        return;
      }
    }
  }

 private:
  std::int32_t load(std::int32_t node) {
    return std::atomic_ref(parent_[node]).load(std::memory_order_relaxed);
  }

  Buffer<std::int32_t> parent_;
};

}  // namespace

std::int32_t Components::largest() const {
  if (sizes.empty()) return -1;
  return static_cast<std::int32_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
}

Components connected_components(const Context& context, const CsrMatrix& adjacency) {
  invariant(adjacency.rows == adjacency.cols, "components are those of a square adjacency");
  Forest forest(adjacency.rows);
  detail::for_rows(context, adjacency.rows, [&](std::int64_t r) {
    for (const std::int32_t c : adjacency.row(r)) forest.unite(static_cast<std::int32_t>(r), c);
  });

  Components components;
  Buffer<std::int32_t> of_node(adjacency.rows);
  for (std::int32_t i = 0; i < adjacency.rows; ++i) {
    // A root comes before all the nodes below it, so it has its number already.
    const std::int32_t root = forest.find(i);
    if (root == i) components.sizes.push_back(0);
    of_node[i] = root == i ? static_cast<std::int32_t>(components.sizes.size() - 1) : of_node[root];
    ++components.sizes[static_cast<std::size_t>(of_node[i])];
  }
  components.of_node = std::move(of_node);
  return components;
}

}  // namespace creg
