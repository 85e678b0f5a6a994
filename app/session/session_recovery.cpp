// A device that fails while a session runs: the session goes on without it.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/session/session.hpp"
#include "app/session/session_maps.hpp"

namespace tri::app {
namespace {

constexpr double kCopyShare = 0.05;  // of the time, at most, for copies of the state
constexpr double kCopySeconds = 1;   // between them, at least

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// What neither the user's wishes nor the bodies can be blamed for.
bool is_of_the_device(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known != nullptr && dynamic_cast<const ConfigError*>(known) == nullptr &&
         dynamic_cast<const NumericalError*>(known) == nullptr && dynamic_cast<const MemoryError*>(known) == nullptr &&
         dynamic_cast<const FileError*>(known) == nullptr;
}

}  // namespace

/// Host memory is not lost with a device, so the cpu backend needs no copies.
void Session::keep_copy() {
  if (model_.backend.name == "cpu" || copy_.step == model_.steps || model_.broken) return;
  const double begin = now_s();
  if (begin - copied_at_ < std::max(kCopySeconds, copy_cost_ / kCopyShare)) return;
  try {
    copy_ = {engine_->read(), model_.steps, model_.time};
  } catch (const std::exception& error) {
    if (!recover(error)) note(error.what(), true);
    return;
  }
  copied_at_ = now_s();
  copy_cost_ = copied_at_ - begin;
}

/// Puts an engine of the cpu backend in the place of one whose device failed. False where the error is of another kind,
/// or the cpu backend itself erred.
bool Session::recover(const std::exception& error) {
  if (!is_of_the_device(error) || (model_.backend.name == "cpu" && !loses_at_)) return false;
  const std::string what = error.what();
  Copy from{{}, model_.steps, model_.time};
  std::string rest = fmt::format("at step {}", model_.steps);
  try {
    from.bodies = engine_->read();
    check(from.bodies);
  } catch (const std::exception&) {  // gone with the device
    from = copy_.bodies.size() > 0 ? copy_ : Copy{first_, model_.first_step, first_time()};
    rest = fmt::format("from step {}, the last that could be kept of {}", from.step, model_.steps);
  }
  try {
    Scene scene = model_.scene;
    scene.bodies = std::move(from.bodies);
    EngineConfig wanted = model_.asked;
    auto backend = make_backend("cpu", 0, *need_);
    auto engine = make_fitting_engine(*backend, scene, wanted);
    engine_ = std::move(engine);  // the old one before its backend
    backend_ = std::move(backend);
    model_.asked = wanted;
  } catch (const std::exception& second) {
    note(fmt::format("{} The cpu backend cannot go on either: {}", what, second.what()), true);
    return false;
  }
  backends_ = [](BackendNeed need) { return make_backend("cpu", 0, need); };
  model_.backend = backend_->info(), model_.engine = engine_->config();
  model_.steps = from.step, model_.time = from.time;
  loses_at_.reset(), step_seconds_.reset();
  copy_ = {};
  ++lost_;
  std::erase_if(model_.diagnostics, [&](const DiagnosticsRow& row) { return row.step > from.step; });
  update_maps();
  note(fmt::format("{} The session goes on with the cpu backend {}.", what, rest), true);
  return true;
}

bool Session::recover(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return recover(error);
  }
}

}  // namespace tri::app
