#pragma once
/// The past of a run: a state of it, as undo, resets, edits and branches hold it; keyframes, from which every step on
/// the way can be computed again, the changes of its parameters, and one other branch. Knows no requests; the session
/// drives it, its step thread while steps run.
///
/// A frame is a step at which a state is kept, parameters changed, or both. Frames of the run are in the order of their
/// steps, the first with a state. Steps up to last() were taken, so that a run that stands before it *replays*: it
/// meets every frame again, and takes its state and its parameters.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/session_model.hpp"
#include "sim/simulation.hpp"

namespace tri::app {

/// Work that may take a share of the time.
struct TimeShare {
  double share;             ///< at most
  double seconds = 0;       ///< between two, at least
  double at = 0, cost = 0;  ///< in seconds: when the last was, how long it took
  bool is_due(double now) const { return now - at >= std::max(seconds, cost / share); }
  void done(double begin, double end) { at = end, cost = end - begin; }
};

/// A run at one of its steps, and all that leads back to it.
struct RunState {
  Simulation::Mark mark;  ///< clock, parameters, energies
  EngineConfig asked;
  PopulationPtr population = nullptr;
  std::unique_ptr<SavedState> saved = nullptr;  ///< the bodies in the engine's own form, where they are kept
  u64 step() const noexcept { return mark.steps; }
};

class Timeline {
 public:
  struct Limits {
    std::size_t states = 256;    ///< at most, of both branches; >= 4
    std::size_t changes = 4096;  ///< of parameters, at most; beyond it the oldest steps are given up
    u64 bytes = ~u64{0};         ///< that states may take; four are kept in any case
    double share = 0.02;         ///< of the time, at most, for keeping them
    double seconds = 0.01;       ///< between them, at least; a device's batches of steps end at each
  };
  /// Its state is that after the change; without `saved` only the parameters changed.
  struct Frame : RunState {
    bool changed = false;
    bool edited = false;  ///< another population begins here, so that the state stays
  };
  /// The steps of a run from `step` on that another one has left.
  struct Branch {
    u64 run = 0, step = 0, last = 0;
    double last_time = 0;
    std::vector<Frame> frames;
  };

  /// Makes an engine for the bodies of another population.
  using Remake = std::function<std::unique_ptr<Engine>(const Bodies&, const ForceField&, const EngineConfig&)>;

  /// Begins with the present state as the first frame. `run`: a number that no other run of this session has. Throws
  /// what Engine::save_state() throws.
  Timeline(const Limits& limits, u64 run, const Simulation& now, const EngineConfig& asked,
           PopulationPtr population = nullptr, Remake remake = nullptr);

  u64 run() const noexcept { return run_; }
  u64 first() const noexcept { return frames_.front().step(); }
  u64 last() const noexcept { return last_; }
  double last_time() const noexcept { return last_time_; }
  /// That of the simulation after the last call.
  const PopulationPtr& population() const noexcept { return population_; }
  const std::vector<Frame>& frames() const noexcept { return frames_; }
  const std::optional<Branch>& other() const noexcept { return other_; }
  bool replays(u64 step) const noexcept { return step < last_; }
  std::size_t states() const;
  u64 bytes() const;                                 ///< of all states
  u64 version() const noexcept { return version_; }  ///< counts changes of what this class shows

  /// How many of `most` steps, at least 1, lead from `step` no further than to the next frame, or to where one is due.
  u64 steps_to_stop(u64 step, u64 most, double now_seconds) const;
  /// After steps: meets the frame of this step while the run replays; else keeps one where it is due. True where
  /// parameters or configuration changed, and then in `asked` too.
  bool pass(Simulation& run, EngineConfig& asked, double now_seconds);
  /// Keeps the present state, unless that of this step is kept already. False without memory for it.
  bool add_keyframe(const Simulation& run, const EngineConfig& asked);
  /// The parameters changed at this step, the last. `moved`: the state may have, too.
  void change(const Simulation& run, const EngineConfig& asked, bool moved);
  /// The run came to this step, but its state there is lost.
  void reach(const Simulation& run);

  /// The newest frame with a state at or before a step that is not before first().
  const Frame& before(u64 step) const;
  /// Goes to a frame. With ordered sums map, blocks, broad phase and threads stay those of `asked`, as they change no
  /// bit. Returns and throws as Simulation::return_to() and pass().
  bool go_to(const Frame& frame, Simulation& run, EngineConfig& asked);

  /// Before parameters change on the way: keeps the present state, and memory for branch(). Throws what add_keyframe()
  /// throws.
  void prepare_branch(const Simulation& run, const EngineConfig& asked);
  /// From the present step on another run begins, with the present parameters; the later steps, if any, become the
  /// other branch in place of the earlier one.
  void branch(u64 run, const Simulation& now, const EngineConfig& asked);
  /// Other bodies came at this step, where `state` is kept. Where the run replays, another one begins with them.
  void edit(u64 run, const Simulation& now, const EngineConfig& asked, PopulationPtr population,
            std::unique_ptr<SavedState> state);
  /// The other branch becomes the run, and the other way round. There must be one.
  void swap_branches();
  /// A mark of another simulation's: its numbers of settings are none of this one's.
  static Simulation::Mark foreign(Simulation::Mark mark);
  /// The run, which has only its first step, goes on as a branch that left another timeline there: with the frames of
  /// that, as far as there is memory for their states. Returns and throws as go_to().
  bool continue_as(const Branch& branch, Simulation& run, EngineConfig& asked);

 private:
  std::size_t at_or_after(u64 step) const;
  void insert(const Simulation& run, const EngineConfig& asked, std::unique_ptr<SavedState> saved, bool changed = false,
              bool edited = false);
  std::unique_ptr<SavedState> spare();
  void recycle(Frame& frame);
  void discard(std::vector<Frame> frames);
  std::vector<Frame> cut(std::size_t from);
  bool go_to(const Frame& frame, const SavedState* saved, Simulation& run, EngineConfig& asked);
  void change_bodies(const Frame& frame, const SavedState* saved, Simulation& run, EngineConfig& config);
  void leave(u64 run, u64 step, double time);
  void bound(const SavedState& state);
  void thin();
  void forget_oldest();

  Limits limits_;
  PopulationPtr population_;
  Remake remake_;
  std::vector<Frame> frames_;
  std::optional<Branch> other_;
  std::vector<std::unique_ptr<SavedState>> spare_;  ///< memory of states that were thinned out
  u64 run_, last_, newest_;                         ///< newest_: step of the last state
  double last_time_;
  u64 stride_ = 1;        ///< steps between states, at least
  TimeShare keeping_;     ///< of states
  std::size_t most_ = 0;  ///< states, by both limits
  u64 version_ = 0;
};

}  // namespace tri::app
