#include "ops.h"

#include <ATen/Parallel.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <utility>

#include "creg/core/error.h"
#include "creg/ops/aggregate.h"
#include "creg/ops/info_nce.h"
#include "creg/ops/sparse_matrix.h"
#include "job.h"
#include "names.h"
#include "ops/similarity.h"
#include "ops/tensors.h"
#include "own_tensors.h"

namespace creg::python {
namespace {

namespace py = pybind11;

/// In a forked child OpenMP waits without end for the threads of its parent; one thread alone is
/// enough for itself.
void refuse_lost_threads() {
  if (at::get_num_threads() > 1) refuse_forked_child();
}

/// Where the tensors are, with the threads that PyTorch has here: an op of the caller's program.
Context context_of(const at::Tensor& tensor, const std::string& precision = "fp32") {
  refuse_lost_threads();
  Context::Options options;
  if (tensor.is_cuda()) {
    options.device = {DeviceType::cuda, static_cast<int>(tensor.get_device())};
  }
  options.precision = named<Precision>("precision", precision);
  options.threads = at::get_num_threads();
  return Context(options);
}

at::Tensor info_nce_of(const at::Tensor& u, const at::Tensor& v, double temperature, bool own_view,
                       const std::string& precision) {
  return info_nce(context_of(u, precision), u.contiguous(), v.contiguous(), temperature,
                  own_view ? ViewNegatives::own_view : ViewNegatives::both_views);
}

std::pair<at::Tensor, at::Tensor> top_k_of(const at::Tensor& rows, std::int64_t k,
                                           const std::string& similarity, bool include_self,
                                           const std::string& precision) {
  const SimilarityResult found =
      top_k_similar(context_of(rows, precision), rows.detach().contiguous(), k,
                    named<Similarity>("similarity", similarity),
                    include_self ? SelfPairs::include : SelfPairs::exclude);
  return {found.indices, found.values};
}

std::shared_ptr<SparseMatrix> sparse_matrix(const at::Tensor& offsets, const at::Tensor& columns,
                                            const std::optional<at::Tensor>& values,
                                            std::int64_t cols, bool symmetric) {
  CsrTensors parts{.rows = offsets.size(0) - 1, .cols = cols, .offsets = offsets};
  parts.columns = columns;
  if (values) parts.values = *values;
  return std::make_shared<SparseMatrix>(
      context_of(columns), std::move(parts),
      symmetric ? SparseMatrix::Shape::symmetric : SparseMatrix::Shape::general);
}

at::Tensor product(const SparseMatrix& matrix, const at::Tensor& rows) {
  refuse_lost_threads();
  if (rows.dim() != 2 || rows.size(0) != matrix.cols() || rows.scalar_type() != at::kFloat) {
    fail_input({.what = "not rows for this matrix",
                .file = "rows",
                .found = shape_text(rows),
                .expected = "float32 [" + std::to_string(matrix.cols()) + ", columns]"});
  }
  return aggregate(matrix, rows.contiguous());
}

/// A copy as a sparse CSR tensor, whose indices are int64 as most of PyTorch wants them.
at::Tensor torch_tensor(const SparseMatrix& matrix) {
  const CsrTensors& csr = matrix.forward();
  const at::Tensor values =
      csr.values.defined() ? csr.values
                           : at::ones(csr.columns.sizes(), csr.columns.options().dtype(at::kFloat));
  return at::sparse_csr_tensor(csr.offsets, csr.columns.to(at::kLong), values,
                               {matrix.rows(), matrix.cols()},
                               values.options().layout(at::kSparseCsr));
}

}  // namespace

void bind_ops(py::module_& module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  module.def("info_nce", &info_nce_of, Free(), py::arg("u"), py::arg("v"), py::arg("temperature"),
             py::arg("own_view"), py::arg("precision"));
  module.def("top_k", &top_k_of, Free(), py::arg("rows"), py::arg("k"), py::arg("similarity"),
             py::arg("include_self"), py::arg("precision"));
  py::class_<SparseMatrix, std::shared_ptr<SparseMatrix>>(module, "SparseMatrix")
      .def(py::init(&sparse_matrix), Free(), py::arg("offsets"), py::arg("columns"),
           py::arg("values"), py::arg("cols"), py::arg("symmetric"))
      .def_property_readonly(
          "shape",
          [](const SparseMatrix& self) { return std::make_pair(self.rows(), self.cols()); })
      .def(
          "__matmul__",
          [](const SparseMatrix& self, const at::Tensor& rows) { return product(self, rows); },
          Free(), py::arg("rows"))
      // It never changes.
      .def("__copy__", [](const py::object& self) { return self; })
      .def(
          "__deepcopy__", [](const py::object& self, const py::object& /*memo*/) { return self; },
          py::arg("memo"))
      .def(py::pickle(
          [](const SparseMatrix& self) {
            const CsrTensors& csr = self.forward();
            return py::make_tuple(csr.offsets, csr.columns,
                                  csr.values.defined() ? py::cast(csr.values) : py::none(),
                                  self.cols(), &self.transposed() == &csr);
          },
          [](const py::tuple& state) {
            return sparse_matrix(state[0].cast<at::Tensor>(), state[1].cast<at::Tensor>(),
                                 state[2].cast<std::optional<at::Tensor>>(),
                                 state[3].cast<std::int64_t>(), state[4].cast<bool>());
          }))
      .def("__repr__",
           [](const SparseMatrix& self) {
             return "SparseMatrix(" + std::to_string(self.rows()) + " x " +
                    std::to_string(self.cols()) + ", " +
                    std::to_string(self.forward().columns.numel()) + " entries)";
           })
      .def("to_torch", &torch_tensor, Free())
      .def(
          "times",
          [](const SparseMatrix& self, const at::Tensor& rows) { return product(self, rows); },
          Free(), py::arg("rows"));
}

}  // namespace creg::python
