#pragma once
/// Long work for Python: without the GIL, and ended by Ctrl-C.

#include <nanobind/nanobind.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "sim/base/clock.hpp"
#include "sim/base/progress.hpp"

namespace tri::python {

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
  static auto take_gil(F&& take) {
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
    InterpreterEnd::take_gil([this] { return PyEval_RestoreThread(state_), 0; });
  }

 private:
  PyThreadState* state_;
};

class TakenGil {
 public:
  TakenGil() : state_(InterpreterEnd::take_gil([] { return PyGILState_Ensure(); })) {}
  TakenGil(const TakenGil&) = delete;
  TakenGil& operator=(const TakenGil&) = delete;
  ~TakenGil() { PyGILState_Release(state_); }

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
    const TakenGil gil;
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

}  // namespace tri::python
