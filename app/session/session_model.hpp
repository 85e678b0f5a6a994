#pragma once
/// What a session tells and is asked: its model, requests, the population of its bodies.
///
/// The bodies that a run has between two edits by hand, and which of them are the same as before. Plain data.

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/session/sketches.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/user_values.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"
#include "sim/model/units.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"
#include "sim/text/map_file.hpp"

namespace tri::app {

/// How the bodies of a state are distributed: the density over the distance from the centre of mass, or how many have
/// which speed, mass, radius or distance.
enum class SurveyOf : u8 { density, speed, mass, radius, distance };
constexpr auto enum_table(SurveyOf) {
  return enum_names<SurveyOf>("survey", "density", "speed", "mass", "radius", "distance");
}
inline constexpr u32 kSurveyCount = kNamesOf<SurveyOf>.names.size();

/// Bins of bodies; edges[k] <= value < edges[k + 1], and the last bin holds its upper edge.
struct Survey {
  SurveyOf of = SurveyOf::density;
  u64 step = 0;
  double time = 0;
  std::vector<double> edges;  ///< [bins + 1] ascending; of density: > 0, equal ratios, but for the first one, 0
  std::vector<double> value;  ///< [bins] of density: mass over volume; else: bodies
  std::vector<u64> bodies;    ///< [bins]
  u64 left_out = 0;           ///< bodies whose value is not finite

  bool operator==(const Survey&) const = default;
};

inline constexpr u32 kSurveyBins = 40;

/// Step and time stay 0. Of density the second edge encloses a hundredth of the bodies, or ten of them where that is
/// more. Without a body that has a finite value there are no bins. bins >= 2.
Survey survey_of(const Bodies& bodies, SurveyOf of, u32 bins = kSurveyBins);

struct SessionModel;

struct Population {
  Bodies bodies;         ///< as they were when it began; masses and radii stay
  std::vector<u32> ids;  ///< [n] ascending; a body keeps its id while others are added and deleted
  u64 edits = 0;         ///< that led to it from the bodies of the scene
};
using PopulationPtr = std::shared_ptr<const Population>;

/// Bodies as they are opened: each has its index as its id.
PopulationPtr first_population(Bodies bodies);

/// The index of the body with this id; the number of bodies where it is gone.
std::size_t index_of(const Population& population, u32 id);

/// A body by hand, in the scene's units.
struct BodyValues {
  std::array<double, 3> place{}, velocity{};
  double mass = 1, radius = 0;
  bool operator==(const BodyValues&) const = default;
};
/// What changes of one; the rest stays as it is then.
struct BodyChange {
  std::optional<std::array<double, 3>> place = {}, velocity = {};
  std::optional<double> mass = {}, radius = {};
  BodyValues of(BodyValues b) const {
    return {place.value_or(b.place), velocity.value_or(b.velocity), mass.value_or(b.mass), radius.value_or(b.radius)};
  }
};

/// What changes of several together.
struct BodiesChange {
  double speed = 1;                 ///< factor of each velocity, finite
  std::array<double, 3> kick{};     ///< added to each velocity afterwards
  std::optional<double> mass = {};  ///< of each
  std::optional<u32> group = {};    ///< of each; bodies without groups are of group 0 then
};

BodyValues values_of(const Bodies& bodies, std::size_t body);

/// What people read a quantity of unit_behind() in: where a scene counts in yr/2pi, velocities, accelerations and
/// energies in years ("AU/yr"), else in its own unit.
ClockUnit reading_unit(const UnitSystem* units, std::string_view quantity);

/// The name of a body, by index; empty: it has none.
std::string name_of(const SessionModel& model, std::size_t body);

/// These bodies alone; indices below n.
Bodies only(const Bodies& bodies, const std::vector<u32>& indices);

// What a session shows: read by panels and reports, changed by the session alone.

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
  u32 failed = 0;            ///< turns that gave no times
  bool fits() const { return reason.empty(); }
  /// Whether its turns are too few for the intervals of all maps together.
  bool wants_turns() const { return fits() && turns.own.values().size() + failed < kEnoughTurns; }
  /// Whether it takes so much longer than bb that its turns are felt.
  bool is_slow() const;
  static constexpr std::size_t kEnoughTurns = 12;
};

