#pragma once
/// What the files of the module share: work without the GIL, choices, errors, device arrays, bodies.
///
/// The parts of the Python module: what each file adds to it.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "sim/backend/backend.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/engine/device_arrays.hpp"
#include "sim/model/bodies.hpp"

namespace tri::python {

void add_errors(nanobind::module_& module);
void add_dlpack(nanobind::module_& module);
void add_distances(nanobind::module_& module);
void add_contacts(nanobind::module_& module);
void add_forces(nanobind::module_& module);
void add_triplets(nanobind::module_& module);
void add_maps(nanobind::module_& module);
void add_measure(nanobind::module_& module);
void add_simulation(nanobind::module_& module);

// Long work for Python: without the GIL, and ended by Ctrl-C.

/// A thread that waits for the GIL when the interpreter ends, a daemon, would be unwound through frames of C++, which
/// is an abort. So at exit, before that, work of other threads ends, and these threads never come back.
class InterpreterEnd {
 public:
  /// At the import of the module, with the GIL.
  static void watch();
  static bool is_main_thread();
  static bool has_come() { return closing_; }
  /// Calls take(), which takes the GIL; does not return once the end has come, except on the main thread.
  template <class F>
  static auto acquire_gil(F&& take) {
    enter();
    auto state = take();
    --taking_;
    return state;
  }

 private:
  friend class ReleasedGil;
  static void close();
  static void enter();

  static inline std::atomic<bool> closing_{false};
  static inline std::atomic<int> taking_{0};   ///< threads that wait for the GIL
  static inline std::atomic<int> working_{0};  ///< threads without the GIL, which will
};

class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) { ++InterpreterEnd::working_; }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;
  ~ReleasedGil() {
    --InterpreterEnd::working_;
    InterpreterEnd::acquire_gil([this] { return PyEval_RestoreThread(state_), 0; });
  }

 private:
  PyThreadState* state_;
};

class AcquiredGil {
 public:
  AcquiredGil() : state_(InterpreterEnd::acquire_gil([] { return PyGILState_Ensure(); })) {}
  AcquiredGil(const AcquiredGil&) = delete;
  AcquiredGil& operator=(const AcquiredGil&) = delete;
  ~AcquiredGil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

/// Runs Python's signal handlers while work runs without the GIL. When one raises (Ctrl-C: KeyboardInterrupt), the work
/// ends by InterruptedError, and run_released() raises what the handler raised.
class SignalWatch final : public ProgressSink {
 public:
  void report(const ProgressReport&) override { look(); }

  /// Looks some twenty times a second, however often it is called. Without the GIL. Only the main thread has handlers.
  void look() {
    const double now = clock_s();
    if (now - looked_s_ < kEvery) return;
    looked_s_ = now;
    if (!InterpreterEnd::is_main_thread()) {
      if (InterpreterEnd::has_come()) throw InterruptedError("the interpreter ends");
      return;
    }
    const AcquiredGil gil;
    if (PyErr_CheckSignals() == 0) return;
    raised_.emplace();
    throw InterruptedError("interrupted");
  }

  /// What a handler raised, if one did.
  const std::optional<nanobind::python_error>& raised() const { return raised_; }

 private:
  static constexpr double kEvery = 0.05;

