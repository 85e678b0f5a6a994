// A device that fails while a session runs: the session goes on without it.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/session.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/progress.hpp"

namespace tri::app {
namespace {

constexpr double kCopyShare = 0.05;  // of the time, at most, for copies of the state
constexpr double kCopySeconds = 1;   // between them, at least

/// Neither what was asked for nor the bodies can be the cause.
bool is_of_the_device(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known != nullptr && dynamic_cast<const ConfigError*>(known) == nullptr &&
         dynamic_cast<const NumericalError*>(known) == nullptr && dynamic_cast<const MemoryError*>(known) == nullptr &&
         dynamic_cast<const FileError*>(known) == nullptr && dynamic_cast<const InterruptedError*>(known) == nullptr;
}

}  // namespace

/// Host memory is not lost with a device, so the cpu backend needs no copies.
void Session::keep_copy() {
  if (model_.backend.name == "cpu" || copy_.step == model_.steps || model_.broken) return;
  const double begin = clock_s();
  if (begin - copied_at_ < std::max(kCopySeconds, copy_cost_ / kCopyShare)) return;
  try {
    copy_ = {engine().read(), model_.steps, model_.time};
  } catch (const std::exception& error) {
    if (!recover(error)) note(error.what(), true);
    return;
  }
  copied_at_ = clock_s();
  copy_cost_ = copied_at_ - begin;
}

/// Replaces the engine of a device that failed by one of the cpu backend. False where the error is of another kind, or
/// the cpu backend failed.
bool Session::recover(const std::exception& error) {
  std::unique_ptr<Backend> lost;  // goes last, after the states that were kept on it
  if (!is_of_the_device(error) || (model_.backend.name == "cpu" && !loses_at_)) return false;
  const std::string what = error.what();
  Copy from{{}, model_.steps, model_.time};
  PopulationPtr population = model_.population;
  std::string rest = fmt::format("at step {}", model_.steps);
  try {
    from.bodies = engine().read();
    check(from.bodies);
  } catch (const std::exception&) {  // gone with the device
    const bool copied = copy_.bodies.size() > 0;
    from = copied ? copy_ : Copy{first_->bodies, model_.first_step, simulation_->first_time()};
    if (!copied) population = first_;
    rest = fmt::format("from step {}, the last that could be kept of {}", from.step, model_.steps);
  }
  try {
    Scene scene = model_.scene;
    scene.bodies = std::move(from.bodies);
    EngineConfig wanted = model_.asked;
    auto backend = make_backend("cpu");
    auto engine = make_fitting_engine(*backend, scene, wanted);
    simulation_->replace_engine(std::move(engine), from.step, from.time);  // before the backend of the old one goes
    lost = std::exchange(backend_, std::move(backend));
    model_.asked = wanted;
  } catch (const std::exception& second) {
    note(fmt::format("{} The cpu backend cannot go on either: {}", what, second.what()), true);
    return false;
  }
  model_.backend = backend_->info(), model_.engine = engine().config();
  show_clock();
  loses_at_.reset(), step_seconds_.reset();
  copy_ = {};
  ++lost_;
  std::erase_if(model_.diagnostics, [&](const DiagnosticsRow& row) { return row.step > from.step; });
  show_bodies(population);
  forget_states();
  update_maps();
  note(fmt::format("{} The session goes on with the cpu backend {}.", what, rest), true);
  return true;
}

/// What was kept on the device went with it.
void Session::forget_states() {
  std::erase_if(past_, [](const Change& change) { return std::holds_alternative<Place>(change); });
  for (Change& change : past_) {
    if (auto* reset = std::get_if<BeforeReset>(&change)) reset->timeline.reset(), reset->shown = {};
  }
  model_.undoable = past_.size();
  begin_timeline();
}

/// The same; an error that stays becomes a notice.
bool Session::recover(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    const bool recovered = recover(error);
    if (!recovered) note(error.what(), true);
    return recovered;
  }
}

}  // namespace tri::app
