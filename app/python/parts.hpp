#pragma once
/// What the files of the module share: work without the GIL, choices, errors, arrays, bodies.
///
/// The parts of the Python module: what each file adds to it.

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "sim/backend/backend.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/engine/device_arrays.hpp"
#include "sim/model/bodies.hpp"
#include "sim/scene/scene.hpp"

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
  Name map, precision, accumulate, backend, pairs, tolerance;
};

/// A map is of the domains that the field has laws of; a name of both (bb) serves both. Throws ConfigError, also for
/// choices that do nothing under these laws.
EngineOverrides overrides_of(const ForceField& field, const Choices& choices);
/// Throws ConfigError for choices that an engine, which has chosen what was left to it, does not use.
void check_effect(const EngineOverrides& asked, const ForceField& field, const EngineConfig& used,
                  const std::string& backend);

/// Keys of a scene with their values as text.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// The scene of a text or a file: dt, integrator and eta, as `triangulum run` takes them, parameters of laws, and the
/// words of its laws as pair and triple. Throws ConfigError, FileError.
Scene scene_with(std::string spec, Settings settings);

// Sentences of the engine for users of Python.

/// A sentence that names options of the command line as one that names keywords: "use --precision fp64, or leave
/// --block out" is "use precision='fp64', or leave block out". Whole commands (`triangulum bench --tune`) stay.
std::string in_keywords(std::string_view sentence);

/// For Python, which names a file by bytes that are no UTF-8 like that, too.
nanobind::str text_of(const std::string& text);

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

/// The domains of maps, by their enumerators.
inline constexpr const char* kDomains[] = {"pairs", "triples", "gasket"};

/// A NumPy array of these values, which are then its own.
template <class Value>
nanobind::object numpy_array(std::vector<Value> values, std::initializer_list<std::size_t> shape) {
  auto* const kept = new std::vector<Value>(std::move(values));
  const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, Value>(kept->data(), shape.size(), shape.begin(), owner));
}

// Arrays of the caller, where they are.

/// An array that the package has checked: C-contiguous, aligned, float32 or float64. It owns nothing: the caller of the
/// package holds the array.
struct GivenArray {
  std::uintptr_t address = 0;
  u64 n = 0, columns = 1;
  bool is_double = false;
  int device = -1;  ///< of a GPU; -1: in host memory
  std::uintptr_t stream = 0;

  bool on_host() const { return device < 0; }
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
void in_type_of(const GivenArray& array, F&& f) {
  if (array.is_double) {
    f(double{});
  } else {
    f(float{});
  }
}

/// The values of an array, wherever it is, as float64.
template <class Real>
std::vector<double> doubles_of(const GivenArray& array) {
  const auto* const values = array.values<const Real>();
  const u64 count = array.n * array.columns;
  if (array.on_host()) return {values, values + count};
  std::vector<Real> copy(count);
  copy_to_host(array.queue(), values, count * sizeof(Real), copy.data());
  return {copy.begin(), copy.end()};
}

/// Bodies in arrays of one place, of one type and of lengths that fit; a column that is null is one number for all.
struct GivenBodies {
  const GivenArray& positions;             ///< [n, 3], or in host memory [n, d] with other coordinates 0
  const GivenArray* velocities = nullptr;  ///< [n, 3]; null: at rest
  const GivenArray* masses = nullptr;      ///< [n], like the others
  double mass = 0;
  const GivenArray* radii = nullptr;
  double radius = 0;
  const GivenArray* charges = nullptr;
  double charge = 0;

  bool charged() const { return charges != nullptr || charge != 0; }
};

template <class Real>
Bodies bodies_of(const GivenBodies& given) {
  Bodies b;
  b.resize(given.positions.n);
  const auto set_rows = [](const GivenArray* from, const std::array<std::vector<double>*, 3>& to) {
    if (from == nullptr) return;
    const std::vector<double> values = doubles_of<Real>(*from);
    for (std::size_t k = 0; k < values.size(); ++k) (*to[k % from->columns])[k / from->columns] = values[k];
  };
  const auto column = [&](const GivenArray* from, double all) {
    return from == nullptr ? std::vector<double>(given.positions.n, all) : doubles_of<Real>(*from);
  };
  set_rows(&given.positions, {&b.x, &b.y, &b.z}), set_rows(given.velocities, {&b.vx, &b.vy, &b.vz});
  b.m = column(given.masses, given.mass), b.r = column(given.radii, given.radius);
  if (given.charged()) b.q = column(given.charges, given.charge);
  return b;
}

}  // namespace tri::python
