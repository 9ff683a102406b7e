#include "held_object.h"

#include <utility>

namespace creg::python {

HeldObject held(pybind11::object object) {
  return {new pybind11::object(std::move(object)), [](pybind11::object* kept) {
            // While Python shuts down there is nobody to give it back to.
            if (Py_IsInitialized() == 0) {
              kept->release();
              delete kept;
              return;
            }
            const pybind11::gil_scoped_acquire gil;
            delete kept;
          }};
}

}  // namespace creg::python