  double looked_s_ = clock_s();
  std::optional<nanobind::python_error> raised_;
};

/// Returns work(watch), which runs without the GIL and touches no Python object. It ends where it looks at signals.
template <class F>
auto run_released(F&& work) {
  SignalWatch watch;
  try {
    const ReleasedGil no_gil;
    return work(watch);
  } catch (const InterruptedError&) {
    if (watch.raised()) throw nanobind::python_error(*watch.raised());
    throw;
  }
}

/// The same under the name of a task: loops of the engine look at signals, too, for which a GPU waits now and then.
template <class F>
auto run_released(std::string task, F&& work) {
  return run_released([&](SignalWatch& watch) {
    const ScopedProgressSink sink(watch);
    const ScopedTask named(std::move(task));
    return work(watch);
  });
}

// Choices that Python makes by name, as the engine knows them.

using Name = std::optional<std::string>;

/// None is the best one that there is, on a GPU the one of this number; in a process that was forked after the GPU was
/// used, cpu. Throws ConfigError for an unknown name, BackendError for one that is not there.
std::unique_ptr<Backend> open_backend(const Name& name, int device = 0);

/// The way of computing, by name.
struct Choices {
  Name map, precision, accumulate, backend;
};

/// A map is of the domains that the field has laws of; a name of both (bb) serves both. Throws ConfigError.
EngineOverrides overrides_of(const ForceField& field, const Choices& choices);

/// Of the values that an array holds.
template <class Real>
inline constexpr Precision kPrecisionOf = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;

// Sentences of the engine for users of Python.

/// A sentence that names options of the command line as one that names keywords: "use --precision fp64, or leave
/// --block out" is "use precision='fp64', or leave block out". Whole commands (`triangulum bench --tune`) stay.
std::string in_keywords(std::string_view sentence);

/// A sentence of the engine for calls that compute in the dtype of their arrays and take no steps.
std::string of_arrays(std::string sentence);

/// Returns work(), whose sentences are then those of such calls.
template <class F>
auto with_arrays(F&& work) {
  try {
    return work();
  } catch (const ConfigError& e) {
    throw ConfigError(of_arrays(e.what()));
  } catch (const MemoryError& e) {
    throw MemoryError(of_arrays(e.what()));
  } catch (const NumericalError& e) {
    throw NumericalError(of_arrays(e.what()));
  }
}

// Arrays in device memory, as the package hands them over.

/// Where the memory is, which the package has checked: C-contiguous, aligned, of one device. It owns nothing: the
/// caller of the package holds the array.
struct DeviceArray {
  std::uintptr_t address = 0;
  u64 n = 0, columns = 1;
  bool is_double = false;
  int device = 0;
  std::uintptr_t stream = 0;

  DeviceQueue queue() const { return {device, reinterpret_cast<void*>(stream)}; }
  template <class T>
  T* values() const {
    return reinterpret_cast<T*>(address);
  }
  template <class Real>
  DeviceRows<Real> rows() const {
    return {values<const Real>(), n, columns};
  }
};

/// Calls f(Real()) with the type of the values.
template <class F>
void in_type_of(const DeviceArray& array, F&& f) {
  if (array.is_double) {
    f(double{});
  } else {
    f(float{});
  }
}

// Bodies from arrays of Python, whose types and dimensions it checks, and whose lengths the package has checked.

template <class Real>
using Rows = nanobind::ndarray<const Real, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
template <class Real>
using Column = nanobind::ndarray<const Real, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// positions: [n, d], d from 1 to 3, other coordinates are 0; velocities: [n, 3], null: at rest; charges: [n], or [0]
/// for bodies without.
template <class Real>
Bodies bodies_given(const Rows<Real>& positions, const Rows<Real>* velocities, const Column<Real>& masses,
                    const Column<Real>& radii, const Column<Real>& charges) {
  const std::size_t n = positions.shape(0), d = positions.shape(1);
  Bodies b;
  b.resize(n);
  std::vector<double>* const places[] = {&b.x, &b.y, &b.z};
  std::vector<double>* const motions[] = {&b.vx, &b.vy, &b.vz};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k) (*places[k])[i] = positions.data()[i * d + k];
    for (std::size_t k = 0; velocities != nullptr && k < 3; ++k) (*motions[k])[i] = velocities->data()[i * 3 + k];
    b.m[i] = masses.data()[i], b.r[i] = radii.data()[i];
  }
  if (charges.shape(0) > 0) b.q.assign(charges.data(), charges.data() + charges.shape(0));
  return b;
}

}  // namespace tri::python
