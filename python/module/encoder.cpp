#include "encoder.h"

#include <torch/csrc/utils/pybind.h>
#include <torch/types.h>

#include <string>
#include <utility>

#include "creg/core/error.h"
#include "creg/core/random.h"
#include "creg/nn/encoder.h"
#include "creg/ops/sparse_matrix.h"
#include "job.h"
#include "keyed_draws.h"
#include "own_tensors.h"

namespace creg::python {
namespace {

class PythonEncoder final : public Encoder {
 public:
  PythonEncoder(const py::object& make, const EncoderOptions& options, std::int64_t features,
                ParameterList& parameters)
      : features_(features), dim_(options.dim) {
    with_python([&] {
      const py::tuple made = make(parameters.device().str(), parameters.seed());
      compute_ = held(made[0]);
      adopt_all(parameters, "encoder.", made[1], made[2]);
      trained_ = py::len(made[1]) > 0;
    });
  }

  at::Tensor multiply(const FeatureMatrix& features) const override { return features.dense(); }
  std::int64_t first_width() const override { return features_; }

  Projected project(const FeatureMatrix& features, const Hops& /*hops*/,
                    const EncoderPass& /*pass*/) const override {
    return {.rows = features.dense(), .multiplied = false};
  }

  at::Tensor propagate(const Hops& hops, const Projected& projected,
                       const EncoderPass& pass) const override {
    const at::Tensor x =
        pass.order.defined() ? projected.rows.index_select(0, pass.order) : projected.rows;
    // Of what PyTorch's global generators give in there: below 2^63, as they take them.
    const std::uint64_t seed = RandomStream(pass.noise).bits64() >> 1U;
    at::Tensor rows;
    with_python([&] {
      const auto adjacency = std::make_shared<SparseMatrix>(hops.of_layer(0));
      const KeyedDraws draws(seed, x.device());
      rows = (*compute_)(x, adjacency, pass.training).cast<at::Tensor>();
    });
    check(rows, x);
    return rows;
  }

 private:
  void check(const at::Tensor& rows, const at::Tensor& x) const {
    const bool wide = rows.dim() == 2 && rows.size(0) == x.size(0);
    if (wide && rows.size(1) == dim_ && rows.scalar_type() == at::kFloat &&
        rows.device() == x.device()) {
      if (rows.requires_grad() || !trained_ || !at::GradMode::is_enabled()) return;
      fail_input({.what = "the encoder's embedding depends on none of its parameters",
                  .file = "encoder",
                  .hint = "was it detached, or computed under no_grad()?"});
    }
    fail_input(
        {.what = "the encoder's embedding has another form",
         .file = "encoder",
         .found = shape_text(rows) + " on " + rows.device().str(),
         .expected = "float32 [" + std::to_string(x.size(0)) + ", " + std::to_string(dim_) +
                     "] on " + x.device().str(),
         .hint = wide && rows.size(1) != dim_ ? "--dim " + std::to_string(rows.size(1)) : ""});
  }

  std::int64_t features_;
  std::int64_t dim_;
  bool trained_ = false;
  HeldObject compute_;
};

}  // namespace

PyEncoder::PyEncoder(std::string name, py::object make)
    : name_(std::move(name)), make_(held(std::move(make))) {}

std::shared_ptr<const AddedEncoder> PyEncoder::added() const {
  const auto make_one = [make = make_](const EncoderOptions& options, std::int64_t features,
                                       ParameterList& parameters) -> std::unique_ptr<Encoder> {
    return std::make_unique<PythonEncoder>(*make, options, features, parameters);
  };
  return std::make_shared<const AddedEncoder>(AddedEncoder{.name = name_, .make = make_one});
}

void bind_encoder(py::module_& module) {
  py::class_<PyEncoder>(module, "Encoder")
      .def(py::init<std::string, py::object>(), py::arg("name"), py::arg("make"));
}

}  // namespace creg::python
