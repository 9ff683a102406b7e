// contrast_reg._engine: creg.h for Python. What people use is the package around it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "core/build_info.h"
#include "creg/core/error.h"
#include "creg/methods/entry.h"
#include "encoder.h"
#include "graph.h"
#include "job.h"
#include "loss.h"
#include "ops.h"
#include "report.h"
#include "run.h"
#include "tasks.h"
#include "train/parameters.h"

namespace creg::python {
namespace {

struct PyParameter {
  std::string key;
  std::string group;
  std::string values;
  std::string help;
  std::string standard;
  bool truth = false;
  bool whole = false;
  std::vector<std::string> methods;
};

struct PyMethod {
  std::string name;
  std::string about;
  std::vector<std::string> encoders;
  std::vector<PyParameter> parameters;
};

std::vector<PyParameter> parameter_list() {
  const TrainConfig standard;
  std::vector<PyParameter> out;
  for (const Parameter& one : train_parameters()) {
    out.push_back({one.key, one.group, one.values, one.help, one.get(standard), one.truth,
                   one.whole, one.methods});
  }
  return out;
}

std::vector<PyMethod> method_list() {
  std::vector<PyMethod> out;
  for (const MethodEntry& method : shipped_methods()) {
    PyMethod one{.name = method.name, .about = method.about};
    for (const EncoderKind kind : method.encoders) one.encoders.push_back(name_of(kind));
    for (const OwnParameter& own : method.parameters) {
      one.parameters.push_back(
          {own.key, "", own.values, own.help, own.initial, own.truth, own.whole, {method.name}});
    }
    out.push_back(std::move(one));
  }
  return out;
}

/// Errors become EngineError with the parts of their message, and what the package makes of it is
/// raised: so whoever called the engine, a loss of a user's too, sees the package's own exceptions.
void bind_errors(py::module_& module) {
  // Never freed: translators may run while Python shuts down.
  static PyObject* type = nullptr;
  static PyObject* worded_by = nullptr;
  type = PyErr_NewExceptionWithDoc(
      "contrast_reg._engine.EngineError",
      "What the engine raises; the package makes InputError and OSError of it.", nullptr, nullptr);
  module.attr("EngineError") = py::reinterpret_borrow<py::object>(type);
  module.def(
      "raise_as",
      [](py::object make) {
        Py_XDECREF(worded_by);
        worded_by = make.release().ptr();
      },
      py::arg("make"));
  py::register_exception_translator([](std::exception_ptr thrown) {
    const auto text = [](const std::string& part) {
      return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
          part.data(), static_cast<py::ssize_t>(part.size()), "backslashreplace"));
    };
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const PythonRaised& raised) {
      raised.raise();
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const Error& error) {
      const ErrorDetail& detail = error.detail();
      const py::object made = py::reinterpret_borrow<py::object>(type)(text(error.what()));
      made.attr("kind") = error.kind() == ErrorKind::input ? "input" : "environment";
      made.attr("what") = text(detail.what);
      made.attr("file") = text(detail.file);
      made.attr("place") = text(detail.place);
      made.attr("found") = text(detail.found);
      made.attr("expected") = text(detail.expected);
      made.attr("hint") = text(detail.hint);
      const auto worded = py::reinterpret_steal<py::object>(
          worded_by == nullptr ? nullptr : PyObject_CallOneArg(worded_by, made.ptr()));
      if (worded) {
        PyErr_SetObject(py::type::handle_of(worded).ptr(), worded.ptr());
      } else {
        PyErr_Clear();
        PyErr_SetObject(type, made.ptr());
      }
    }
  });
}

}  // namespace

// NOLINTNEXTLINE: the macro's own names
PYBIND11_MODULE(_engine, module) {
  module.attr("version") = build_info().version;
  bind_errors(module);
  py::class_<PyParameter>(module, "Parameter")
      .def_readonly("key", &PyParameter::key)
      .def_readonly("group", &PyParameter::group)
      .def_readonly("values", &PyParameter::values)
      .def_readonly("help", &PyParameter::help)
      .def_readonly("default", &PyParameter::standard)
      .def_readonly("truth", &PyParameter::truth)
      .def_readonly("whole", &PyParameter::whole)
      .def_readonly("methods", &PyParameter::methods);
  py::class_<PyMethod>(module, "Method")
      .def_readonly("name", &PyMethod::name)
      .def_readonly("about", &PyMethod::about)
      .def_readonly("encoders", &PyMethod::encoders)
      .def_readonly("parameters", &PyMethod::parameters);
  module.def("parameters", &parameter_list);
  module.def("methods", &method_list);
  bind_job(module);
  bind_graph(module);
  bind_encoder(module);
  bind_loss(module);
  bind_run(module);
  bind_tasks(module);
  bind_report(module);
  bind_ops(module);
}

}  // namespace creg::python
