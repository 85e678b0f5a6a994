#pragma once
/// An automaton on a fractal that is viewed and changed while it runs: the logic of the window's view, without a
/// window. One thread.

#include <functional>
#include <memory>
#include <string>

#include "app/views/fractal_choice.hpp"
#include "app/views/fractal_picture.hpp"
#include "sim/backend/backend.hpp"

namespace tri::app {

class FractalWorld {
 public:
  using MakeBackend = std::function<std::unique_ptr<Backend>()>;
  explicit FractalWorld(MakeBackend make_backend) : make_backend_(std::move(make_backend)) {}

  /// Applies the settings: creates a new automaton for another scene or a restart, reconfigures the current one for
  /// other work. On failure nothing changes and choice.error has the reason.
  void apply(FractalChoice& choice);
  /// As take_steps().
  void advance(FractalChoice& choice, double seconds, double budget);

  /// Null until a scene has been opened.
  const Automaton* automaton() const noexcept { return automaton_.get(); }
  const std::string& backend() const noexcept { return backend_name_; }
  /// An image of the current state, updated if needed.
  const FractalPicture& picture();
  u64 changes() const noexcept { return changes_; }
  /// FNV-1a of the state, as `run` prints it.
  u64 hash() const { return cells_hash(automaton_->read()); }

 private:
  void open(const FractalChoice& choice);

  MakeBackend make_backend_;
  std::unique_ptr<Backend> backend_;
  std::string backend_name_;
  std::unique_ptr<Automaton> automaton_;
  std::unique_ptr<FractalPicture> picture_;
  std::string scene_;  ///< last requested
  CellWork work_;
  u64 restarts_ = 0;
  u64 changes_ = 0, pictured_ = ~u64{0};
  double due_ = 0;  ///< steps
};

}  // namespace tri::app
