#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/graph/graph.h"

namespace creg {
namespace {

constexpr std::int64_t value_grain = 1 << 18;

// The first i in [0, count) for which bad(i), or -1.
template <class Bad>
std::int64_t find_first(const Context& context, std::int64_t count, Bad bad) {
  std::atomic<std::int64_t> first = count;
  parallel_for(context, 0, count, value_grain, [&](std::int64_t begin, std::int64_t end) {
    // Counting has no early exit and is therefore vectorised; faults are rare.
    std::int64_t faults = 0;
    for (std::int64_t i = begin; i < end; ++i) faults += bad(i) ? 1 : 0;
    if (faults == 0) return;
    while (!bad(begin)) ++begin;
    std::int64_t known = first.load();
    while (begin < known && !first.compare_exchange_weak(known, begin)) {
    }
  });
  return first == count ? -1 : first.load();
}

class Validator {
 public:
  Validator(const Context& context, const Graph& graph, const std::string& source)
      : context_(context), graph_(graph), source_(source) {}

  void run() const {
    const std::int64_t n = graph_.nodes();
    if (n > max_nodes) fail("too many nodes", with_commas(n), "at most " + with_commas(max_nodes));
    if (graph_.adjacency.cols != n) {
      fail("the adjacency is not square", shape(n, graph_.adjacency.cols), shape(n, n));
    }
    check_csr(graph_.adjacency, "adjacency");
    check_features(n);
    check_names(n);
    check_labels(n);
    for (const Split& split : graph_.splits) check_split(split, n);
  }

 private:
  [[noreturn]] void fail(std::string what, std::string found, std::string expected,
                         std::string place = {}) const {
    fail_input({.what = std::move(what),
                .file = source_,
                .place = std::move(place),
                .found = std::move(found),
                .expected = std::move(expected)});
  }

  static std::string shape(std::int64_t rows, std::int64_t cols) {
    return std::to_string(rows) + " x " + std::to_string(cols);
  }

  // `each` names what an offset belongs to: "row" or "name".
  void check_offsets(const Array<std::int64_t>& offsets, std::int64_t total,
                     const std::string& what, const std::string& each) const {
    const std::int64_t last = offsets.size() - 1;
    if (offsets[0] != 0 || offsets[last] != total) {
      fail(what + " " + each + " offsets do not span the entries",
           std::to_string(offsets[0]) + " to " + std::to_string(offsets[last]),
           "0 to " + std::to_string(total));
    }
    const std::int64_t* at = offsets.data();
    const std::int64_t bad =
        find_first(context_, last, [at](std::int64_t r) { return at[r] > at[r + 1]; });
    if (bad >= 0) {
      fail(what + " " + each + " offsets decrease", std::to_string(offsets[bad + 1]),
           "at least " + std::to_string(offsets[bad]), each + " " + std::to_string(bad));
    }
  }

  void check_csr(const CsrMatrix& m, const std::string& what) const {
    if (m.offsets.size() != m.rows + 1) {
      fail(what + " has the wrong number of row offsets", with_commas(m.offsets.size()),
           with_commas(m.rows + 1));
    }
    check_offsets(m.offsets, m.nonzeros(), what, "row");
    const std::int32_t* columns = m.columns.data();
    const std::int64_t cols = m.cols;
    const std::int64_t bad = find_first(context_, m.nonzeros(), [=](std::int64_t e) {
      return columns[e] < 0 || columns[e] >= cols;
    });
    if (bad >= 0) {
      fail(what + " column index out of range", std::to_string(m.columns[bad]),
           "0 to " + std::to_string(m.cols - 1), "entry " + std::to_string(bad));
    }
    if (!m.values.empty() && m.values.size() != m.nonzeros()) {
      fail(what + " has the wrong number of values", with_commas(m.values.size()),
           with_commas(m.nonzeros()));
    }
    check_finite(m.values, what);
  }

  void check_finite(const Array<float>& values, const std::string& what) const {
    const float* at = values.data();
    const std::int64_t bad =
        find_first(context_, values.size(), [at](std::int64_t i) { return !std::isfinite(at[i]); });
    if (bad >= 0) {
      fail(what + " holds a value that is not finite", std::to_string(values[bad]),
           "a finite number", "entry " + std::to_string(bad));
    }
  }

  void check_features(std::int64_t n) const {
    if (!has_features(graph_.features)) return;
    if (feature_rows(graph_.features) != n) {
      fail("features do not match the nodes",
           with_commas(feature_rows(graph_.features)) + " feature rows",
           with_commas(n) + ", one per node");
    }
    if (const auto* sparse = std::get_if<CsrMatrix>(&graph_.features)) {
      check_csr(*sparse, "features");
    } else {
      const auto& dense = std::get<DenseMatrix>(graph_.features);
      if (dense.values.size() != dense.rows * dense.cols) {
        fail("features have the wrong number of values", with_commas(dense.values.size()),
             with_commas(dense.rows * dense.cols));
      }
      check_finite(dense.values, "features");
    }
  }

  void check_labels(std::int64_t n) const {
    if (!graph_.has_labels()) return;
    if (graph_.labels.size() != n) {
      fail("labels do not match the nodes", with_commas(graph_.labels.size()) + " labels",
           with_commas(n) + ", one per node");
    }
    const std::int32_t* labels = graph_.labels.data();
    const std::int64_t bad = find_first(context_, n, [labels](std::int64_t i) {
      return labels[i] < unlabelled || labels[i] >= max_nodes;
    });
    if (bad >= 0) {
      fail("label out of range", std::to_string(graph_.labels[bad]), "0 or more, or -1 for none",
           "node " + graph_.node_name(bad));
    }
  }

  void check_names(std::int64_t n) const {
    if (graph_.names.empty()) return;
    if (graph_.names.size() != n) {
      fail("names do not match the nodes", with_commas(graph_.names.size()),
           with_commas(n) + " names");
    }
    check_offsets(graph_.names.offsets(), graph_.names.characters().size(), "names", "name");
  }

  void check_split(const Split& split, std::int64_t n) const {
    std::vector<char> seen(static_cast<std::size_t>(n), 0);
    for (const Array<std::int32_t>* part : {&split.train, &split.val, &split.test}) {
      for (const std::int32_t node : *part) {
        if (node < 0 || node >= n) {
          fail("node id out of range", std::to_string(node), "0 to " + std::to_string(n - 1),
               "split " + in_quotes(split.name));
        }
        if (seen[static_cast<std::size_t>(node)]++ != 0) {
          fail("a node is listed twice", "node " + graph_.node_name(node),
               "each node once, in one part", "split " + in_quotes(split.name));
        }
      }
    }
  }

  const Context& context_;
  const Graph& graph_;
  const std::string& source_;
};

}  // namespace

void validate(const Context& context, const Graph& graph, const std::string& source) {
  Validator(context, graph, source).run();
}

void validate(const Graph& graph, const std::string& source) {
  validate(Context({.threads = 1}), graph, source);
}

}  // namespace creg
