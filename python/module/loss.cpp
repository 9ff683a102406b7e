#include "loss.h"

#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/types.h>

#include <utility>
#include <vector>

#include "creg/contrast/dropped_view.h"
#include "creg/core/error.h"
#include "creg/core/random.h"
#include "creg/methods/method.h"
#include "creg/ops/aggregate.h"
#include "held_object.h"
#include "job.h"
#include "keyed_draws.h"
#include "own_tensors.h"

namespace creg::python {
namespace {

/// What a loss sees of one step. It ends with the loss: the pass is gone then.
class Step {
 public:
  Step(EpochPass& pass, const EncoderOptions& encoder) : pass_(&pass), encoder_(encoder) {}

  void end() { pass_ = nullptr; }

  EpochPass& pass() const {
    if (pass_ == nullptr) {
      fail_input({.what = "this step is over",
                  .hint = "use it inside the loss, and keep detached tensors of it"});
    }
    return *pass_;
  }

  /// Below 2^63, as torch takes them; two streams that have nothing in common.
  struct Seeds {
    std::uint64_t global = 0;     ///< of what torch's own generators draw
    std::uint64_t generator = 0;  ///< of step.generator
  };
  Seeds seeds() const {
    const EpochPass::Settings& settings = pass().settings();
    RandomStream stream(settings.seed, Purpose::method_draw, settings.step);
    const std::uint64_t global = stream.bits64() >> 1U;
    return {.global = global, .generator = stream.bits64() >> 1U};
  }

  /// Undefined: all nodes of the graph.
  at::Tensor members() const {
    const GraphInputs& inputs = pass().inputs();
    return inputs.batch ? inputs.members : inputs.seeds;
  }

  at::Tensor view(double drop_edges, double mask_features) {
    refuse_batch("a view");
    for (const double rate : {drop_edges, mask_features}) {
      if (rate >= 0 && rate < 1) continue;
      fail_input({.what = "a chance out of range",
                  .file = rate == drop_edges ? "drop_edges" : "mask_features",
                  .found = std::to_string(rate),
                  .expected = "0 to 1, less than 1"});
    }
    const DropRates rates{.edges = drop_edges, .features = mask_features};
    return encode_dropped(pass(), encoder_, rates, next_view());
  }

  at::Tensor propagate(const at::Tensor& rows) const {
    const SparseMatrix& matrix = pass().inputs().propagation;
    if (rows.dim() != 2 || rows.size(0) != matrix.cols() || rows.scalar_type() != at::kFloat) {
      fail_input({.what = "rows that cannot be propagated",
                  .file = "h",
                  .found = shape_text(rows),
                  .expected = "float32 [" + std::to_string(matrix.cols()) + ", columns]"});
    }
    return aggregate(matrix, rows.contiguous());
  }

  at::Tensor encode(const at::Tensor& features) {
    refuse_batch("other features");
    const GraphInputs& inputs = pass().inputs();
    if (features.dim() != 2 || features.size(0) != inputs.features.rows() ||
        features.size(1) != inputs.features.cols() || features.scalar_type() != at::kFloat) {
      fail_input({.what = "features that the encoder cannot take",
                  .file = "x",
                  .found = shape_text(features),
                  .expected = "float32 [" + std::to_string(inputs.features.rows()) + ", " +
                              std::to_string(inputs.features.cols()) + "]"});
    }
    return pass().encode(FeatureMatrix(features.contiguous()), inputs.hops,
                         pass_of_view(next_view()));
  }

 private:
  void refuse_batch(const std::string& what) const {
    if (!pass().inputs().batch) return;
    fail_input({.what = what + " of a batch cannot be encoded",
                .hint = "train on the whole graph: batch_size=None"});
  }

  int next_view() {
    constexpr int most = 64;
    if (views_ == most) {
      fail_input({.what = "too many views in one step", .expected = "at most 64"});
    }
    return views_++;
  }

  EpochPass* pass_;
  EncoderOptions encoder_;
  int views_ = 0;
};

class PythonMethod final : public Method {
 public:
  PythonMethod(const py::object& make, const MethodOptions& options, ParameterList& parameters)
      : encoder_(options.encoder) {
    with_python([&] {
      const py::tuple made = make(parameters.seed());
      compute_ = held(made[0]);
      adopt_all(parameters, "loss.", made[1], made[2]);
    });
  }

  EpochLoss loss(EpochPass& pass) override {
    // An encoder of Python's has draws of its own.
    const at::Tensor nodes = pass.nodes();
    at::Tensor loss;
    with_python([&] {
      const auto step = std::make_shared<Step>(pass, encoder_);
      const KeyedDraws draws(step->seeds().global, nodes.device());
      const at::AutoGradMode recording(true);
      try {
        loss = (*compute_)(nodes, step).cast<at::Tensor>();
      } catch (...) {
        step->end();
        throw;
      }
      step->end();
    });
    return {.loss = loss.reshape({}), .anchors = pass.inputs().nodes};
  }

  bool sees_neighbours() const override { return false; }

 private:
  EncoderOptions encoder_;
  HeldObject compute_;
};

MethodMemory memory_of(const MethodOptions& options) {
  // What a loss of one view of every node and a few arrays of that size keeps; nobody knows more.
  return {.passes = 1, .views = 1, .numbers_per_node = 4.0 * static_cast<double>(options.dim)};
}

}  // namespace

PyLoss::PyLoss(std::string name, py::object make)
    : name_(std::move(name)), make_(held(std::move(make))) {}

std::shared_ptr<const MethodEntry> PyLoss::entry() const {
  return std::make_shared<const MethodEntry>(
      MethodEntry{.name = name_,
                  .about = "a loss in Python",
                  .encoders = all_graph_encoders(),
                  .steps = StepsBy::neighbourhoods,
                  .corrupts = true,
                  .memory = memory_of,
                  .make = [make = make_](const MethodOptions& options,
                                         ParameterList& parameters) -> std::unique_ptr<Method> {
                    return std::make_unique<PythonMethod>(*make, options, parameters);
                  }});
}

void bind_loss(py::module_& module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  py::class_<Step, std::shared_ptr<Step>>(module, "Step")
      .def_property_readonly("epoch", [](const Step& self) { return self.pass().settings().epoch; })
      .def_property_readonly("step", [](const Step& self) { return self.pass().settings().step; })
      .def_property_readonly("seed", [](const Step& self) { return self.seeds().generator; })
      .def_property_readonly("batch", [](const Step& self) { return self.pass().inputs().batch; })
      .def_property_readonly("num_nodes",
                             [](const Step& self) { return self.pass().inputs().nodes; })
      .def(
          "corrupted", [](const Step& self) { return self.pass().corrupted(); }, Free())
      .def("view", &Step::view, Free(), py::arg("drop_edges"), py::arg("mask_features"))
      .def("encode", &Step::encode, Free(), py::arg("features"))
      .def(
          "features", [](const Step& self) { return self.pass().inputs().features.dense(); },
          Free())
      .def("propagate", &Step::propagate, Free(), py::arg("rows"))
      .def("nodes", &Step::members, Free());
  py::class_<PyLoss>(module, "Loss")
      .def(py::init<std::string, py::object>(), py::arg("name"), py::arg("make"));
}

}  // namespace creg::python
