#pragma once
/// A simulation as Python holds it: with its backend, and the marks of the thread and the process that may use it.

#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/python/choices.hpp"
#include "app/python/work.hpp"
#include "sim/backend/backend.hpp"
#include "sim/model/contact_step.hpp"
#include "sim/model/resolution.hpp"
#include "sim/simulation.hpp"

namespace tri::python {

/// Keys of a scene with their values as text.
using Settings = std::vector<std::pair<std::string, std::string>>;

class SceneRun {
 public:
  /// A scene, a file, or a snapshot, which takes no settings: dt, integrator and eta, as `triangulum run` takes them,
  /// and the words of its laws as pair and triple.
  SceneRun(std::string spec, const Settings& settings, const Choices& choices);
  /// As scene_of_bodies().
  SceneRun(Bodies bodies, const Settings& settings, const Choices& choices);
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;
  /// After a fork, the device's memory is left to the process that took it.
  ~SceneRun();

  /// Returns work(simulation, watch) of the one thread that may use it now.
  template <class F>
  auto with(const char* task, F&& work) {
    const Use use(*this);
    return run_released(task, [&](SignalWatch& watch) { return work(*simulation_, watch); });
  }
  /// Returns get(simulation) at once.
  template <class F>
  auto look(F&& get) {
    const Use use(*this);
    return get(*simulation_);
  }

  const std::vector<std::string>& notes() const { return notes_; }
  /// Sentences about motion that the precision has lost, and about springs that are too soft, once each.
  std::vector<std::string> warnings() { return std::exchange(warnings_, {}); }
  /// As OverlapWatch::largest(), with the present state; nothing without contact springs.
  std::optional<OverlapWatch::Largest> overlap();
  const BackendInfo& backend() const { return info_; }

  u64 advance(u64 steps);
  u64 run_until(double until);
  /// Returns what the format of the path leaves out.
  std::vector<std::string> save(const std::string& path);
  std::string text();

  /// The state itself until take_back(); no step can be taken meanwhile.
  StateArrays lend();
  void take_back(bool discard);

 private:
  class Use {
   public:
    explicit Use(SceneRun& run);
    ~Use() { busy_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<bool>& busy_;
  };

  void begin(Scene scene, const Choices& choices);
  void go_on(Snapshot from, const Choices& choices);
  void require_all() const;
  void tell_of_written(Simulation& simulation);
  void tell(const std::string& loss, bool lost);
  void warn(const std::string& text);
  void watch_motion(Simulation& simulation);
  bool watches_overlaps(const Simulation& simulation) const;
  void watch_overlaps(Simulation& simulation);
  u64 advance_watched(Simulation& simulation, u64 steps, double until, SignalWatch& watch);

  std::string spec_;
  std::unique_ptr<Backend> backend_;
  BackendInfo info_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<std::string> notes_;
  std::vector<std::string> warnings_;
  OverlapWatch overlaps_;
  double overlaps_s_ = 0;  ///< seconds of work on them
  MotionWatch motion_;
  bool watches_motion_ = true;  ///< until there was something to say
  double worked_s_ = 0, looked_s_ = 0;
  std::atomic<bool> busy_ = false, lent_ = false;
  pid_t process_ = getpid();
};

}  // namespace tri::python
