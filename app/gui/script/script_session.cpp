// Commands that become requests to the session.

#include "app/gui/script/script_rows.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/map_choice.hpp"

namespace tri::app::gui {
namespace {

ScriptAct read_map(const ScriptWords& w) {
  const std::string name = one(w, "the name of a map");
  const auto pair = find_triangle_map(name);
  const auto triple = find_tetra_map(name);
  if (!pair && !triple) triangle_map_from(name);  // throws, with the nearest name
  return [pair, triple](ScriptHost& h) {
    const bool pairs = pair && (!h.model.pair_maps.empty() || !triple);
    h.requests.push_back(pairs ? Request{ask::PairMap{*pair}} : Request{ask::TripleMap{*triple}});
  };
}

ScriptAct read_blocks(const ScriptWords& w) {
  if (w.empty() || w.size() > 2) throw ConfigError("it takes the tile side of pairs, and if wanted that of triples");
  const auto side = [](const std::string& t) { return static_cast<u32>(whole_number("it", t, 0, 1u << 20)); };
  return asks(ask::Blocks{side(w[0]), w.size() > 1 ? side(w[1]) : 0});
}

ScriptAct read_accuracy(const ScriptWords& w) {
  if (w.empty() || w.size() > 2) throw ConfigError("it takes auto, float32 or tensor, and if wanted a tolerance");
  return asks(ask::Accuracy{arithmetic_from(w[0]), w.size() > 1 ? tolerance_from(w[1]) : Tolerance::automatic});
}

constexpr ScriptRow kSessionRows[] = {
    {"wait", "wait FRAMES", nullptr},
    {"scene", "scene NAME:key=value,...", [](const ScriptWords& w) { return asks(ask::Open{one(w, "a scene")}); }},
    {"open", "open FILE",
     [](const ScriptWords& w) -> ScriptAct {
       return [path = one(w, "a file")](ScriptHost& h) { h.state.pending.open = path; };
     }},
    {"save", "save FILE", [](const ScriptWords& w) { return asks(ask::Save{one(w, "a file")}); }},
    {"run", "run", [](const ScriptWords& w) { return none(w), asks(ask::Run{true}); }},
    {"pause", "pause", [](const ScriptWords& w) { return none(w), asks(ask::Run{false}); }},
    {"step", "step COUNT",
     [](const ScriptWords& w) { return asks(ask::Take{whole_number("it", one(w, "a number"), 1, kMaxCount)}); }},
    {"steps-per-frame", "steps-per-frame COUNT",
     [](const ScriptWords& w) {
       return asks(ask::StepsPerFrame{static_cast<u32>(whole_number("it", one(w, "a number"), 1, 1000000))});
     }},
    {"pace-of-time", "pace-of-time TIME",
     [](const ScriptWords& w) {
       return asks(ask::PaceOfTime{non_negative_number("it", one(w, "a time a second, or 0"))});
     }},
    {"reset", "reset", [](const ScriptWords& w) { return none(w), asks(ask::Reset{}); }},
    {"reverse", "reverse", [](const ScriptWords& w) { return none(w), asks(ask::Reverse{}); }},
    {"back", "back [STEPS]",
     [](const ScriptWords& w) {
       return asks(ask::StepBack{w.empty() ? 1 : whole_number("it", one(w, "a number"), 1, kMaxCount)});
     }},
    {"goto", "goto STEP",
     [](const ScriptWords& w) { return asks(ask::GoTo{whole_number("it", one(w, "a step"), 0, kMaxCount)}); }},
    {"branch", "branch [other]",
     [](const ScriptWords& w) {
       if (w.empty()) return asks(ask::Branch{});
       choice("it", one(w, "nothing, or other"), {"other"});
       return asks(ask::OtherBranch{});
     }},
    {"undo", "undo", [](const ScriptWords& w) { return none(w), asks(ask::Undo{}); }},
    {"dt", "dt LENGTH",
     [](const ScriptWords& w) { return asks(ask::TimeStep{positive_number("it", one(w, "a number"))}); }},
    {"dt-auto", "dt-auto ETA",
     [](const ScriptWords& w) { return asks(ask::AutoStep{non_negative_number("it", one(w, "a number"))}); }},
    {"integrator", "integrator NAME",
     [](const ScriptWords& w) { return asks(ask::Scheme{integrator_from(one(w, "the name of an integrator"))}); }},
    {"map", "map NAME", read_map},
    {"block", "block PAIRS [TRIPLES]", read_blocks},
    {"accumulate", "accumulate fast|ordered",
     [](const ScriptWords& w) { return asks(ask::Sums{accumulate_from(one(w, "fast or ordered"))}); }},
    {"arithmetic", "arithmetic auto|float32|tensor [TOLERANCE]", read_accuracy},
    {"broad-phase", "broad-phase auto|all-pairs|grid",
     [](const ScriptWords& w) { return asks(ask::Contacts{broad_phase_from(one(w, "auto, all-pairs or grid"))}); }},
    {"lose-device", "lose-device STEPS",
     [](const ScriptWords& w) {
       return asks(ask::LoseDevice{whole_number("it", one(w, "a number of steps"), 0, kMaxCount)});
     }},
    {"compare", "compare on|off", [](const ScriptWords& w) { return asks(ask::Compare{on_off(w)}); }},
};

}  // namespace

std::span<const ScriptRow> session_rows() { return kSessionRows; }

}  // namespace tri::app::gui
