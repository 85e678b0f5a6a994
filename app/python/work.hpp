#pragma once
/// Long work for Python: without the GIL, and ended by Ctrl-C.

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>

#include "sim/base/clock.hpp"
#include "sim/base/progress.hpp"

namespace tri::python {

/// Runs Python's signal handlers while work runs without the GIL. When one raises (Ctrl-C: KeyboardInterrupt), the work
/// ends by InterruptedError, and run_released() raises what the handler raised.
class SignalWatch final : public ProgressSink {
 public:
  void report(const ProgressReport&) override { look(); }

  /// Looks some twenty times a second, however often it is called. Without the GIL.
  void look() {
    const double now = clock_s();
    if (now - looked_s_ < kEvery) return;
    looked_s_ = now;
    const nanobind::gil_scoped_acquire gil;
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
    const nanobind::gil_scoped_release no_gil;
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