/// The map that is to take a turn with bb (not 0): `first` while it wants any (0: none is asked for), then one that
/// wants turns and has had the fewest, that in use before others and slow ones last; the map in use once none wants
/// any.
std::size_t map_to_time(const std::vector<MapRow>& rows, std::size_t in_use, std::size_t first = 0);

/// The next row after `now` that fits, in steps of `stride` and round again; `now` where none does.
std::size_t next_fitting(const std::vector<MapRow>& rows, std::size_t now, std::size_t stride = 1);

/// How many maps took turns with bb: their intervals are to hold together. At least 1.
std::size_t compared_maps(const std::vector<MapRow>& rows);

/// Whether an evaluation of forces is the same work under both, so that times of maps are: the laws, their cut-offs and
/// what chooses between ways to compute them. Numbers that sums are multiplied by make no difference.
bool is_same_work(const ForceField& a, const ForceField& b);

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
  std::optional<double> acceleration;  ///< its length, of the last evaluation of forces; none: there was none yet
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
  u64 run = 0;              ///< another number for each run of a session
  u64 first = 0, last = 0;  ///< the present step is one of these, and not the last while the run is shown again
  double last_time = 0;
  std::vector<Tick> keyframes;  ///< of the run, in the order of their steps
  std::optional<u64> branch;    ///< the step at which the other branch leaves this run; none: there is no other
  double branch_time = 0;       ///< of that step
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
  std::map<u32, std::string> names;  ///< of bodies that have one, by id
  PopulationPtr population;          ///< another object where bodies were added, changed or deleted by hand
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
  std::optional<double> until;  ///< the time at which the run rests; it runs until then
  double last_step = 0;         ///< length of the last automatic step
  double overlap_max = 0;       ///< of contact by springs, over the smaller radius, since the laws or bodies changed
  u32 steps_per_frame = 1;      ///< where there is no pace
  double pace = 0;              ///< simulated time a second; 0 = none
  double pace_reached = 0;      ///< the same as it was of late; 0 = not known
  u64 steps_last_frame = 0;
  u64 work = 0;                                ///< another number where times of maps are of other work
  std::vector<MapRow> pair_maps, triple_maps;  ///< in the order of the ids; empty where the field has no such law
  Samples force, integrate, publish;
  RankShares pair_shares, triple_shares;    ///< who works on what in the next evaluation; one rank where it is alone
  std::vector<double> rank_parts;           ///< [ranks] their shares in the last evaluation that was timed, 0 to 1
  std::vector<Samples> rank_ms;             ///< [ranks] of each for this share; empty: not known
  std::vector<DiagnosticsRow> diagnostics;  ///< of the run, later steps too; evenly thinned, at most kMaxRows
  TimelineModel timeline;
  std::deque<Notice> notices;  ///< newest last
  /// What was done, in order: undo takes the last of the first `undoable` back, redo does the next one again.
  std::vector<std::string> history;
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

// Requests to a session: plain data, applied in order at a step boundary. Panels, keys, scripts and files change the
// simulation by these alone.

