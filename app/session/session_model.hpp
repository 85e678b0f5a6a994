#pragma once
/// What a session shows: read by panels and reports, changed by the session alone.

#include <array>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/session/body_survey.hpp"
#include "app/session/population.hpp"
#include "sim/backend/backend.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"

namespace tri::app {

/// The last samples of a time in ms, oldest first.
class Samples {
 public:
  static constexpr std::size_t kMax = 240;
  void add(double ms);
  void clear() { values_.clear(); }
  std::span<const double> values() const noexcept { return values_; }
  bool empty() const noexcept { return values_.empty(); }
  double last() const noexcept { return values_.empty() ? 0 : values_.back(); }
  double median() const;

 private:
  std::vector<double> values_;
};

/// Times of two maps on the same bodies: the k-th samples of both are of one turn.
struct Turns {
  Samples baseline, own;
  void add(double baseline_ms, double own_ms) { baseline.add(baseline_ms), own.add(own_ms); }
  void clear() { baseline.clear(), own.clear(); }
};

/// A map of the present domain, as a button shows it.
struct MapRow {
  std::string name, formula;
  std::string reason;  ///< why it does not fit this kernel, size and block; empty = it does
  Samples force;       ///< in steps by this map, under the present scene, laws, block and sums; of its domain alone
  Turns turns = {};    ///< the same, bb and this map taking turns
  LaunchCounts blocks = {};  ///< of one evaluation; those of a map that does not fit are 0
  bool fits() const { return reason.empty(); }
};

/// The next row after `now` that fits, in steps of `stride` and round again; `now` where none does.
std::size_t next_fitting(const std::vector<MapRow>& rows, std::size_t now, std::size_t stride = 1);

struct Notice {
  std::string text;
  bool error = false;
  u32 count = 1;  ///< said so many times on end
};

/// One body in full, of the state after `step` steps; the scene's units.
struct Inspected {
  u32 body = 0;
  u64 step = 0;
  double time = 0;
  std::array<double, 3> place{}, velocity{};
  double mass = 0, radius = 0;
  double acceleration = 0;             ///< its length, of the last evaluation of forces
  std::optional<u32> group, contacts;  ///< where the scene has groups, and a law of contact
  std::optional<double> charge = {};   ///< where bodies have some
};

/// Steps that can be shown again (timeline.hpp).
struct TimelineModel {
  struct Tick {
    u64 step = 0;
    double time = 0;
  };
  struct Seek {
    u64 from = 0, to = 0;
  };
  bool recorded = false;    ///< they are those of files, and none is computed
  bool kept = false;        ///< whether there are any
  bool exact = true;        ///< steps computed again have the same bits; not those of fast sums on a GPU
  u64 first = 0, last = 0;  ///< the present step is one of these, and not the last while the run is shown again
  double last_time = 0;
  std::vector<Tick> keyframes;  ///< of the run, in the order of their steps
  std::optional<u64> branch;    ///< the step at which the other branch leaves this run; none: there is no other
  u64 other_last = 0;           ///< its last step
  double other_last_time = 0;
  std::vector<Tick> other_keyframes;
  std::vector<DiagnosticsRow> other_rows;  ///< of its steps after the branch
  u64 bytes = 0;                           ///< that states take
  std::optional<Seek> seek;                ///< on the way to a step, from a keyframe; the present step says how far
  u64 version = 0;
};

struct SessionModel {
  std::string spec;  ///< what the scene was opened by
  Scene scene;       ///< without bodies; the present laws, integrator and |dt|
  std::size_t n = 0;
  PopulationPtr population;  ///< another object where bodies were added, changed or deleted by hand
  BackendInfo backend;
  EngineConfig asked;                            ///< blocks of 0 are the backend's choice
  EngineConfig engine;                           ///< and these are what it chose
  u32 groups = 0;                                ///< the highest group of a body and 1 more; 0 where the scene has none
  InstanceScalar scalar = InstanceScalar::mass;  ///< what is published in place of the mass
  bool running = false, comparing = false, backwards = false;
  bool broken = false;  ///< the state holds a bad number; only Reset, Open and steps back lead on
  u64 first_step = 0;   ///< where the clock begins: 0, or the step of a run that goes on here
  u64 steps = 0;        ///< taken since step 0, forwards or backwards
  u64 steps_asked = 0;  ///< one by one (ask::Take), and not taken yet
  double time = 0;
  double last_step = 0;     ///< length of the last automatic step
  double overlap_max = 0;   ///< of contact by springs, over the smaller radius, since the laws or bodies changed
  u32 steps_per_frame = 1;  ///< where there is no pace
  double pace = 0;          ///< simulated time a second; 0 = none
  double pace_reached = 0;  ///< the same as it was of late; 0 = not known
  u64 steps_last_frame = 0;
  std::vector<MapRow> pair_maps, triple_maps;  ///< in the order of the ids; empty where the field has no such law
  Samples force, integrate, publish;
  RankShares pair_shares, triple_shares;    ///< who works on what in the next evaluation; one rank where it is alone
  std::vector<double> rank_parts;           ///< [ranks] their shares in the last evaluation that was timed, 0 to 1
  std::vector<Samples> rank_ms;             ///< [ranks] of each for this share; empty: not known
  std::vector<DiagnosticsRow> diagnostics;  ///< of the run, later steps too; evenly thinned, at most kMaxRows
  TimelineModel timeline;
  std::deque<Notice> notices;  ///< newest last
  std::size_t undoable = 0;
  std::optional<Survey> survey;        ///< of Session::survey()
  std::optional<Inspected> inspected;  ///< the body that Session::inspect() was asked for

  static constexpr std::size_t kMaxRows = 2000, kMaxNotices = 100;

  /// Who computes the tiles of the map of a domain in use; one rank where none of several does.
  RankShares shares(Domain domain) const;
  /// Those of the sums that take longest: of triples, where there are any.
  const RankShares& main_shares() const { return triple_maps.empty() ? pair_shares : triple_shares; }

  /// Unordered pairs and triples of one force evaluation.
  double work_items() const;
};

}  // namespace tri::app
