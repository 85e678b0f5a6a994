#pragma once
/// An automaton on a fractal that is watched and changed while it runs: what the window's view of it does, without a
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
  using Backends = std::function<std::unique_ptr<Backend>()>;
  explicit FractalWorld(Backends backends) : backends_(std::move(backends)) {}

  /// Brings the automaton to what is asked for: a new one for another scene or a restart, another way of working for
  /// the one there is. What cannot be leaves things as they are, with the reason in choice.told.
  void take(FractalChoice& choice);
  /// Takes the steps that are due after `seconds`; what does not fit into `budget` seconds of time is let go.
  void advance(FractalChoice& choice, double seconds, double budget);

  /// Null before the first scene that could be opened.
  const Automaton* automaton() const noexcept { return automaton_.get(); }
  const std::string& backend() const noexcept { return backend_name_; }
  /// The state as a picture, made anew where it is an older one.
  const FractalPicture& picture();
  u64 changes() const noexcept { return changes_; }
  /// FNV-1a of the state, as `run` prints it.
  u64 hash() const { return cells_hash(automaton_->read()); }

 private:
  void open(const FractalChoice& choice);

  Backends backends_;
  std::unique_ptr<Backend> backend_;
  std::string backend_name_;
  std::unique_ptr<Automaton> automaton_;
  std::unique_ptr<FractalPicture> picture_;
  std::string scene_;  ///< that was asked for last
  CellWork work_;
  u32 restarts_ = 0;
  u64 changes_ = 0, pictured_ = ~u64{0};
  double owed_ = 0;  ///< steps
};

}  // namespace tri::app