namespace tri::app::ask {

/// A scene, NAME or NAME:key=value,..., or a file. The old one stays when it cannot be opened.
struct Open {
  std::string scene;
  EngineOverrides engine = {};  ///< beside those of the command line
};
struct Reset {};  ///< the bodies of t = 0, under the present laws and step
struct Save {
  std::string path;  ///< the extension names the format
};
struct Run {
  bool on = true;
};
/// Runs, at its pace, and rests at the step nearest to this time; steps of automatic length at the first one there.
/// Ended by Run and Reverse. A recorded run shows the state of that time.
struct RunUntil {
  double time = 0;
};
struct Take {
  u64 steps = 1;  ///< in this frame, running or not
};
/// Ends a pace.
struct StepsPerFrame {
  u32 count = 1;  ///< >= 1
};
/// Steps go by the clock, as far as the processor keeps up.
struct PaceOfTime {
  double per_second = 0;  ///< simulated time a second, >= 0; 0: StepsPerFrame says how many
};
struct Reverse {};  ///< the sign of the time step
struct TimeStep {
  double dt = 0.01;  ///< length > 0; the direction stays
};
/// Steps of automatic length; a TimeStep ends them.
struct AutoStep {
  double eta = 0.01;  ///< accuracy; 0: steps of the length last given
};
struct Scheme {
  Integrator integrator = Integrator::kdk;
};
struct Field {
  ForceField field;
  bool goes_on = false;  ///< with the change before: undo takes both back
};
struct PairMap {
  TriangleMapId map = TriangleMapId::lambda;
};
struct TripleMap {
  TetraMapId map = TetraMapId::tetra;
};
struct Blocks {
  u32 pairs = 0, triples = 0;  ///< tile sides; 0 = the backend's choice
};
struct Sums {
  Accumulate accumulate = Accumulate::fast;
};
/// How gravity meets its pairs, what sums it on a GPU, and how accurately.
struct Accuracy {
  Arithmetic arithmetic = Arithmetic::automatic;
  Tolerance tolerance = Tolerance::automatic;
  PairSearch pairs = PairSearch::automatic;
};
/// Which pairs of spheres are tested for contact.
struct Contacts {
  BroadPhase broad_phase = BroadPhase::automatic;
};
/// Every map that fits in turn, one per frame; afterwards the map that was in use before is so again.
struct Compare {
  bool on = true;
};
/// For tests: the device fails after so many more steps, as if it were lost.
struct LoseDevice {
  u64 steps = 0;
};
/// So many steps back, to the state that the run had there.
struct StepBack {
  u64 steps = 1;
};
/// Any step of the run that is kept. From there it takes the same steps again, until something is changed.
struct GoTo {
  u64 step = 0;
};
struct Branch {};       ///< another run begins at this step; later ones stay as the other branch
struct OtherBranch {};  ///< the run on the other branch, at the same step or its last
/// Bodies by hand, at the present step. What cannot be is refused with a sentence: values that are not finite, a mass
/// that is not more than 0, a sphere without a radius where spheres touch, a place outside the walls.
struct AddBodies {
  std::vector<BodyValues> bodies;  ///< named "body N" where bodies of the scene have names
};
/// Gives a body a name, in place of the one that it has; empty: none.
struct Name {
  u32 body = 0;  ///< index
  std::string name;
};
struct ChangeBody {
  u32 body = 0;  ///< index
  BodyChange to;
};
struct ChangeBodies {
  std::vector<u32> bodies;  ///< indices
  BodiesChange to;
};
struct DeleteBodies {
  std::vector<u32> bodies;  ///< indices; one body must stay
};
/// Writes these bodies alone, by the extension of the path.
struct Export {
  std::string path;
  std::vector<u32> bodies;  ///< indices
};
/// A map as data joins the others of its domain.
struct AddMap {
  std::shared_ptr<const mapfile::MapFile> map;
};
/// The last change of laws, step, scheme, map, blocks, sums or bodies, or of the place in time.
struct Undo {};
struct Redo {};  ///< what was undone, until another change is made

}  // namespace tri::app::ask

namespace tri::app {

using Request =
    std::variant<ask::Open, ask::Reset, ask::Save, ask::Run, ask::RunUntil, ask::Take, ask::StepsPerFrame,
                 ask::PaceOfTime, ask::Reverse, ask::TimeStep, ask::AutoStep, ask::Scheme, ask::Field, ask::PairMap,
                 ask::TripleMap, ask::Blocks, ask::Sums, ask::Accuracy, ask::Contacts, ask::Compare, ask::LoseDevice,
                 ask::StepBack, ask::GoTo, ask::Branch, ask::OtherBranch, ask::AddBodies, ask::Name, ask::ChangeBody,
                 ask::ChangeBodies, ask::DeleteBodies, ask::Export, ask::AddMap, ask::Undo, ask::Redo>;
using Requests = std::vector<Request>;

/// Whether a request is one of these.
template <class... Kinds>
bool is_one_of(const Request& request) {
  return (std::holds_alternative<Kinds>(request) || ...);
}

/// What is not the same in them, for people to read: "dt 0.01 to 0.02 yr", in the unit of clocks; empty: nothing.
std::string change_text(const RunParameters& from, const EngineConfig& from_asked, const RunParameters& to,
                        const EngineConfig& to_asked, const UnitSystem* units = nullptr);

// A session as lines "key = value" and back: what a screenshot carries, so that it opens again as a scene.

/// Scene, laws with every parameter, step and configuration; numbers with all their digits.
std::string session_text(const SessionModel& model);

/// Requests that bring a session there, at t = 0; the first opens the scene. Throws ConfigError for an unknown key or a
/// bad value, and when there is no scene.
Requests session_requests(const std::string& text);

}  // namespace tri::app
