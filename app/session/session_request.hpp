#pragma once
/// Requests to a session: plain data, applied in order at a step boundary. Panels, keys, scripts and files change the
/// simulation by these alone.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/session/population.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/mapfile/map_file.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"

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
/// What sums gravity on a GPU, and how accurately.
struct Accuracy {
  Arithmetic arithmetic = Arithmetic::automatic;
  Tolerance tolerance = Tolerance::automatic;
};
/// Which pairs of spheres are tested for contact.
struct Contacts {
  BroadPhase broad_phase = BroadPhase::automatic;
};
/// Every map that fits in turn, one per frame.
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
  std::vector<BodyValues> bodies;
};
struct ChangeBody {
  u32 body = 0;  ///< index
  BodyChange to;
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

}  // namespace tri::app::ask

namespace tri::app {

using Request = std::variant<ask::Open, ask::Reset, ask::Save, ask::Run, ask::Take, ask::StepsPerFrame, ask::PaceOfTime,
                             ask::Reverse, ask::TimeStep, ask::AutoStep, ask::Scheme, ask::Field, ask::PairMap,
                             ask::TripleMap, ask::Blocks, ask::Sums, ask::Accuracy, ask::Contacts, ask::Compare,
                             ask::LoseDevice, ask::StepBack, ask::GoTo, ask::Branch, ask::OtherBranch, ask::AddBodies,
                             ask::ChangeBody, ask::DeleteBodies, ask::Export, ask::AddMap, ask::Undo>;
using Requests = std::vector<Request>;

}  // namespace tri::app
