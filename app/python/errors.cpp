// Errors of the engine as exceptions of Python, with their sentences.

#include "app/python/parts.hpp"
#include "sim/base/error.hpp"

namespace tri::python {

void add_errors(nanobind::module_& module) {
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const ConfigError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const FileError& e) {
      PyErr_SetString(PyExc_OSError, e.what());
    } catch (const MemoryError& e) {
      PyErr_SetString(PyExc_MemoryError, e.what());
    } catch (const Error& e) {  // BackendError, and failures of a device
      PyErr_SetString(PyExc_RuntimeError, e.what());
    }
  });
  // The last one registered is asked first.
  nanobind::exception<NumericalError> numerical(module, "NumericalError", PyExc_ArithmeticError);
  numerical.attr("__doc__") = "A value that is not finite, or left the range of its type; the sentence names the step.";
}

}  // namespace tri::python
