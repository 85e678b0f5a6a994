// Errors of the engine as exceptions of Python, with their sentences.

#include <nanobind/stl/string.h>

#include <system_error>

#include "app/python/parts.hpp"
#include "app/python/sentences.hpp"
#include "sim/base/error.hpp"

namespace tri::python {

void add_errors(nanobind::module_& module) {
  const nanobind::exception<NumericalError> numerical(module, "NumericalError", PyExc_ArithmeticError);
  numerical.attr("__doc__") = "A value that is not finite, or left the range of its type; the sentence names the step.";
  // The last one registered is asked first.
  nanobind::register_exception_translator(
      [](const std::exception_ptr& thrown, void* not_finite) {
        const auto raise = [](void* type, const Error& error) {
          PyErr_SetString(static_cast<PyObject*>(type), in_keywords(error.what()).c_str());
        };
        try {
          std::rethrow_exception(thrown);
        } catch (const NumericalError& e) {
          raise(not_finite, e);
        } catch (const ConfigError& e) {
          raise(PyExc_ValueError, e);
        } catch (const FileError& e) {
          raise(PyExc_OSError, e);
        } catch (const MemoryError& e) {
          raise(PyExc_MemoryError, e);
        } catch (const Error& e) {  // BackendError, and failures of a device
          raise(PyExc_RuntimeError, e);
        } catch (const std::system_error& e) {
          if (e.code() != std::errc::resource_unavailable_try_again) throw;
          PyErr_SetString(PyExc_MemoryError, "the system starts no more threads; raise the limits of this session.");
        }
      },
      numerical.ptr());
  module.def(
      "in_keywords", [](const std::string& sentence) { return in_keywords(sentence); }, nanobind::arg("sentence"),
      "A sentence about options of the command line as one about keywords.");
}

}  // namespace tri::python
